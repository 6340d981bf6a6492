// The worker's program.
#include "workers/onednn/trainer.hpp"

int main(int argc, char** argv)
{
    lockstep::onednn::EngineTrainer trainer;
    return lockstep::sdk::serve(argc, argv, trainer);
}
