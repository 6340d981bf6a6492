// Plain bytes go straight into the caller's buffer; packed ones pass through zlib or zstd.
#include "harness/data/byte_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "harness/base/digest.hpp"

namespace lockstep::data {
namespace {

constexpr std::string_view kGzip("\x1f\x8b", 2);            // RFC 1952, 2.3.1
constexpr std::string_view kZstd("\x28\xb5\x2f\xfd", 4);    // RFC 8878, 3.1.1
constexpr std::size_t kPackedBlock = std::size_t{1} << 17;  // zstd's own largest block

}  // namespace

struct ByteSource::State {
    enum class Packing { none, gzip, zstd };

    std::string name;
    int fd = -1;
    Digest digest;
    Packing packing = Packing::none;
    std::vector<char> raw;  // bytes as stored, not yet handed out or unpacked: [begin, end)
    std::size_t begin = 0;
    std::size_t end = 0;
    bool stored_all = false;  // the file's end was seen
    bool between = true;      // packed: no member or frame is open
    bool some = false;        // packed: at least one member or frame was finished
    z_stream inflater{};
    ZSTD_DStream* zstd = nullptr;

    ~State()
    {
        if (fd > 0) {
            ::close(fd);
        }
        if (packing == Packing::gzip) {
            ::inflateEnd(&inflater);
        }
        ::ZSTD_freeDStream(zstd);
    }

    // Reads until `into` is full or the file ends.
    Result<std::size_t> read_stored(char* into, std::size_t size)
    {
        std::size_t got = 0;
        while (got < size && !stored_all) {
            const ssize_t count = ::read(fd, into + got, size - got);
            if (count < 0 && errno == EINTR) {
                continue;
            }
            if (count < 0) {
                return fail(fmt::format("{} cannot be read to its end: {}.", name, std::strerror(errno)),
                            "Check the disk, or copy the file anew.");
            }
            stored_all = count == 0;
            digest.add(into + got, static_cast<std::size_t>(count));
            got += static_cast<std::size_t>(count);
        }
        return got;
    }

    tl::unexpected<Error> damaged(const char* how) const
    {
        return fail(
            fmt::format("{} is {} data that {}.", name, packing == Packing::gzip ? "gzip" : "zstd", how),
            "Copy or download the file anew; nothing was imported.");
    }

    Result<void> refill()
    {
        if (begin == end && !stored_all) {
            const Result<std::size_t> got = read_stored(raw.data(), raw.size());
            if (!got) {
                return tl::unexpected(got.error());
            }
            begin = 0;
            end = *got;
        }
        return {};
    }

    // One step of unpacking; advances both sides.
    Result<void> unpack(char*& out, std::size_t& room)
    {
        if (packing == Packing::gzip) {
            inflater.next_in = reinterpret_cast<Bytef*>(raw.data() + begin);
            inflater.avail_in = static_cast<uInt>(end - begin);
            inflater.next_out = reinterpret_cast<Bytef*>(out);
            inflater.avail_out = static_cast<uInt>(std::min<std::size_t>(room, 1u << 30));
            const uInt asked = inflater.avail_out;
            const int code = ::inflate(&inflater, Z_NO_FLUSH);
            begin = end - inflater.avail_in;
            out += asked - inflater.avail_out;
            room -= asked - inflater.avail_out;
            if (code == Z_STREAM_END) {
                between = some = true;
                ::inflateReset(&inflater);
            } else if (code != Z_OK && code != Z_BUF_ERROR) {
                return damaged("is damaged");
            }
            return {};
        }
        ZSTD_inBuffer in{raw.data() + begin, end - begin, 0};
        ZSTD_outBuffer to{out, room, 0};
        const std::size_t left = ::ZSTD_decompressStream(zstd, &to, &in);
        if (::ZSTD_isError(left) != 0) {
            return damaged("is damaged");
        }
        begin += in.pos;
        out += to.pos;
        room -= to.pos;
        if (left == 0) {
            between = some = true;
        }
        return {};
    }

    // Padding with zeros after a gzip stream is customary (tapes, block devices); anything else is not.
    bool only_zeros_left() const
    {
        return std::all_of(raw.begin() + static_cast<std::ptrdiff_t>(begin),
                           raw.begin() + static_cast<std::ptrdiff_t>(end),
                           [](char byte) { return byte == 0; });
    }

    Result<std::size_t> read_packed(char* into, std::size_t size)
    {
        char* out = into;
        std::size_t room = size;
        while (room > 0) {
            if (Result<void> filled = refill(); !filled) {
                return tl::unexpected(filled.error());
            }
            if (between && begin == end && stored_all) {
                break;
            }
            if (between && some && packing == Packing::gzip && only_zeros_left()) {
                begin = end;
                continue;
            }
            const std::size_t room_before = room;
            const bool input_gone = begin == end;
            between = between && input_gone;
            if (Result<void> step = unpack(out, room); !step) {
                return tl::unexpected(step.error());
            }
            if (input_gone && stored_all && room == room_before && !between) {
                return damaged("ends in the middle");
            }
        }
        return size - room;
    }
};

ByteSource::ByteSource(std::unique_ptr<State> state) : state_(std::move(state)) {}
ByteSource::ByteSource(ByteSource&&) noexcept = default;
ByteSource& ByteSource::operator=(ByteSource&&) noexcept = default;
ByteSource::~ByteSource() = default;

const std::string& ByteSource::name() const
{
    return state_->name;
}
std::string ByteSource::digest() const
{
    return state_->digest.hex();
}

Result<ByteSource> ByteSource::open(const std::string& path)
{
    auto state = std::make_unique<State>();
    state->name = path == "-" ? "standard input" : path;
    state->fd = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (state->fd < 0 || ::fstat(state->fd, &status) != 0) {
        return fail(fmt::format("{} cannot be read: {}.", path, std::strerror(errno)),
                    "Check that the file exists and that you may read it.");
    }
    if (S_ISDIR(status.st_mode)) {
        return fail(fmt::format("{} is a folder where a file is expected.", path), "Name the file in it.");
    }
    ::posix_fadvise(state->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    state->raw.resize(kPackedBlock);
    const Result<std::size_t> got = state->read_stored(state->raw.data(), kZstd.size());
    if (!got) {
        return tl::unexpected(got.error());
    }
    state->end = *got;
    const std::string_view magic(state->raw.data(), *got);
    if (magic.starts_with(kGzip)) {
        constexpr int kGzipOnly = 15 + 16;  // zlib's manual: the largest window, gzip wrapping
        if (::inflateInit2(&state->inflater, kGzipOnly) == Z_OK) {
            state->packing = State::Packing::gzip;
        }
    } else if (magic == kZstd) {
        state->zstd = ::ZSTD_createDStream();
        state->packing = State::Packing::zstd;
    }
    return ByteSource(std::move(state));
}

Result<std::size_t> ByteSource::read(std::span<char> into)
{
    State& state = *state_;
    if (state.packing != State::Packing::none) {
        return state.read_packed(into.data(), into.size());
    }
    const std::size_t first = std::min(into.size(), state.end - state.begin);
    std::copy_n(state.raw.data() + state.begin, first, into.data());
    state.begin += first;
    return state.read_stored(into.data() + first, into.size() - first).map([first](std::size_t got) {
        return first + got;
    });
}

Result<std::string> read_all(ByteSource& source, std::size_t limit)
{
    std::string text;
    while (true) {
        const std::size_t before = text.size();
        text.resize(std::min(limit + 1, std::max<std::size_t>(1 << 16, 2 * before)));
        const Result<std::size_t> got = source.read(std::span(text).subspan(before));
        if (!got) {
            return tl::unexpected(got.error());
        }
        text.resize(before + *got);
        if (text.size() > limit) {
            return fail(fmt::format("{} holds more than {} bytes.", source.name(), limit),
                        "Check that it is the right file.");
        }
        if (*got == 0) {
            return text;
        }
    }
}

}  // namespace lockstep::data
