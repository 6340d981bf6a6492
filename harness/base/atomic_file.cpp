// Write aside, rename: see the header.
#include "harness/base/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace lockstep {
namespace {

Error write_error(const std::filesystem::path& target)
{
    const int code = errno;
    const char* remedy = code == ENOSPC || code == EDQUOT
                             ? "Free some disk space, then run the same command again."
                             : "Check that the folder exists and that you may write to it.";
    return {fmt::format("{} cannot be written: {}.", target.string(), std::strerror(code)), remedy};
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path target, std::filesystem::path aside, int fd)
    : target_(std::move(target)), aside_(std::move(aside)), fd_(fd)
{
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : target_(std::move(other.target_)), aside_(std::move(other.aside_)), fd_(std::exchange(other.fd_, -1))
{
}

AtomicFile::~AtomicFile()
{
    if (fd_ >= 0) {
        ::close(fd_);
        ::unlink(aside_.c_str());
    }
}

Result<AtomicFile> AtomicFile::create(const std::filesystem::path& target)
{
    static std::atomic<unsigned> counter{0};
    std::filesystem::path aside = target;
    aside += fmt::format(".part-{}-{}", ::getpid(), counter++);
    const int fd = ::open(aside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0) {
        return tl::unexpected(write_error(target));
    }
    return AtomicFile(target, aside, fd);
}

Result<void> AtomicFile::write(const void* bytes, std::size_t size)
{
    const char* at = static_cast<const char*>(bytes);
    while (size > 0) {
        const ssize_t written = ::write(fd_, at, size);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return tl::unexpected(write_error(target_));
        }
        at += written;
        size -= static_cast<std::size_t>(written);
    }
    return {};
}

Result<void> AtomicFile::commit(Flush flush)
{
    const int fd = std::exchange(fd_, -1);
    const bool flushed = flush == Flush::no || ::fsync(fd) == 0 || errno == EINVAL;
    const bool closed = ::close(fd) == 0;
    if (!flushed || !closed || ::rename(aside_.c_str(), target_.c_str()) != 0) {
        const Error error = write_error(target_);
        ::unlink(aside_.c_str());
        return tl::unexpected(error);
    }
    return {};
}

Result<void> write_file(const std::filesystem::path& target, std::string_view text, Flush flush)
{
    Result<AtomicFile> file = AtomicFile::create(target);
    if (!file) {
        return tl::unexpected(file.error());
    }
    return file->write(text).and_then([&] { return file->commit(flush); });
}

Result<std::string> read_file(const std::filesystem::path& path)
{
    std::ifstream in(path, std::ios::binary);
    if (!in || std::filesystem::is_directory(path)) {
        return fail(fmt::format("{} cannot be read.", path.string()),
                    "Check that the file exists and that you may read it.");
    }
    return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace lockstep
