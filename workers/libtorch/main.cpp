// The worker's program.
#include "workers/libtorch/trainer.hpp"

int main(int argc, char** argv)
{
    const auto trainer = lockstep::libtorch_worker::make_trainer();
    return lockstep::sdk::serve(argc, argv, *trainer);
}
