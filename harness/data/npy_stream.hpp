// A .npy file whose first dimension is known only at its end: values are streamed, then the header set.
#pragma once

#include <filesystem>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/base/npy_file.hpp"

namespace lockstep::data {

class NpyStream {
public:
    // `item` is the shape without the first dimension. The file is written in place, so give a folder
    // that nobody reads yet. Fails when the file cannot be made.
    static Result<NpyStream> create(const std::filesystem::path& path, NpyType type, Shape item);
    NpyStream(NpyStream&& other) noexcept;
    NpyStream& operator=(NpyStream&& other) noexcept;
    ~NpyStream();

    // One item. Requires: bytes is exactly one item's. Fails on a full disk.
    Result<void> add(const void* item);
    std::int64_t count() const { return count_; }

    // Writes what is left and the header. Nothing may be added afterwards.
    Result<void> finish();

private:
    NpyStream(std::filesystem::path path, int fd, NpyType type, Shape item);
    Result<void> flush();
    Error write_error() const;

    std::filesystem::path path_;
    int fd_ = -1;
    NpyType type_ = NpyType::u8;
    Shape item_;
    std::size_t item_bytes_ = 0;
    std::int64_t count_ = 0;
    std::vector<char> buffer_;
    std::size_t used_ = 0;
};

}  // namespace lockstep::data
