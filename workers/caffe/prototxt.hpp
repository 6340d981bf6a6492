// The network and the solver of a job as a Caffe user would write them: prototxt.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/job.hpp"

namespace lockstep::caffe_worker {

// Where a net gets its batches from.
struct Source {
    enum class Kind { memory, database, input } kind = Kind::memory;
    std::int64_t batch = 0;
    std::string database;  // folder of an LMDB
    float scale = 0.0F;    // database: of a byte
};

// Layers `data` (tops data and label) and nothing else; for Kind::input the top data alone.
std::string source_layers(const protocol::Network& network, const Source& source);

// The network behind `source`, up to the loss ("loss"), or up to the logits for Kind::input, which is the
// net that predicts. Layers have the names that the network gives them; the logits are the top of the last.
// Pooling has floor rounding. Without `dropout` there is no dropout layer.
std::string net_prototxt(const protocol::Network& network, const Source& source, bool dropout);

// A solver without a net. Its updates are those that CONTRACT words: Caffe's Adam is the epsilon-hat form.
std::string solver_prototxt(const protocol::Job& job, std::int64_t iter_size);

}  // namespace lockstep::caffe_worker
