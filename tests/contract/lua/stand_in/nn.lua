-- A stand-in for nn: shapes and types are checked as Torch7 does, outputs are NaN.
require("torch")

nn = {}
local NAN = 0 / 0

local function class(make)
    local this = {}
    this.__index = this
    return this, function(...)
        return setmetatable(make(...), this)
    end
end

local function with_parameters(module, weight, bias)
    module.weight, module.gradWeight = torch.Tensor(unpack(weight)), torch.Tensor(unpack(weight))
    module.bias, module.gradBias = torch.Tensor(bias), torch.Tensor(bias)
    module.gradInput = torch.Tensor(1)
    return module
end

local Convolution, Linear, View, Sequential, Criterion
Convolution, nn.SpatialConvolution = class(function(inputs, outputs, kW, kH, dW, dH, padW, padH)
    assert(dW == 1 and dH == 1 and padW % 1 == 0 and padH % 1 == 0, "strides and paddings are whole numbers")
    return with_parameters({ inputs = inputs, kW = kW, kH = kH }, { outputs, inputs, kH, kW }, outputs)
end)

function Convolution:take(input)
    assert(input.kind == "Float" and input:size(2) == self.inputs, "a convolution wants float, channels first")
end

Linear, nn.Linear = class(function(inputs, outputs)
    return with_parameters({}, { outputs, inputs }, outputs)
end)
View, nn.View = class(function(count, size)
    assert(count == -1 and size > 0, "a view of a batch begins with -1")
    return {}
end)
local Plain
Plain, nn.SpatialMaxPooling = class(function(kW, kH, dW, dH)
    assert(kW == dW and kH == dH, "the stride is the window")
    return {}
end)
Plain, nn.ReLU = class(function() return {} end)
Plain, nn.Dropout = class(function(rate)
    assert(rate >= 0 and rate < 1, "illegal percentage, must be 0 <= p < 1")
    return {}
end)

Sequential, nn.Sequential = class(function()
    return { modules = {} }
end)

function Sequential:add(module)
    table.insert(self.modules, module)
end

function Sequential:get(place)
    return self.modules[place]
end

function Sequential:getParameters()
    assert(not self.flat, "getParameters() is called once")
    local count = 0
    for _, module in ipairs(self.modules) do
        count = count + (module.weight and module.weight:nElement() + module.bias:nElement() or 0)
    end
    self.flat, self.found = torch.FloatTensor(count), torch.FloatTensor(count)
    local offset = 0
    for _, module in ipairs(self.modules) do
        for value, gradient in pairs(module.weight and { weight = "gradWeight", bias = "gradBias" } or {}) do
            module[value].storage, module[value].offset = self.flat.storage, offset
            module[gradient].storage, module[gradient].offset = self.found.storage, offset
            offset = offset + module[value]:nElement()
        end
    end
    return self.flat, self.found
end

function Sequential:forward(input)
    self.modules[1]:take(input)
    local last
    for _, module in ipairs(self.modules) do
        last = module.weight or last
    end
    self.output = torch.FloatTensor(input:size(1), last:size(1)):fill(NAN)
    return self.output
end

function Sequential:backward(input, above)
    assert(self.output and above, "backward before forward")
    assert(self.modules[1].gradInput == nil, "the first layer's gradInput is to be nil")
    self.found:fill(NAN)
end

function Sequential:evaluate() end
function Sequential:training() end

Criterion, nn.CrossEntropyCriterion = class(function()
    return {}
end)

function Criterion:forward(logits, labels)
    assert(labels:nElement() == logits:size(1), "one label an image")
    for place = 0, labels:nElement() - 1 do
        local label = tonumber(labels:data()[place])
        assert(label >= 1 and label <= logits:size(2), "Assertion `cur_target >= 0 && cur_target < n_classes' failed")
    end
    return NAN
end

function Criterion:backward(logits)
    return logits
end

return nn
