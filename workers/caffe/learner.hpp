// A solver of Caffe's with its training net.
#pragma once

#include <caffe/caffe.hpp>
#include <memory>
#include <string>

namespace lockstep::caffe_worker {

// Caffe's own Adam or SGD; what it keeps between steps can be put back to the start.
class Learner {
public:
    virtual ~Learner() = default;

    virtual caffe::Net<float>& net() = 0;
    // One Solver::Step. The mean loss before its update.
    virtual float step() = 0;
    // Iteration 0, no moments; parameters stay.
    virtual void restart() = 0;
};

// Both texts are prototxt; parses them and builds the net. Requires: the solver's type is Adam or SGD.
std::unique_ptr<Learner> make_learner(const std::string& solver, const std::string& net);

// Throws std::runtime_error for text that is not a NetParameter.
caffe::NetParameter parse_net(const std::string& text);

}  // namespace lockstep::caffe_worker
