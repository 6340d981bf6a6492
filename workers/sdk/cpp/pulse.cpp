// Events are formatted into a buffer on the stack: the allocator stays as the framework left it.
#include "workers/sdk/cpp/pulse.hpp"

#include <array>
#include <cstddef>
#include <cstdio>
#include <string_view>

namespace lockstep::sdk {

void Pulse::send_progress(std::int64_t at, std::int64_t done, std::int64_t of, std::int64_t epoch)
{
    std::array<char, 160> line;
    const int length = std::snprintf(
        line.data(), line.size(), "{\"event\":\"progress\",\"done\":%lld,\"of\":%lld,\"epoch\":%lld}\n",
        static_cast<long long>(done), static_cast<long long>(of), static_cast<long long>(epoch));
    channel_.check_alive();
    channel_.send(std::string_view(line.data(), static_cast<std::size_t>(length)));
    last_ = at;
}

void Pulse::send_alive(std::int64_t at)
{
    channel_.check_alive();
    channel_.send("{\"event\":\"alive\"}\n");
    last_ = at;
}

}  // namespace lockstep::sdk
