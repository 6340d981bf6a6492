-- The template's arithmetic: each layer as plain loops over float32, count x height x width x channels.
local ffi = require("ffi")

local layers = {}

local function room(count)
    return ffi.new("float[?]", count)
end

local function product(shape)
    local count = 1
    for _, side in ipairs(shape) do
        count = count * side
    end
    return count
end

local function clear(values, count)
    ffi.fill(values, count * ffi.sizeof("float"))
end

local function rectify(layer, count)
    if layer.relu then
        for place = 0, count - 1 do
            layer.output[place] = math.max(layer.output[place], 0)
        end
    end
end

-- The gradient before the rectifier: zero where nothing passed.
local function unrectify(layer, above, count)
    if layer.relu then
        for place = 0, count - 1 do
            above[place] = layer.output[place] > 0 and above[place] or 0
        end
    end
end

local Convolution, MaxPool, Flatten, Dense, Dropout = {}, {}, {}, {}, {}

-- Calls visit(input value, kernel value, output value: where they begin) for each product of the convolution.
local function each_window(layer, count, visit)
    local height, width, channels = unpack(layer.input_shape)
    local rows, columns, filters = unpack(layer.output_shape)
    local top, left = layer.top, layer.left
    for picture = 0, count - 1 do
        for y = 0, rows - 1 do
            for x = 0, columns - 1 do
                local to = ((picture * rows + y) * columns + x) * filters
                for ky = math.max(0, top - y), math.min(layer.kernel[1], height + top - y) - 1 do
                    for kx = math.max(0, left - x), math.min(layer.kernel[2], width + left - x) - 1 do
                        local from = ((picture * height + y + ky - top) * width + x + kx - left) * channels
                        visit(from, (ky * layer.kernel[2] + kx) * channels * filters, to, channels, filters)
                    end
                end
            end
        end
    end
end

function Convolution:forward(input, count)
    local filters, output = self.output_shape[3], self.output
    local kernel, bias = self.weights.value, self.bias.value
    local values = count * self.outputs
    self.input = input
    for place = 0, values - 1 do
        output[place] = bias[place % filters]
    end
    each_window(self, count, function(from, at, to, channels)
        for channel = 0, channels - 1 do
            for filter = 0, filters - 1 do
                local weight = kernel[at + channel * filters + filter]
                output[to + filter] = output[to + filter] + input[from + channel] * weight
            end
        end
    end)
    rectify(self, values)
    return output
end

function Convolution:backward(above, count)
    local input, below, kernel, found = self.input, self.below, self.weights.value, self.weights.gradient
    local filters, bias, values = self.output_shape[3], self.bias.gradient, count * self.outputs
    unrectify(self, above, values)
    clear(below, count * self.inputs)
    clear(found, self.weights.count)
    clear(bias, filters)
    for place = 0, values - 1 do
        bias[place % filters] = bias[place % filters] + above[place]
    end
    each_window(self, count, function(from, at, to, channels)
        for channel = 0, channels - 1 do
            local sum = 0
            for filter = 0, filters - 1 do
                local place = at + channel * filters + filter
                found[place] = found[place] + input[from + channel] * above[to + filter]
                sum = sum + kernel[place] * above[to + filter]
            end
            below[from + channel] = below[from + channel] + sum
        end
    end)
    return below
end

-- Floor rounding; the gradient goes to the first largest value of a window.
function MaxPool:forward(input, count)
    local height, width, channels = unpack(self.input_shape)
    local rows, columns = unpack(self.output_shape)
    for to = 0, count * self.outputs - 1 do
        local channel, place = to % channels, math.floor(to / channels)
        local x, y = place % columns, math.floor(place / columns) % rows
        local picture, best = math.floor(place / columns / rows), nil
        for wy = 0, self.window - 1 do
            for wx = 0, self.window - 1 do
                local row = picture * height + y * self.window + wy
                local from = (row * width + x * self.window + wx) * channels + channel
                if not best or input[from] > input[best] then
                    best = from
                end
            end
        end
        self.largest[to], self.output[to] = best, input[best]
    end
    return self.output
end

function MaxPool:backward(above, count)
    clear(self.below, count * self.inputs)
    for to = 0, count * self.outputs - 1 do
        self.below[self.largest[to]] = self.below[self.largest[to]] + above[to]
    end
    return self.below
end

function Flatten:forward(input)
    return input
end

function Flatten:backward(above)
    return above
end

function Dense:forward(input, count)
    local inputs, units, kernel, output = self.inputs, self.outputs, self.weights.value, self.output
    self.input = input
    for picture = 0, count - 1 do
        for unit = 0, units - 1 do
            local sum = self.bias.value[unit]
            for place = 0, inputs - 1 do
                sum = sum + input[picture * inputs + place] * kernel[place * units + unit]
            end
            output[picture * units + unit] = sum
        end
    end
    rectify(self, count * units)
    return output
end

function Dense:backward(above, count)
    local inputs, units, kernel, below = self.inputs, self.outputs, self.weights.value, self.below
    unrectify(self, above, count * units)
    clear(below, count * inputs)
    clear(self.weights.gradient, self.weights.count)
    clear(self.bias.gradient, units)
    for picture = 0, count - 1 do
        for unit = 0, units - 1 do
            local this = above[picture * units + unit]
            self.bias.gradient[unit] = self.bias.gradient[unit] + this
            for place = 0, inputs - 1 do
                local at, from = place * units + unit, picture * inputs + place
                self.weights.gradient[at] = self.weights.gradient[at] + self.input[from] * this
                below[from] = below[from] + kernel[at] * this
            end
        end
    end
    return below
end

-- What passes is scaled up, so that prediction needs no change.
function Dropout:forward(input, count, training)
    self.masked = training
    if not training then
        return input
    end
    for place = 0, count * self.outputs - 1 do
        self.mask[place] = math.random() >= self.rate and 1 / (1 - self.rate) or 0
        self.output[place] = input[place] * self.mask[place]
    end
    return self.output
end

function Dropout:backward(above, count)
    if self.masked then
        for place = 0, count * self.outputs - 1 do
            above[place] = above[place] * self.mask[place]
        end
    end
    return above
end

local KINDS = { convolution = Convolution, max_pool = MaxPool, flatten = Flatten, dense = Dense,
                dropout = Dropout }

-- A layer with its memory: forward(input, count, training) and backward(above, count), which may change
-- `above`. `tensors`: value, gradient and count by the protocol's name.
function layers.made(described, tensors, batch)
    local layer = {
        input_shape = described.input, output_shape = described.output, relu = described.activation == "relu",
        inputs = product(described.input), outputs = product(described.output), kernel = described.kernel,
        window = described.window, rate = described.rate, top = 0, left = 0,
        weights = tensors[described.name .. ".kernel"], bias = tensors[described.name .. ".bias"],
    }
    layer.output, layer.below = room(batch * layer.outputs), room(batch * layer.inputs)
    if described.kind == "convolution" and described.padding == "same" then
        layer.top, layer.left = (layer.kernel[1] - 1) / 2, (layer.kernel[2] - 1) / 2
    elseif described.kind == "max_pool" then
        layer.largest = ffi.new("int32_t[?]", batch * layer.outputs)
    elseif described.kind == "dropout" then
        layer.mask = room(batch * layer.outputs)
    end
    return setmetatable(layer, { __index = KINDS[described.kind] })
end

-- The mean softmax cross-entropy, and its gradient for the logits into `above`.
function layers.cross_entropy(logits, labels, count, classes, above)
    local loss = 0
    for picture = 0, count - 1 do
        local first, largest, sum = picture * classes, -math.huge, 0
        for class = 0, classes - 1 do
            largest = math.max(largest, logits[first + class])
        end
        for class = 0, classes - 1 do
            sum = sum + math.exp(logits[first + class] - largest)
        end
        for class = 0, classes - 1 do
            local share = math.exp(logits[first + class] - largest) / sum
            above[first + class] = (share - (class == labels[picture] and 1 or 0)) / count
        end
        loss = loss + math.log(sum) + largest - logits[first + labels[picture]]
    end
    return loss / count
end

-- One update of a tensor; `step` counts from 1.
function layers.update(tensor, rule, step)
    local value, gradient, m, v = tensor.value, tensor.gradient, tensor.first_moment, tensor.second_moment
    local adam = rule.kind == "adam"
    local rate = adam and rule.learning_rate * math.sqrt(1 - rule.beta2 ^ step) / (1 - rule.beta1 ^ step)
        or rule.learning_rate
    for place = 0, tensor.count - 1 do
        local g = gradient[place]
        if adam then
            m[place] = m[place] + (1 - rule.beta1) * (g - m[place])
            v[place] = v[place] + (1 - rule.beta2) * (g * g - v[place])
            value[place] = value[place] - rate * m[place] / (math.sqrt(v[place]) + rule.epsilon)
        else
            m[place] = rule.momentum * m[place] + g
            value[place] = value[place] - rate * m[place]
        end
    end
end

return layers
