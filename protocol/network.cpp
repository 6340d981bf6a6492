// Which parameters a network has; the same list for the harness, the SDK and the engines.
#include "protocol/network.hpp"

#include <functional>
#include <numeric>

namespace lockstep::protocol {

std::vector<Parameter> parameters_of(const Network& network)
{
    std::vector<Parameter> all;
    for (const Layer& layer : network.layers) {
        if (!layer.has_parameters()) {
            continue;
        }
        const std::int64_t outputs = layer.output.back();
        if (layer.kind == LayerKind::convolution) {
            all.push_back({layer.name + ".kernel",
                           {layer.kernel_height, layer.kernel_width, layer.input.back(), outputs}});
        } else {
            all.push_back({layer.name + ".kernel", {layer.input.back(), outputs}});
        }
        all.push_back({layer.name + ".bias", {outputs}});
    }
    return all;
}

std::int64_t parameter_count(const Network& network)
{
    std::int64_t total = 0;
    for (const Parameter& parameter : parameters_of(network)) {
        total += std::accumulate(parameter.shape.begin(), parameter.shape.end(), std::int64_t{1},
                                 std::multiplies<>());
    }
    return total;
}

}  // namespace lockstep::protocol
