// One sentence for whatever is not offered: it becomes the reason why a run is skipped.
#include "workers/sdk/cpp/abilities.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "workers/sdk/cpp/faults.hpp"

namespace lockstep::sdk {
namespace {

using protocol::Json;

const Json* text_at(const Json& object, const char* key)
{
    const auto found = object.is_object() ? object.find(key) : object.end();
    return found == object.end() || !found->is_string() ? nullptr : &*found;
}

bool offers(const std::vector<std::string>& offered, const std::string& wanted)
{
    return std::find(offered.begin(), offered.end(), wanted) != offered.end();
}

void require(const Identity& identity, const std::vector<std::string>& offered, const Json* wanted,
             const char* noun)
{
    if (wanted != nullptr && !offers(offered, wanted->get_ref<const std::string&>())) {
        throw Unsupported(identity.name + " does not offer the " + noun + " \"" + wanted->get<std::string>() +
                          "\"");
    }
}

Json member(const Json& object, const char* key)
{
    return object.is_object() && object.contains(key) ? object[key] : Json();
}

}  // namespace

void require_abilities(const Identity& identity, const Json& build)
{
    for (const Json& layer : member(member(build, "network"), "layers")) {
        const Json* kind = text_at(layer, "kind");
        const Json* name = text_at(layer, "name");
        if (kind != nullptr && !offers(identity.layers, kind->get_ref<const std::string&>())) {
            throw UnsupportedLayer(
                identity.name + " does not offer the layer kind \"" + kind->get<std::string>() + "\"",
                name == nullptr ? std::string() : name->get<std::string>());
        }
    }
    require(identity, identity.optimizers, text_at(member(build, "optimizer"), "kind"), "optimizer");
    require(identity, identity.devices, text_at(member(build, "device"), "kind"), "device");
    require(identity, identity.precisions, text_at(build, "precision"), "precision");
    require(identity, identity.inputs, text_at(build, "input"), "input mode");
    const Json options = member(build, "options");
    if (options.is_object()) {
        for (const auto& [option, value] : options.items()) {
            const Json name(option);
            require(identity, identity.options, &name, "option");
        }
    }
}

}  // namespace lockstep::sdk
