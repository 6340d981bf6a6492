// XXH3-128 by libxxhash.
#include "harness/base/digest.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <vector>

namespace lockstep {

struct Digest::State {
    XXH3_state_t* xxh = XXH3_createState();
    ~State() { XXH3_freeState(xxh); }
};

Digest::Digest() : state_(std::make_unique<State>())
{
    XXH3_128bits_reset(state_->xxh);
}
Digest::~Digest() = default;
Digest::Digest(Digest&&) noexcept = default;
Digest& Digest::operator=(Digest&&) noexcept = default;

void Digest::add(const void* bytes, std::size_t size)
{
    XXH3_128bits_update(state_->xxh, bytes, size);
}

std::string Digest::hex() const
{
    const XXH128_hash_t hash = XXH3_128bits_digest(state_->xxh);
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string digest_of(std::string_view text)
{
    Digest digest;
    digest.add(text);
    return digest.hex();
}

Result<std::string> digest_of_file(const std::filesystem::path& path)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return fail(fmt::format("{} cannot be read.", path.string()),
                    "Check that the file exists and that you may read it.");
    }
    Digest digest;
    std::vector<char> buffer(1 << 20);
    ssize_t got = 0;
    while ((got = ::read(fd, buffer.data(), buffer.size())) > 0) {
        digest.add(buffer.data(), static_cast<std::size_t>(got));
    }
    ::close(fd);
    if (got < 0) {
        return fail(fmt::format("{} cannot be read to its end.", path.string()),
                    "Check the disk, or copy the file anew.");
    }
    return digest.hex();
}

}  // namespace lockstep
