// An eventfd beside a flag: see the header.
#include "harness/launch/interrupt.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

namespace lockstep::launch {

Interrupt::Interrupt() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
{
    if (descriptor_ < 0) {
        std::abort();
    }
}

Interrupt::~Interrupt()
{
    ::close(descriptor_);
}

void Interrupt::raise() noexcept
{
    const int saved = errno;
    raised_.store(true, std::memory_order_release);
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(descriptor_, &one, sizeof one);
    errno = saved;
}

}  // namespace lockstep::launch
