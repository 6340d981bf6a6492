// A plain Caffe program as its examples have it: a net and a solver in prototxt, batches from memory,
// Solver::Step in a loop. Trains cnn2 or cnn3 on 28 x 28 random pictures, batch 64, with Adam, and prints
// the median step in milliseconds, and the lower quartile, which a busy machine disturbs less. It knows
// nothing of lockstep; its figure is what the worker's steps are held against.
//
// Usage: caffe_script cnn2|cnn3 [STEPS]       (OPENBLAS_NUM_THREADS as wanted)
// Build, with P the folder of an installed worker (LOCKSTEP_HOME/installs/caffe):
//   g++ -std=c++17 -O2 -w -D_GLIBCXX_USE_CXX11_ABI=0 -DCPU_ONLY -I P/include caffe_script.cpp
//       -o caffe_script -L P/lib -lcaffe -pthread -Wl,--disable-new-dtags,-rpath,P/lib,-rpath-link,P/lib
#include <glog/logging.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <caffe/caffe.hpp>
#include <caffe/layers/memory_data_layer.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr int kBatch = 64;
constexpr int kSide = 28;
constexpr int kBatches = 20;  // pictures that the loop goes through again and again

const char* const kData =
    "layer { name: 'data' type: 'MemoryData' top: 'data' top: 'label'"
    "  memory_data_param { batch_size: 64 channels: 1 height: 28 width: 28 } }";
const char* const kLoss =
    "layer { name: 'loss' type: 'SoftmaxWithLoss' bottom: 'logits' bottom: 'label' top: 'loss' }";

const char* const kCnn2 =
    "layer { name: 'conv1' type: 'Convolution' bottom: 'data' top: 'conv1'"
    "  convolution_param { num_output: 32 kernel_size: 3 pad: 1 weight_filler { type: 'xavier' } } }"
    "layer { name: 'relu1' type: 'ReLU' bottom: 'conv1' top: 'conv1' }"
    "layer { name: 'pool1' type: 'Pooling' bottom: 'conv1' top: 'pool1'"
    "  pooling_param { pool: MAX kernel_size: 2 stride: 2 } }"
    "layer { name: 'conv2' type: 'Convolution' bottom: 'pool1' top: 'conv2'"
    "  convolution_param { num_output: 64 kernel_size: 3 pad: 1 weight_filler { type: 'xavier' } } }"
    "layer { name: 'relu2' type: 'ReLU' bottom: 'conv2' top: 'conv2' }"
    "layer { name: 'pool2' type: 'Pooling' bottom: 'conv2' top: 'pool2'"
    "  pooling_param { pool: MAX kernel_size: 2 stride: 2 } }"
    "layer { name: 'ip1' type: 'InnerProduct' bottom: 'pool2' top: 'ip1'"
    "  inner_product_param { num_output: 128 weight_filler { type: 'xavier' } } }"
    "layer { name: 'relu3' type: 'ReLU' bottom: 'ip1' top: 'ip1' }"
    "layer { name: 'logits' type: 'InnerProduct' bottom: 'ip1' top: 'logits'"
    "  inner_product_param { num_output: 10 weight_filler { type: 'xavier' } } }";

// The third pooling meets 7 x 7; Caffe makes 4 x 4 of it, and the Crop the 3 x 3 that others make.
const char* const kCnn3 =
    "layer { name: 'conv1' type: 'Convolution' bottom: 'data' top: 'conv1'"
    "  convolution_param { num_output: 64 kernel_size: 3 pad: 1 weight_filler { type: 'xavier' } } }"
    "layer { name: 'relu1' type: 'ReLU' bottom: 'conv1' top: 'conv1' }"
    "layer { name: 'pool1' type: 'Pooling' bottom: 'conv1' top: 'pool1'"
    "  pooling_param { pool: MAX kernel_size: 2 stride: 2 } }"
    "layer { name: 'conv2' type: 'Convolution' bottom: 'pool1' top: 'conv2'"
    "  convolution_param { num_output: 128 kernel_size: 3 pad: 1 weight_filler { type: 'xavier' } } }"
    "layer { name: 'relu2' type: 'ReLU' bottom: 'conv2' top: 'conv2' }"
    "layer { name: 'pool2' type: 'Pooling' bottom: 'conv2' top: 'pool2'"
    "  pooling_param { pool: MAX kernel_size: 2 stride: 2 } }"
    "layer { name: 'conv3' type: 'Convolution' bottom: 'pool2' top: 'conv3'"
    "  convolution_param { num_output: 256 kernel_size: 3 pad: 1 weight_filler { type: 'xavier' } } }"
    "layer { name: 'relu3' type: 'ReLU' bottom: 'conv3' top: 'conv3' }"
    "layer { name: 'pool3' type: 'Pooling' bottom: 'conv3' top: 'pool3'"
    "  pooling_param { pool: MAX kernel_size: 2 stride: 2 } }"
    "layer { name: 'size3' type: 'Input' top: 'size3' input_param { shape { dim: 1 dim: 256 dim: 3 dim: 3 } "
    "} }"
    "layer { name: 'crop3' type: 'Crop' bottom: 'pool3' bottom: 'size3' top: 'crop3' crop_param { axis: 2 } }"
    "layer { name: 'ip1' type: 'InnerProduct' bottom: 'crop3' top: 'ip1'"
    "  inner_product_param { num_output: 512 weight_filler { type: 'xavier' } } }"
    "layer { name: 'relu4' type: 'ReLU' bottom: 'ip1' top: 'ip1' }"
    "layer { name: 'drop1' type: 'Dropout' bottom: 'ip1' top: 'ip1' dropout_param { dropout_ratio: 0.5 } }"
    "layer { name: 'ip2' type: 'InnerProduct' bottom: 'ip1' top: 'ip2'"
    "  inner_product_param { num_output: 256 weight_filler { type: 'xavier' } } }"
    "layer { name: 'relu5' type: 'ReLU' bottom: 'ip2' top: 'ip2' }"
    "layer { name: 'drop2' type: 'Dropout' bottom: 'ip2' top: 'ip2' dropout_param { dropout_ratio: 0.5 } }"
    "layer { name: 'logits' type: 'InnerProduct' bottom: 'ip2' top: 'logits'"
    "  inner_product_param { num_output: 10 weight_filler { type: 'xavier' } } }";

caffe::SolverParameter solver_for(const std::string& layers)
{
    caffe::SolverParameter parameter;
    const bool read =
        google::protobuf::TextFormat::ParseFromString(
            "type: 'Adam' base_lr: 0.001 lr_policy: 'fixed' momentum: 0.9 momentum2: 0.999 delta: 1e-7"
            " max_iter: 1000000 display: 0 solver_mode: CPU random_seed: 1",
            &parameter) &&
        google::protobuf::TextFormat::ParseFromString(kData + layers + kLoss, parameter.mutable_net_param());
    CHECK(read) << "the prototxt is wrong";
    return parameter;
}

}  // namespace

int main(int argc, char** argv)
{
    FLAGS_logtostderr = true;
    FLAGS_minloglevel = 1;
    google::InitGoogleLogging(argv[0]);
    const std::string name = argc > 1 ? argv[1] : "cnn2";
    const int steps = argc > 2 ? std::atoi(argv[2]) : 100;
    caffe::Caffe::set_mode(caffe::Caffe::CPU);
    boost::shared_ptr<caffe::Solver<float>> solver(
        caffe::SolverRegistry<float>::CreateSolver(solver_for(name == "cnn3" ? kCnn3 : kCnn2)));

    std::mt19937 random(1);
    std::uniform_real_distribution<float> pixel(0.0F, 1.0F);
    std::vector<float> images(static_cast<std::size_t>(kBatches) * kBatch * kSide * kSide);
    std::vector<float> labels(static_cast<std::size_t>(kBatches) * kBatch);
    std::generate(images.begin(), images.end(), [&] { return pixel(random); });
    std::generate(labels.begin(), labels.end(), [&] { return static_cast<float>(random() % 10); });
    auto layer = boost::dynamic_pointer_cast<caffe::MemoryDataLayer<float>>(solver->net()->layers()[0]);
    layer->Reset(images.data(), labels.data(), kBatches * kBatch);

    std::vector<double> times;
    for (int step = 0; step < steps; ++step) {
        const auto begin = std::chrono::steady_clock::now();
        solver->Step(1);
        times.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    std::sort(times.begin(), times.end());
    const auto count = times.size();
    std::printf("%s median step %.3f ms, lower quartile %.3f ms\n", name.c_str(), times[count / 2],
                times[count / 4]);
    return 0;
}
