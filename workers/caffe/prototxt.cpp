// Written as text, since text is what a Caffe user reads and compares.
#include "workers/caffe/prototxt.hpp"

#include <limits>
#include <sstream>
#include <vector>

namespace lockstep::caffe_worker {
namespace {

using protocol::Layer;
using protocol::LayerKind;

// As many digits as a float needs to come back the same.
std::ostringstream text()
{
    std::ostringstream out;
    out.precision(std::numeric_limits<double>::max_digits10);
    return out;
}

std::string shape_of(std::int64_t batch, const std::vector<std::int64_t>& image)
{
    std::ostringstream out = text();
    out << "shape { dim: " << batch << " dim: " << image[2] << " dim: " << image[0] << " dim: " << image[1]
        << " }";
    return out.str();
}

std::string layer(const std::string& name, const char* type, const std::string& bottom,
                  const std::string& top, const std::string& rest)
{
    return "layer { name: \"" + name + "\" type: \"" + type + "\" bottom: \"" + bottom + "\" top: \"" + top +
           "\" " + rest + "}\n";
}

std::string convolution(const Layer& what, const std::string& bottom)
{
    const bool same = what.padding == protocol::Padding::same;
    std::ostringstream out = text();
    out << "convolution_param { num_output: " << what.output[2] << " kernel_h: " << what.kernel_height
        << " kernel_w: " << what.kernel_width << " pad_h: " << (same ? (what.kernel_height - 1) / 2 : 0)
        << " pad_w: " << (same ? (what.kernel_width - 1) / 2 : 0) << " } ";
    return layer(what.name, "Convolution", bottom, what.name, out.str());
}

// Caffe rounds up and has no other way; where that makes a row or column too many, a Crop against an input
// of the right size takes it off again.
std::string pooling(const Layer& what, const std::string& bottom)
{
    const bool exact = what.input[0] % what.window == 0 && what.input[1] % what.window == 0;
    const std::string window = std::to_string(what.window);
    const std::string top = exact ? what.name : what.name + "_ceil";
    std::string out =
        layer(top, "Pooling", bottom, top,
              "pooling_param { pool: MAX kernel_size: " + window + " stride: " + window + " } ");
    if (!exact) {
        const std::string size = what.name + "_size";
        out += "layer { name: \"" + size + "\" type: \"Input\" top: \"" + size + "\" input_param { " +
               shape_of(1, what.output) + " } }\n";
        out += layer(what.name, "Crop", top, what.name, "bottom: \"" + size + "\" crop_param { axis: 2 } ");
    }
    return out;
}

std::string one_layer(const Layer& what, const std::string& bottom)
{
    switch (what.kind) {
        case LayerKind::convolution:
            return convolution(what, bottom);
        case LayerKind::max_pool:
            return pooling(what, bottom);
        case LayerKind::flatten:
            return layer(what.name, "Flatten", bottom, what.name, "");
        case LayerKind::dense:
            return layer(what.name, "InnerProduct", bottom, what.name,
                         "inner_product_param { num_output: " + std::to_string(what.output[0]) + " } ");
        case LayerKind::dropout: {
            std::ostringstream out = text();
            out << "dropout_param { dropout_ratio: " << what.rate << " } ";
            return layer(what.name, "Dropout", bottom, bottom, out.str());
        }
    }
    return {};
}

}  // namespace

std::string source_layers(const protocol::Network& network, const Source& source)
{
    const std::vector<std::int64_t>& image = network.input;
    std::ostringstream out = text();
    switch (source.kind) {
        case Source::Kind::memory:
            out << "layer { name: \"data\" type: \"MemoryData\" top: \"data\" top: \"label\" "
                   "memory_data_param {"
                << " batch_size: " << source.batch << " channels: " << image[2] << " height: " << image[0]
                << " width: " << image[1] << " } }\n";
            break;
        case Source::Kind::database:
            out << "layer { name: \"data\" type: \"Data\" top: \"data\" top: \"label\" data_param { source: "
                   "\""
                << source.database << "\" backend: LMDB batch_size: " << source.batch
                << " } transform_param { scale: " << source.scale << " } }\n";
            break;
        case Source::Kind::input:
            out << "layer { name: \"data\" type: \"Input\" top: \"data\" input_param { "
                << shape_of(source.batch, image) << " } }\n";
            break;
    }
    return out.str();
}

std::string net_prototxt(const protocol::Network& network, const Source& source, bool dropout)
{
    std::string out = "name: \"" + network.short_name + "\"\n" + source_layers(network, source);
    std::string bottom = "data";
    for (const Layer& what : network.layers) {
        if (what.kind == LayerKind::dropout) {
            out += dropout ? one_layer(what, bottom) : "";
            continue;
        }
        out += one_layer(what, bottom);
        bottom = what.name;
        if (what.activation == protocol::Activation::relu) {
            out += layer(what.name + "_relu", "ReLU", bottom, bottom, "");
        }
    }
    if (source.kind != Source::Kind::input) {
        out += layer("loss", "SoftmaxWithLoss", bottom, "loss", "bottom: \"label\" ");
    }
    return out;
}

std::string solver_prototxt(const protocol::Job& job, std::int64_t iter_size)
{
    const protocol::Optimizer& optimizer = job.optimizer;
    std::ostringstream out = text();
    if (optimizer.kind == "adam") {
        out << "type: \"Adam\" momentum: " << optimizer.beta1 << " momentum2: " << optimizer.beta2
            << " delta: " << optimizer.epsilon;
    } else {
        out << "type: \"SGD\" momentum: " << optimizer.momentum;
    }
    // Steps are asked for one by one: no display, test or snapshot of the solver's own lies between them.
    out << " base_lr: " << optimizer.learning_rate << " lr_policy: \"fixed\" iter_size: " << iter_size
        << " average_loss: 1 display: 0 snapshot: 0 max_iter: " << std::numeric_limits<std::int32_t>::max()
        << " solver_mode: CPU random_seed: " << job.seed % std::numeric_limits<std::int32_t>::max();
    return out.str();
}

}  // namespace lockstep::caffe_worker
