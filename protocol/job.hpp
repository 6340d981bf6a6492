// What a worker is told to build and run, beyond the network itself.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "protocol/network.hpp"

namespace lockstep::protocol {

// theta -= lr * sqrt(1-beta2^t)/(1-beta1^t) * m / (sqrt(v) + epsilon)   ("adam", epsilon-hat form)
// v = momentum*v + g; theta -= lr*v                                     ("sgd")
struct Optimizer {
    std::string kind = "adam";
    double learning_rate = 1e-3;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-7;
    double momentum = 0.9;
};

struct Device {
    std::string kind = "cpu";  // cpu, gpu
    int index = 0;             // which GPU; 0 on a CPU
};

struct Job {
    Network network;
    std::int64_t batch = 64;
    Optimizer optimizer;
    std::string precision = "float32";  // float32, bfloat16, float16
    bool tf32 = false;                  // may float32 products use TF32 on a GPU
    std::string input = "locked";       // locked: the given order; native: the framework's own pipeline
    int threads = 1;
    Device device;
    int rank = 0;  // of this process in a job of `world` processes
    int world = 1;
    int replicas = 1;     // devices driven by this one process
    bool dropout = true;  // false: dropout layers let everything pass in training too (the agreement check)
    std::uint64_t seed = 0;  // for what stays random inside the framework: dropout, native order
    std::map<std::string, std::string> options;  // the framework's own, named in its manifest
};

// How a worker wants its parameters. The harness permutes; a worker only assigns.
struct Layouts {
    std::string convolution = "HWIO";  // HWIO, OIHW
    bool flipped = false;          // kernels turned by 180 degrees: the framework convolves, not correlates
    std::string dense = "in_out";  // in_out, out_in
    std::string flatten = "HWC";   // order of a flattened image: HWC, CHW
};

}  // namespace lockstep::protocol
