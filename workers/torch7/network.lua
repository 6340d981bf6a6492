-- The network as an nn.Sequential, and the protocol's names of its parameters.
local network = {}

local function convolution(layer)
    local height, width = unpack(layer.kernel)
    local same = layer.padding == "same"
    -- Width before height; the padding of the height would else be that of the width.
    return nn.SpatialConvolution(layer.input[3], layer.filters, width, height, 1, 1,
                                 same and (width - 1) / 2 or 0, same and (height - 1) / 2 or 0)
end

local MAKERS = {
    convolution = convolution,
    max_pool = function(layer)
        return nn.SpatialMaxPooling(layer.window, layer.window, layer.window, layer.window) -- rounds down
    end,
    flatten = function(layer)
        return nn.View(-1, layer.output[1])
    end,
    dense = function(layer)
        return nn.Linear(layer.input[1], layer.units)
    end,
    dropout = function(layer, job)
        return nn.Dropout(job.dropout and layer.rate or 0)
    end,
}

-- The model, and its parts with parameters: { name = "conv1", module = ... } in order.
function network.sequential(described, job)
    local model, parts = nn.Sequential(), {}
    for _, layer in ipairs(described.layers) do
        local module = MAKERS[layer.kind](layer, job)
        model:add(module)
        if module.weight then
            parts[#parts + 1] = { name = layer.name, module = module }
        end
        if layer.activation == "relu" then
            model:add(nn.ReLU(true))
        end
    end
    return model, parts
end

-- Pointers to float32 by the protocol's name: the weights and biases, or with "gradWeight", "gradBias" what
-- was found for them.
function network.pointers(parts, weight, bias)
    local found = {}
    for _, part in ipairs(parts) do
        found[part.name .. ".kernel"] = part.module[weight or "weight"]:data()
        found[part.name .. ".bias"] = part.module[bias or "bias"]:data()
    end
    return found
end

return network
