// A network as both sides of the border see it: a resolved list of layers with every shape filled in.
// Shapes are height x width x channels for images and a single number for vectors, without the batch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::protocol {

enum class LayerKind { convolution, max_pool, flatten, dense, dropout };
enum class Padding { same, valid };
enum class Activation { none, relu };

// One layer. Fields that its kind does not use keep their defaults.
struct Layer {
    LayerKind kind = LayerKind::flatten;
    std::string name;                 // unique in its network: conv1, pool1, dense2 ...
    std::vector<std::int64_t> input;  // {height, width, channels} or {features}
    std::vector<std::int64_t> output;
    std::int64_t kernel_height = 0;  // convolution; odd, stride is 1
    std::int64_t kernel_width = 0;
    Padding padding = Padding::same;           // convolution; same = (kernel-1)/2 zeros on each side
    std::int64_t window = 0;                   // max_pool: side and stride; floor rounding, no padding
    double rate = 0.0;                         // dropout: share of inputs set to zero in training
    Activation activation = Activation::none;  // convolution and dense; the last dense layer has none,
                                               // since its softmax belongs to the loss
    bool has_parameters() const { return kind == LayerKind::convolution || kind == LayerKind::dense; }
};

struct Network {
    std::string id;                   // folder, CSV and command line: cnn2d_2layer_full_connected_2layer
    std::string short_name;           // cnn2
    std::vector<std::int64_t> input;  // {height, width, channels}
    std::int64_t classes = 0;
    std::vector<Layer> layers;  // the last one is dense with `classes` outputs: the logits
};

// A parameter in canonical form: convolution kernels height x width x in x out (HWIO), dense kernels
// in x out, with features flattened in height, width, channel order; biases one value an output.
struct Parameter {
    std::string name;  // "<layer>.kernel" or "<layer>.bias"
    std::vector<std::int64_t> shape;
};

// Kernel before bias, layers in order.
std::vector<Parameter> parameters_of(const Network& network);
std::int64_t parameter_count(const Network& network);

}  // namespace lockstep::protocol
