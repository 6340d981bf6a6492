// The null worker: its numbers are the harness's own overhead.
#include "workers/null/trainer.hpp"

int main(int argc, char** argv)
{
    lockstep::null::NullTrainer trainer;
    return lockstep::sdk::serve(argc, argv, trainer);
}
