// Headers of these files all take 128 bytes (checked), so the place of the first value is known at once.
#include "harness/data/npy_stream.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace lockstep::data {
namespace {

constexpr std::size_t kHeaderBytes = 128;
constexpr std::size_t kBufferBytes = std::size_t{1} << 18;  // stays in the second-level cache until written

Error error_of(const std::filesystem::path& path)
{
    const int code = errno;
    const bool full = code == ENOSPC || code == EDQUOT || code == EFBIG;
    return {fmt::format("{} cannot be written: {}.", path.string(), std::strerror(code)),
            full ? "Free some disk space, then run the same command again; nothing was imported."
                 : "Check that the folder exists and that you may write to it."};
}

bool write_whole(int fd, const char* bytes, std::size_t size)
{
    while (size > 0) {
        const ssize_t written = ::write(fd, bytes, size);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return false;
        }
        bytes += written;
        size -= static_cast<std::size_t>(written);
    }
    return true;
}

}  // namespace

NpyStream::NpyStream(std::filesystem::path path, int fd, NpyType type, Shape item)
    : path_(std::move(path)),
      fd_(fd),
      type_(type),
      item_(std::move(item)),
      item_bytes_(static_cast<std::size_t>(elements_of(item_)) * bytes_of(type)),
      buffer_(std::max(kBufferBytes, kHeaderBytes)),
      used_(kHeaderBytes)
{
}

NpyStream::NpyStream(NpyStream&& other) noexcept
{
    *this = std::move(other);
}

NpyStream& NpyStream::operator=(NpyStream&& other) noexcept
{
    path_ = std::move(other.path_);
    std::swap(fd_, other.fd_);
    type_ = other.type_;
    item_ = std::move(other.item_);
    item_bytes_ = other.item_bytes_;
    count_ = other.count_;
    buffer_ = std::move(other.buffer_);
    used_ = other.used_;
    return *this;
}

NpyStream::~NpyStream()
{
    if (fd_ >= 0) {
        ::close(fd_);
    }
}

Error NpyStream::write_error() const
{
    return error_of(path_);
}

Result<NpyStream> NpyStream::create(const std::filesystem::path& path, NpyType type, Shape item)
{
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0) {
        return tl::unexpected(error_of(path));
    }
    return NpyStream(path, fd, type, std::move(item));
}

Result<void> NpyStream::flush()
{
    if (!write_whole(fd_, buffer_.data(), std::exchange(used_, 0))) {
        return tl::unexpected(write_error());
    }
    return {};
}

Result<void> NpyStream::add(const void* item)
{
    const char* bytes = static_cast<const char*>(item);
    std::size_t left = item_bytes_;
    while (left > 0) {
        if (used_ == buffer_.size()) {
            if (Result<void> flushed = flush(); !flushed) {
                return flushed;
            }
        }
        const std::size_t now = std::min(left, buffer_.size() - used_);
        std::memcpy(buffer_.data() + used_, bytes, now);
        used_ += now;
        bytes += now;
        left -= now;
    }
    ++count_;
    return {};
}

Result<void> NpyStream::finish()
{
    if (Result<void> flushed = flush(); !flushed) {
        return flushed;
    }
    Shape shape{count_};
    shape.insert(shape.end(), item_.begin(), item_.end());
    const std::string header = npy_header(type_, shape);
    if (header.size() != kHeaderBytes) {
        std::fputs("lockstep: a .npy header has another size than the stream left room for\n", stderr);
        std::abort();
    }
    const int fd = std::exchange(fd_, -1);
    const bool written = ::lseek(fd, 0, SEEK_SET) == 0 && write_whole(fd, header.data(), header.size());
    const int code = errno;
    const bool closed = ::close(fd) == 0;
    if (!written || !closed) {
        errno = written ? errno : code;
        return tl::unexpected(write_error());
    }
    return {};
}

}  // namespace lockstep::data
