// Parsing a model file and giving every layer its shapes.
#include "harness/spec/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "harness/base/atomic_file.hpp"
#include "harness/base/nearest_word.hpp"
#include "harness/base/toml_table.hpp"

namespace lockstep::spec {
namespace {

using protocol::Activation;
using protocol::Layer;
using protocol::LayerKind;
using protocol::Padding;

constexpr std::int64_t kMost = 1 << 20;  // of filters and units; far above any that fits in memory

struct KindName {
    LayerKind kind;
    const char* word;    // in the file
    const char* prefix;  // of a name that the file does not give
};
constexpr std::array<KindName, 5> kKinds{{{LayerKind::convolution, "convolution", "conv"},
                                          {LayerKind::max_pool, "max_pool", "pool"},
                                          {LayerKind::flatten, "flatten", "flatten"},
                                          {LayerKind::dense, "dense", "dense"},
                                          {LayerKind::dropout, "dropout", "dropout"}}};

void read_kernel(TomlTable& table, LayerSpec& layer)
{
    std::vector<std::int64_t> kernel{3, 3};
    table.require("kernel");
    table.integers("kernel", kernel);
    const auto odd = [](std::int64_t side) { return side >= 1 && side <= 31 && side % 2 == 1; };
    if (kernel.size() != 2 || !odd(kernel[0]) || !odd(kernel[1])) {
        table.complain("kernel", "a kernel has two odd sides from 1 to 31", "Write it as kernel = [3, 3].");
        return;
    }
    layer.kernel_height = kernel[0];
    layer.kernel_width = kernel[1];
}

void read_activation(TomlTable& table, LayerSpec& layer, bool dense)
{
    std::string activation = "none";
    const std::vector<std::string> known = dense ? std::vector<std::string>{"relu", "none", "softmax"}
                                                 : std::vector<std::string>{"relu", "none"};
    table.choice("activation", activation, known);
    layer.activation = activation == "relu" ? Activation::relu : Activation::none;
}

// The number of units, or the word "classes".
void read_units(TomlTable& table, LayerSpec& layer)
{
    table.require("units");
    std::int64_t units = 0;
    if (table.holds_text("units")) {
        std::string text;
        const std::array<std::string, 1> known{"classes"};
        table.choice("units", text, known);
        return;
    }
    table.integer("units", units, 1, kMost);
    layer.units = units;
}

Result<LayerSpec> read_layer(TomlTable& table, Padding padding)
{
    LayerSpec layer;
    layer.padding = padding;
    std::vector<std::string> words;
    for (const KindName& kind : kKinds) {
        words.emplace_back(kind.word);
    }
    std::string kind;
    table.require("kind");
    table.choice("kind", kind, words);
    const auto known = std::find(words.begin(), words.end(), kind);
    if (known == words.end()) {
        const Result<void> problem = table.finish();
        return tl::unexpected(problem ? Error{"A layer has no kind.", "Add a line kind = ..."}
                                      : problem.error());
    }
    layer.kind = kKinds[static_cast<std::size_t>(known - words.begin())].kind;
    table.text("name", layer.name);
    switch (layer.kind) {
        case LayerKind::convolution:
            read_kernel(table, layer);
            table.require("filters");
            table.integer("filters", layer.filters, 1, kMost);
            read_activation(table, layer, false);
            break;
        case LayerKind::max_pool:
            table.require("window");
            table.integer("window", layer.window, 2, 16);
            break;
        case LayerKind::dense:
            read_units(table, layer);
            read_activation(table, layer, true);
            break;
        case LayerKind::dropout:
            table.require("rate");
            table.number("rate", layer.rate, 0.0, 0.95);
            break;
        case LayerKind::flatten:
            break;
    }
    if (const Result<void> sound = table.finish(); !sound) {
        return tl::unexpected(sound.error());
    }
    return layer;
}

// Names that the file leaves out: kind and number. Names become file names, so they are plain words.
Result<void> name_layers(ModelFile& model, const std::string& source)
{
    std::map<LayerKind, int> counts;
    std::set<std::string> used;
    for (LayerSpec& layer : model.layers) {
        const int number = ++counts[layer.kind];
        if (layer.name.empty()) {
            layer.name = fmt::format("{}{}", kKinds[static_cast<std::size_t>(layer.kind)].prefix, number);
        }
        const bool plain = std::all_of(layer.name.begin(), layer.name.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        });
        if (!plain || !used.insert(layer.name).second) {
            return fail(
                fmt::format("{}: \"{}\" cannot be a layer's name, or is one already.", source, layer.name),
                "Give each layer a name of its own, of letters, digits and underscores.");
        }
    }
    return {};
}

tl::unexpected<Error> does_not_fit(const ModelFile& model, const LayerSpec& layer, std::string why,
                                   std::string remedy)
{
    return fail(fmt::format("{}, layer {}: {}.", model.short_name, layer.name, why), std::move(remedy));
}

Result<void> resolve_image_layer(const ModelFile& model, const LayerSpec& spec, Layer& layer)
{
    if (layer.input.size() != 3) {
        return does_not_fit(model, spec, "it needs images, but the layer before it gives a vector",
                            "Put convolutions and pools before flatten.");
    }
    std::int64_t height = layer.input[0];
    std::int64_t width = layer.input[1];
    std::int64_t channels = layer.input[2];
    if (layer.kind == LayerKind::convolution) {
        channels = spec.filters;
        if (spec.padding == Padding::valid) {
            height -= spec.kernel_height - 1;
            width -= spec.kernel_width - 1;
        }
    } else {
        height /= spec.window;
        width /= spec.window;
    }
    if (height < 1 || width < 1) {
        return does_not_fit(
            model, spec, fmt::format("nothing is left of an image of {}x{}", layer.input[0], layer.input[1]),
            "Use larger images (--size), or a model with fewer pools.");
    }
    layer.output = {height, width, channels};
    return {};
}

}  // namespace

Result<ModelFile> open_model(const std::filesystem::path& path)
{
    return read_file(path).and_then(
        [&](const std::string& text) { return parse_model(text, path.string()); });
}

Result<ModelFile> parse_model(const std::string& text, const std::string& source,
                              const std::optional<std::string>& override_padding)
{
    Result<TomlTable> table = TomlTable::parse(text, source);
    if (!table) {
        return tl::unexpected(table.error());
    }
    ModelFile model;
    model.text = text;
    table->require("id");
    table->text("id", model.id);
    table->text("short", model.short_name);
    std::string padding = "same";
    const std::array<std::string, 2> paddings{"same", "valid"};
    table->choice("padding", padding, paddings);
    padding = override_padding.value_or(padding);
    table->require("layer");
    std::vector<TomlTable> layers = table->tables("layer");
    if (const Result<void> sound = table->finish(); !sound) {
        return tl::unexpected(sound.error());
    }
    const bool plain =
        !model.id.empty() && model.id.find_first_of("/\\ ,\"\n") == std::string::npos && model.id[0] != '.';
    if (!plain) {
        return fail(fmt::format("{}: \"{}\" cannot be a model's id.", source, model.id),
                    "Use letters, digits and underscores: it becomes a file's name.");
    }
    if (model.short_name.empty()) {
        model.short_name = model.id;
    }
    for (TomlTable& entry : layers) {
        const Result<LayerSpec> layer =
            read_layer(entry, padding == "valid" ? Padding::valid : Padding::same);
        if (!layer) {
            return tl::unexpected(layer.error());
        }
        model.layers.push_back(*layer);
    }
    if (const Result<void> named = name_layers(model, source); !named) {
        return tl::unexpected(named.error());
    }
    return model;
}

Result<ModelFile> find_model(const std::string& name, const std::vector<std::filesystem::path>& folders,
                             const std::optional<std::string>& padding)
{
    const auto with_padding = [&](const std::filesystem::path& path) {
        return read_file(path).and_then(
            [&](const std::string& text) { return parse_model(text, path.string(), padding); });
    };
    if (name.find('/') != std::string::npos || name.ends_with(".toml")) {
        return with_padding(name);
    }
    std::vector<std::string> known;
    for (const std::filesystem::path& folder : folders) {
        std::error_code ignored;
        for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
            if (entry.path().extension() != ".toml") {
                continue;
            }
            const Result<ModelFile> model = with_padding(entry.path());
            if (!model) {
                return model;
            }
            if (name == model->short_name || name == model->id) {
                return model;
            }
            known.push_back(model->short_name);
        }
    }
    std::sort(known.begin(), known.end());
    const auto near = nearest_word(name, known);
    return fail(fmt::format("There is no model \"{}\".", name),
                fmt::format("{}Known are {}; a model file of your own is given by its path.",
                            near ? fmt::format("Did you mean {}? ", *near) : "", join_words(known)));
}

Result<protocol::Network> resolve(const ModelFile& model, std::int64_t height, std::int64_t width,
                                  std::int64_t channels, std::int64_t classes)
{
    protocol::Network network{model.id, model.short_name, {height, width, channels}, classes, {}};
    std::vector<std::int64_t> shape = network.input;
    for (const LayerSpec& spec : model.layers) {
        Layer layer;
        layer.kind = spec.kind;
        layer.name = spec.name;
        layer.input = shape;
        layer.output = shape;
        layer.kernel_height = spec.kernel_height;
        layer.kernel_width = spec.kernel_width;
        layer.padding = spec.padding;
        layer.window = spec.window;
        layer.rate = spec.rate;
        layer.activation = spec.activation;
        if (spec.kind == LayerKind::convolution || spec.kind == LayerKind::max_pool) {
            if (const Result<void> fits = resolve_image_layer(model, spec, layer); !fits) {
                return tl::unexpected(fits.error());
            }
        } else if (spec.kind == LayerKind::flatten) {
            layer.output = {shape.size() == 3 ? shape[0] * shape[1] * shape[2] : shape[0]};
        } else if (spec.kind == LayerKind::dense) {
            if (shape.size() != 1) {
                return does_not_fit(model, spec, "a dense layer needs a vector",
                                    "Put a flatten layer before it.");
            }
            layer.output = {spec.units.value_or(classes)};
        }
        shape = layer.output;
        network.layers.push_back(layer);
    }
    if (network.layers.empty() || network.layers.back().kind != LayerKind::dense ||
        network.layers.back().activation != Activation::none || shape != std::vector<std::int64_t>{classes}) {
        return fail(
            fmt::format(
                "{} does not end in a dense softmax layer with one output for each of the {} classes.",
                model.short_name, classes),
            "End the model file with kind = \"dense\", units = \"classes\", activation = \"softmax\".");
    }
    return network;
}

}  // namespace lockstep::spec
