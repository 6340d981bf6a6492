// LMDB databases of Datum records, as several image tools write them: key order is image order, each value
// a protocol-buffer message with channels, height, width, data (bytes, channel by channel) and label.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "harness/data/image_source.hpp"

namespace lockstep::data {

// Reads the environment in a folder (data.mdb). Images of three channels are stored blue first by custom
// and are delivered red first. Encoded images (PNG, JPEG) are decoded.
class LmdbFile : public ImageSource {
public:
    // Fails when the folder has no readable environment, no record, or a first record that is no Datum of
    // bytes.
    static Result<std::unique_ptr<LmdbFile>> open(const std::string& folder);
    ~LmdbFile() override;

    ImageShape shape() const override;  // of the first record
    bool has_labels() const override { return true; }
    Result<bool> next(std::span<std::uint8_t> pixels, SourceLabel& label) override;
    std::string digest() const override;

private:
    struct State;
    explicit LmdbFile(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace lockstep::data
