// What was asked for, with every default filled in: the one description that a campaign runs from, writes
// down and is resumed from.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "protocol/job.hpp"

namespace lockstep::record {

// A framework plus an environment plus options: what is compared.
struct Arm {
    std::string name;  // unique; the framework's name unless given
    std::string framework;
    std::optional<std::string> python;           // an interpreter of the user's own
    std::map<std::string, std::string> env;      // variables for the worker's process
    std::map<std::string, std::string> options;  // the framework's own
    std::int64_t batch = 64;
    int threads = 1;
    std::string precision = "float32";
    bool tf32 = false;
    std::string input = "locked";
    protocol::Device device;
    bool twin = false;  // the baseline's second self, to see what the machine makes of nothing
};

struct DataRequest {
    std::string source;                                         // name, or folder
    std::optional<std::pair<std::int64_t, std::int64_t>> size;  // height, width to resize to
    std::optional<std::int64_t> train_samples;                  // stratified part of the training set
    std::optional<std::int64_t> test_samples;                   // and of the test set
};

// Seconds.
struct Limits {
    double start = 120;    // from start to the answer of hello
    double build = 600;    // build, weights, data
    double silence = 120;  // between two signs of life while training
};

struct Plan {
    std::string name = "run";
    std::vector<std::string> models;     // short name, long name or path of a model file
    std::optional<std::string> padding;  // overrides the model file's
    DataRequest data;
    protocol::Optimizer optimizer;
    std::vector<Arm> arms;
    std::string baseline;  // the name of an arm
    std::int64_t epochs = 1;
    std::int64_t blocks = 6;
    std::int64_t warm_up_steps = 10;
    std::uint64_t seed = 42;
    std::int64_t settle_ms = 200;  // pause between two runs
    bool verify = true;            // the agreement gate
    bool twin = false;
    Limits limits;
};

}  // namespace lockstep::record
