// One worker's conversation: what was built, mapped and loaded so far, and one member a verb.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/codec.hpp"
#include "protocol/messages.hpp"
#include "workers/sdk/cpp/channel.hpp"
#include "workers/sdk/cpp/feeder.hpp"
#include "workers/sdk/cpp/trainer.hpp"
#include "workers/sdk/cpp/training.hpp"

namespace lockstep::sdk {

// Every verb throws BadRequest when it comes out of turn or names unusable files, OutOfResources when it
// cannot write, and whatever the trainer throws.
class Session {
public:
    // `started`: first stamp of the process; `ready`: when the trainer stood.
    Session(Trainer& trainer, Channel& channel, std::int64_t started, std::int64_t ready);

    // The reply line to a request; throws as above, BadRequest also for an unknown verb or broken fields.
    std::string answer(const protocol::Call& call);

private:
    protocol::HelloReply hello(const protocol::HelloRequest& request);
    protocol::BuildReply build(const protocol::BuildRequest& request);
    protocol::Nothing weights_in(const protocol::WeightsInRequest& request);
    protocol::WeightsOutReply weights_out(const protocol::WeightsOutRequest& request);
    protocol::DataReply data(const protocol::DataRequest& request);
    protocol::Nothing pixels(const protocol::PixelsRequest& request);
    protocol::CheckReply check(const protocol::CheckRequest& request);
    protocol::TrainReply train(const protocol::TrainRequest& request);
    protocol::PredictReply predict(const protocol::PredictRequest& request);
    protocol::MemoryReply memory(const protocol::MemoryRequest& request);
    protocol::Nothing shutdown(const protocol::ShutdownRequest& request);

    template <class Request>
    bool take(const protocol::Call& call, typename Request::Reply (Session::*verb)(const Request&),
              std::string& line);
    const protocol::Job& require_job() const;  // throws BadRequest before build
    Feeder& feeder();                          // requires: job and data; throws BadRequest for unfit data
    void hand_over_native();                   // in native input, once network and data are both there
    Workbench workbench();                     // throws BadRequest before build, data or weights_in

    Trainer& trainer_;
    Channel& channel_;
    std::int64_t started_;
    std::int64_t ready_;
    Identity identity_;
    bool build_asked_ = false;
    std::optional<protocol::Job> job_;
    std::vector<Tensor> layout_;  // names and shapes of the parameters, without values
    bool loaded_ = false;
    std::optional<Data> data_;
    std::optional<Feeder> feeder_;
};

}  // namespace lockstep::sdk
