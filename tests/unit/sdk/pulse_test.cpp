// Events by given stamps: no clock, no waiting.
#include "workers/sdk/cpp/pulse.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

#include "workers/sdk/cpp/faults.hpp"

namespace lockstep::sdk {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;

class PulseTest : public testing::Test {
protected:
    PulseTest()
    {
        EXPECT_EQ(::pipe2(requests_.data(), O_CLOEXEC | O_NONBLOCK), 0);
        EXPECT_EQ(::pipe2(replies_.data(), O_CLOEXEC | O_NONBLOCK), 0);
    }
    ~PulseTest() override
    {
        for (const int end : {requests_[0], requests_[1], replies_[0], replies_[1]}) {
            ::close(end);
        }
    }
    std::string sent() const
    {
        std::array<char, 65536> text;
        const ssize_t got = ::read(replies_[0], text.data(), text.size());
        return {text.data(), got < 0 ? 0 : static_cast<std::size_t>(got)};
    }

    std::array<int, 2> requests_{};
    std::array<int, 2> replies_{};
};

TEST_F(PulseTest, a_hundred_steps_in_a_second_send_four_events)
{
    Channel channel(requests_[0], replies_[1]);
    Pulse pulse(channel, 0);
    for (std::int64_t step = 1; step <= 100; ++step) {
        pulse.step_done(step * 10 * kMillisecond, step, 400, 2);
    }
    const std::string text = sent();
    EXPECT_EQ(std::ranges::count(text, '\n'), 4);
    EXPECT_TRUE(text.starts_with("{\"event\":\"progress\",\"done\":25,\"of\":400,\"epoch\":2}\n")) << text;
}

TEST_F(PulseTest, slow_steps_send_one_event_each)
{
    Channel channel(requests_[0], replies_[1]);
    Pulse pulse(channel, 0);
    for (std::int64_t step = 1; step <= 5; ++step) {
        pulse.step_done(step * 3'000 * kMillisecond, step, 5, 1);
    }
    EXPECT_EQ(std::ranges::count(sent(), '\n'), 5);
}

TEST_F(PulseTest, predictions_say_that_they_live)
{
    Channel channel(requests_[0], replies_[1]);
    Pulse pulse(channel, 0);
    pulse.alive(249 * kMillisecond);
    pulse.alive(250 * kMillisecond);
    EXPECT_EQ(sent(), "{\"event\":\"alive\"}\n");
}

TEST_F(PulseTest, a_harness_that_has_left_is_noticed_by_either_pipe)
{
    Channel channel(requests_[0], replies_[1]);
    Pulse pulse(channel, 0);
    ::close(replies_[0]);
    replies_[0] = ::dup(requests_[0]);
    EXPECT_THROW(pulse.alive(kMillisecond * 1'000), HarnessGone);
    ::close(requests_[1]);
    requests_[1] = ::dup(requests_[0]);
    EXPECT_THROW(channel.check_alive(), HarnessGone);
}

}  // namespace
}  // namespace lockstep::sdk
