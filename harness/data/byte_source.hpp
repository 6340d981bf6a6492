// A stream of bytes from a file, a pipe or standard input; gzip and zstd are unpacked on the way.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "harness/base/error.hpp"

namespace lockstep::data {

class ByteSource {
public:
    // `path` may be a pipe; "-" is standard input. Compression is known by the first bytes, not by the
    // name; files of several gzip members or zstd frames are read to their end. Fails when the file is
    // missing, unreadable or a folder.
    static Result<ByteSource> open(const std::string& path);
    ByteSource(ByteSource&&) noexcept;
    ByteSource& operator=(ByteSource&&) noexcept;
    ~ByteSource();

    const std::string& name() const;  // for messages: the path, or "standard input"

    // Fills `into` from the front and returns how many bytes it has now: fewer than its size only at the
    // end, 0 ever after. Fails on a read error and on a packed stream that is damaged or cut off.
    Result<std::size_t> read(std::span<char> into);

    // Of the bytes as stored, before unpacking. Requires: read() has returned 0.
    std::string digest() const;

private:
    struct State;
    explicit ByteSource(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

// The whole stream; `limit` bytes at most, fails beyond.
Result<std::string> read_all(ByteSource& source, std::size_t limit);

}  // namespace lockstep::data
