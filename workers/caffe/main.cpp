// The worker's program. Caffe's log goes to standard error: its default are files in the temporary folder.
#include <glog/logging.h>

#include "workers/caffe/trainer.hpp"

int main(int argc, char** argv)
{
    FLAGS_logtostderr = true;
    FLAGS_minloglevel = google::GLOG_WARNING;
    google::InitGoogleLogging(argv[0]);
    lockstep::caffe_worker::CaffeTrainer trainer;
    return lockstep::sdk::serve(argc, argv, trainer);
}
