// A temporary folder with a small data set, weights and orders, and a conversation that has come so far
// that training may begin.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "protocol/messages.hpp"
#include "tests/unit/sdk/conversation.hpp"
#include "tests/unit/sdk/tiny_trainer.hpp"

namespace lockstep::sdk {

inline constexpr std::int64_t kBatch = 4;
inline constexpr std::int64_t kTrainImages = 20;
inline constexpr std::int64_t kTestImages = 10;  // two whole batches and a half

class Stage {
public:
    Stage();
    ~Stage();
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;

    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    std::string order(const std::string& name, const std::vector<std::int64_t>& indices) const;

    static protocol::BuildRequest build(const std::string& behave = "", bool dropout = true);
    protocol::DataRequest data() const;
    protocol::WeightsInRequest weights() const;  // zeros
    protocol::TrainRequest train(std::vector<std::string> orders) const;

    // A worker with a TinyTrainer, as forked.
    static std::unique_ptr<Conversation> worker();
    // The same after hello, build, data and weights_in.
    std::unique_ptr<Conversation> ready(const std::string& behave = "", bool dropout = true) const;

private:
    std::filesystem::path folder_;
};

}  // namespace lockstep::sdk
