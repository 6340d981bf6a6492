// Writing an LMDB database of uncompressed Datum records.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "harness/base/error.hpp"
#include "harness/data/image_size.hpp"

namespace lockstep::data {

class LmdbWriter {
public:
    // Makes the folder. `images` is how many will be added at most; it sets the size of the map. Fails when
    // the folder cannot be made.
    static Result<LmdbWriter> create(const std::filesystem::path& folder, const ImageShape& shape,
                                     std::int64_t images);
    LmdbWriter(LmdbWriter&&) noexcept;
    LmdbWriter& operator=(LmdbWriter&&) noexcept;
    ~LmdbWriter();

    // Requires: pixels in HWC order. Keys count up from 00000000.
    Result<void> add(std::span<const std::uint8_t> pixels, std::int32_t label);
    Result<void> finish();

private:
    struct State;
    explicit LmdbWriter(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace lockstep::data
