/* OpenCV's functions that libcaffe names for its image layers, which lockstep's networks do not have. They
   stand in for 28 MB and a desktop; whoever reaches one is told and stopped. The names are C++'s, mangled
   as the compiler does. */
#include <stdio.h>
#include <stdlib.h>

#define STUB(name)                                                                                   \
    void name(void)                                                                                  \
    {                                                                                                \
        fputs("lockstep's Caffe has no OpenCV, so its image layers do not work: " #name "\n", stderr); \
        abort();                                                                                     \
    }

STUB(_ZN2cv3MatC1EOS0_)
STUB(_ZN2cv3MatC1ERKS0_)
STUB(_ZN2cv3MatC1ERKS0_RKNS_5Rect_IiEE)
STUB(_ZN2cv3MatC1Ev)
STUB(_ZN2cv3MatD1Ev)
STUB(_ZN2cv3MataSEOS0_)
STUB(_ZN2cv3MataSERKS0_)
STUB(_ZN2cv4flipERKNS_11_InputArrayERKNS_12_OutputArrayEi)
STUB(_ZN2cv6imreadERKSsi)
STUB(_ZN2cv6resizeERKNS_11_InputArrayERKNS_12_OutputArrayENS_5Size_IiEEddi)
STUB(_ZN2cv8imdecodeERKNS_11_InputArrayEi)
STUB(_ZN2cv8imencodeERKSsRKNS_11_InputArrayERSt6vectorIhSaIhEERKS5_IiSaIiEE)
