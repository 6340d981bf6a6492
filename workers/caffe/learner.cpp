// Caffe has no call that starts a solver afresh, and building another would allocate everything again.
#include "workers/caffe/learner.hpp"

#include <google/protobuf/text_format.h>

#include <caffe/sgd_solvers.hpp>
#include <stdexcept>

namespace lockstep::caffe_worker {
namespace {

template <class Message>
Message parse(const std::string& text)
{
    Message message;
    if (!google::protobuf::TextFormat::ParseFromString(text, &message)) {
        throw std::runtime_error("Caffe does not understand this prototxt: " + text);
    }
    return message;
}

template <class Solver>
class Restartable final : public Solver, public Learner {
public:
    explicit Restartable(const caffe::SolverParameter& parameter) : Solver(parameter) {}

    caffe::Net<float>& net() override { return *this->net_; }
    float step() override
    {
        this->Step(1);
        return this->smoothed_loss_;  // with average_loss 1: of this step, over all of its iter_size parts
    }
    void restart() override
    {
        this->iter_ = 0;
        this->current_step_ = 0;
        for (const auto& blob : this->history_) {
            caffe::caffe_set(blob->count(), 0.0F, blob->mutable_cpu_data());
        }
        for (const auto& blob : this->temp_) {
            blob->mutable_cpu_data();  // allocated by the first touch, which the first step need not be
        }
    }
};

}  // namespace

caffe::NetParameter parse_net(const std::string& text)
{
    return parse<caffe::NetParameter>(text);
}

std::unique_ptr<Learner> make_learner(const std::string& solver, const std::string& net)
{
    auto parameter = parse<caffe::SolverParameter>(solver);
    *parameter.mutable_net_param() = parse_net(net);
    if (parameter.type() == "Adam") {
        return std::make_unique<Restartable<caffe::AdamSolver<float>>>(parameter);
    }
    return std::make_unique<Restartable<caffe::SGDSolver<float>>>(parameter);
}

}  // namespace lockstep::caffe_worker
