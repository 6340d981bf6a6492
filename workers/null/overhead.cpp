// Drives a worker through 10,000 steps and prints what each of them cost outside the step itself.
// Usage: lockstep_null_overhead PATH_OF_WORKER. Prints, for each of five rounds, the median time between
// the two stamps of a step and the time of the epoch divided by its steps.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "protocol/codec.hpp"
#include "workers/sdk/cpp/npy.hpp"

namespace {

using namespace lockstep;

constexpr std::int64_t kSteps = 10'000;
constexpr std::int64_t kBatch = 64;
constexpr std::int64_t kImages = 1'000;
constexpr int kRounds = 5;

[[noreturn]] void give_up(const std::string& why)
{
    std::fprintf(stderr, "lockstep_null_overhead: %s\n", why.c_str());
    std::exit(1);
}

class Worker {
public:
    explicit Worker(const char* program)
    {
        std::array<int, 2> requests{};
        std::array<int, 2> replies{};
        if (::pipe2(requests.data(), O_CLOEXEC) != 0 || ::pipe2(replies.data(), O_CLOEXEC) != 0) {
            give_up("no pipe could be made");
        }
        process_ = ::fork();
        if (process_ == 0) {
            const int in = ::dup(requests[0]);
            const int out = ::dup(replies[1]);
            ::setenv(protocol::kReadVariable.data(), std::to_string(in).c_str(), 1);
            ::setenv(protocol::kWriteVariable.data(), std::to_string(out).c_str(), 1);
            ::execl(program, program, nullptr);
            ::_exit(127);
        }
        ::close(requests[0]);
        ::close(replies[1]);
        out_ = ::fdopen(requests[1], "w");
        in_ = ::fdopen(replies[0], "r");
    }
    ~Worker()
    {
        std::fclose(out_);
        std::fclose(in_);
        ::waitpid(process_, nullptr, 0);
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    template <class Request>
    typename Request::Reply call(const Request& request)
    {
        std::fputs(protocol::request_line(++id_, request).c_str(), out_);
        std::fflush(out_);
        while (true) {
            const auto message = protocol::parse_from_worker(next_line());
            if (!message) {
                give_up(message.error());
            }
            if (const auto* refusal = std::get_if<protocol::Refusal>(&*message)) {
                give_up(refusal->failure.message);
            }
            if (const auto* answer = std::get_if<protocol::Answer>(&*message)) {
                return protocol::from_json<typename Request::Reply>(answer->ok).value();
            }
        }
    }

private:
    std::string next_line()
    {
        std::string line;
        for (int c = 0; (c = std::fgetc(in_)) != '\n';) {
            if (c == EOF) {
                give_up("the worker ended");
            }
            line.push_back(static_cast<char>(c));
        }
        return line;
    }

    pid_t process_ = -1;
    std::FILE* out_ = nullptr;
    std::FILE* in_ = nullptr;
    std::int64_t id_ = 0;
};

protocol::Job small_job()
{
    using namespace protocol;
    Job job;
    Layer flatten{.kind = LayerKind::flatten, .name = "flatten1", .input = {28, 28, 1}, .output = {784}};
    Layer dense{.kind = LayerKind::dense, .name = "dense1", .input = {784}, .output = {10}};
    job.network = {"one_dense", "dense", {28, 28, 1}, 10, {flatten, dense}};
    job.batch = kBatch;
    return job;
}

void measure(const char* program, const std::string& folder)
{
    using namespace protocol;
    const std::vector<float> zeros(784 * 10);
    sdk::write_npy<float>(folder + "/kernel.npy", {784, 10}, zeros);
    sdk::write_npy<float>(folder + "/bias.npy", {10}, std::span(zeros).first(10));
    sdk::write_npy<std::int32_t>(folder + "/labels.npy", {kImages}, std::vector<std::int32_t>(kImages));
    sdk::write_npy<std::uint8_t>(folder + "/images.npy", {kImages, 28, 28, 1},
                                 std::vector<std::uint8_t>(kImages * 784));
    std::vector<std::int64_t> order(kSteps * kBatch);
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = static_cast<std::int64_t>(i * 7919 % kImages);
    }
    sdk::write_npy<std::int64_t>(folder + "/order.npy", {kSteps * kBatch}, order);

    Worker worker(program);
    worker.call(HelloRequest{kVersion, "overhead"});
    worker.call(BuildRequest{small_job(), {}});
    worker.call(DataRequest{folder + "/images.npy", folder + "/labels.npy", folder + "/images.npy"});
    for (int round = 0; round < kRounds; ++round) {
        worker.call(WeightsInRequest{
            {{"dense1.kernel", folder + "/kernel.npy"}, {"dense1.bias", folder + "/bias.npy"}}});
        TrainRequest request;
        request.epochs = 1;
        request.orders = {folder + "/order.npy"};
        request.stamps = folder + "/stamps.npy";
        request.silence_ms = 10'000;
        const TrainReply reply = worker.call(request);
        const sdk::NpyView<std::int64_t> stamps(reply.stamps);
        std::vector<std::int64_t> inside;
        for (std::size_t i = 0; i < stamps.values().size(); i += 2) {
            inside.push_back(stamps.values()[i + 1] - stamps.values()[i]);
        }
        std::nth_element(inside.begin(), inside.begin() + kSteps / 2, inside.end());
        const Epoch& epoch = reply.epochs.front();
        std::printf(
            "%lld steps: %.3f us between the stamps of a step (median), %.3f us a step over the epoch\n",
            static_cast<long long>(epoch.steps), static_cast<double>(inside[kSteps / 2]) / 1e3,
            static_cast<double>(epoch.end - epoch.begin) / 1e3 / static_cast<double>(epoch.steps));
    }
    worker.call(ShutdownRequest{});
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 2) {
        give_up("name the worker's program, e.g. build/dev/workers/null/lockstep_worker_null");
    }
    std::string folder = (std::filesystem::temp_directory_path() / "lockstep_overhead_XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) {
        give_up("no temporary folder could be made");
    }
    measure(argv[1], folder);
    std::filesystem::remove_all(folder);
    return 0;
}
