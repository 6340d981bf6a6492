// A worker in a child process that runs serve() with a trainer, and the harness's side of the pipes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/codec.hpp"
#include "workers/sdk/cpp/trainer.hpp"

namespace lockstep::sdk {

class Conversation {
public:
    explicit Conversation(const std::function<std::unique_ptr<Trainer>()>& make_trainer);
    ~Conversation();  // ends the child
    Conversation(const Conversation&) = delete;
    Conversation& operator=(const Conversation&) = delete;

    void send(const std::string& line);  // as it is
    // The next message; absent when the worker has closed its end, or is silent for 30 seconds.
    std::optional<protocol::FromWorker> next();
    void close_requests();
    // Of the child, which must end by itself within 30 seconds; absent when it does not, or by a signal.
    std::optional<int> exit_code();

    // The answer to a request, or what was refused. Events on the way are kept in `events`.
    template <class Request>
    tl::expected<typename Request::Reply, protocol::Failure> call(const Request& request)
    {
        return answer(protocol::request_line(++id_, request)).map([](const protocol::Json& ok) {
            return protocol::from_json<typename Request::Reply>(ok).value();
        });
    }
    // The same for a line that no struct makes.
    tl::expected<protocol::Json, protocol::Failure> answer(const std::string& line);

    std::vector<protocol::FromWorker> events;

private:
    pid_t process_ = -1;
    int requests_ = -1;
    int replies_ = -1;
    std::string pending_;
    std::int64_t id_ = 0;
};

}  // namespace lockstep::sdk
