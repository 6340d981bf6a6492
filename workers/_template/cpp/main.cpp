// The whole program: the SDK owns the loop, the stamps, the files and the errors.
#include "trainer.hpp"

int main(int argc, char** argv)
{
    lockstep::plain::PlainTrainer trainer;
    return lockstep::sdk::serve(argc, argv, trainer);
}
