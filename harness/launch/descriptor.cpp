// See the header.
#include "harness/launch/descriptor.hpp"

#include <unistd.h>

namespace lockstep::launch {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept
{
    if (this != &other) {
        close();
        fd_ = other.release();
    }
    return *this;
}

void Descriptor::close()
{
    if (fd_ >= 0) {
        ::close(fd_);
        fd_ = -1;
    }
}

}  // namespace lockstep::launch
