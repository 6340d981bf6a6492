// A network as written once in models/: its layers without sizes, which come from the data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.hpp"
#include "protocol/network.hpp"

namespace lockstep::spec {

struct LayerSpec {
    protocol::LayerKind kind = protocol::LayerKind::flatten;
    std::string name;  // given, or kind and number: conv1, pool1, dense1
    std::int64_t kernel_height = 0;
    std::int64_t kernel_width = 0;
    std::int64_t filters = 0;
    std::int64_t window = 0;
    std::optional<std::int64_t> units;  // absent: the number of classes
    double rate = 0.0;
    protocol::Activation activation = protocol::Activation::none;
    protocol::Padding padding = protocol::Padding::same;
};

struct ModelFile {
    std::string id;
    std::string short_name;
    std::vector<LayerSpec> layers;
    std::string text;  // the file as read, for the record
};

Result<ModelFile> open_model(const std::filesystem::path& path);
// `text` as in a file named `source`. `padding`: "same" or "valid" overrides the file's own.
Result<ModelFile> parse_model(const std::string& text, const std::string& source,
                              const std::optional<std::string>& padding = {});

// The file for a name as people write it: a path, a short name or a long name, looked for in `folders`.
// An unknown name is an error that says the nearest known one.
Result<ModelFile> find_model(const std::string& name, const std::vector<std::filesystem::path>& folders,
                             const std::optional<std::string>& padding = {});

// Every shape filled in for images of height x width x channels and `classes` classes. Fails when an
// image is too small for a convolution or pool, when a layer does not fit the one before it, or when
// the last layer is not dense with one output a class.
Result<protocol::Network> resolve(const ModelFile& model, std::int64_t height, std::int64_t width,
                                  std::int64_t channels, std::int64_t classes);

}  // namespace lockstep::spec
