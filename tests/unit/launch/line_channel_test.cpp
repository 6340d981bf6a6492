// Lines over pipes whose other ends the test holds.
#include "harness/launch/line_channel.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "tests/unit/launch/scratch.hpp"

namespace lockstep::launch {
namespace {

class Channel : public testing::Test {
protected:
    Channel()
    {
        std::array<int, 2> in{};
        std::array<int, 2> out{};
        EXPECT_EQ(::pipe2(in.data(), O_CLOEXEC), 0);
        EXPECT_EQ(::pipe2(out.data(), O_CLOEXEC), 0);
        feed_ = Descriptor(in[1]);
        drain_ = Descriptor(out[0]);
        channel_.emplace(Descriptor(in[0]), Descriptor(out[1]), &interrupt_);
    }
    void feed(const std::string& text)
    {
        ASSERT_EQ(::write(feed_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    Clock::time_point brief() const { return Clock::now() + std::chrono::milliseconds(20); }

    Interrupt interrupt_;
    Descriptor feed_;
    Descriptor drain_;
    std::optional<LineChannel> channel_;
    std::string line_;
};

TEST_F(Channel, lines_come_one_at_a_time_however_they_were_written)
{
    feed("one\ntw");
    EXPECT_EQ(channel_->read(line_, soon()), LineState::ok);
    EXPECT_EQ(line_, "one");
    EXPECT_EQ(channel_->read(line_, brief()), LineState::late);
    feed("o\n\nthree");
    EXPECT_EQ(channel_->read(line_, soon()), LineState::ok);
    EXPECT_EQ(line_, "two");
    EXPECT_EQ(channel_->read(line_, soon()), LineState::ok);
    EXPECT_EQ(line_, "");
    feed_.close();
    EXPECT_EQ(channel_->read(line_, soon()), LineState::closed);
}

TEST_F(Channel, a_line_of_exactly_one_mebibyte_is_taken_and_a_longer_one_is_not)
{
    std::thread writer([&] {
        const std::string longest(protocol::kLongestLine - 1, 'a');
        const std::string text = longest + "\n" + longest + "b\n";
        for (std::size_t sent = 0; sent < text.size();) {
            const ssize_t size = ::write(feed_.get(), text.data() + sent, text.size() - sent);
            if (size <= 0) {
                break;
            }
            sent += static_cast<std::size_t>(size);
        }
    });
    EXPECT_EQ(channel_->read(line_, soon()), LineState::ok);
    EXPECT_EQ(line_.size(), protocol::kLongestLine - 1);
    EXPECT_EQ(channel_->read(line_, soon()), LineState::too_long);
    writer.join();
}

TEST_F(Channel, a_request_that_nobody_takes_is_late)
{
    EXPECT_EQ(channel_->write(std::string(500'000, 'x'), brief()), LineState::late);
}

TEST_F(Channel, a_closed_reader_is_an_answer_not_a_signal)
{
    drain_.close();
    EXPECT_EQ(channel_->write("hello", soon()), LineState::closed);
    sigset_t pending;
    sigpending(&pending);
    EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
}

TEST_F(Channel, an_interrupt_ends_the_wait)
{
    std::thread user([&] { interrupt_.raise(); });
    EXPECT_EQ(channel_->read(line_, soon()), LineState::interrupted);
    user.join();
    EXPECT_EQ(channel_->write("x", soon()), LineState::interrupted);
}

TEST_F(Channel, the_end_of_the_other_side_is_seen_though_its_pipe_stays_open_and_its_last_words_are_read)
{
    std::array<int, 2> life{};
    ASSERT_EQ(::pipe2(life.data(), O_CLOEXEC), 0);
    const Descriptor alive(life[0]);
    Descriptor end(life[1]);
    std::array<int, 2> in{};
    ASSERT_EQ(::pipe2(in.data(), O_CLOEXEC), 0);
    feed_ = Descriptor(in[1]);
    LineChannel channel(Descriptor(in[0]), Descriptor(::dup(feed_.get())), &interrupt_, alive.get());
    feed("last words\n");
    end.close();
    EXPECT_EQ(channel.read(line_, soon()), LineState::ok);
    EXPECT_EQ(line_, "last words");
    EXPECT_EQ(channel.read(line_, soon()), LineState::closed);
}

TEST_F(Channel, a_line_too_long_to_be_read_is_not_written)
{
    EXPECT_EQ(channel_->write(std::string(protocol::kLongestLine, 'x'), soon()), LineState::too_long);
}

}  // namespace
}  // namespace lockstep::launch
