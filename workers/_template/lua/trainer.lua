-- A worker that trains by plain loops alone: copy this folder and put your framework in its place.
package.path = assert(os.getenv("LOCKSTEP_LUA_PATH"), "a worker is started by lockstep: lockstep run --help")
    .. ";" .. package.path
local sdk = require("lockstep_sdk") -- first: it stamps the start of the process

local ffi = require("ffi")
local layers = require("layers")

local Trainer = sdk.Trainer:extend()

function Trainer:identity()
    local version = jit.version:gsub("^LuaJIT ", "")
    return { name = "template_lua", versions = sdk.ordered({ { "luajit", version } }) }
end

function Trainer:build(network, job)
    math.randomseed(job.seed)
    self.tensors, self.layers = {}, {}
    local shapes = network:shapes(self.identified)
    for _, tensor in ipairs(shapes) do
        local count = 1
        for _, side in ipairs(tensor.shape) do
            count = count * side
        end
        local made = { count = count }
        for _, name in ipairs({ "value", "gradient", "first_moment", "second_moment" }) do
            made[name] = ffi.new("float[?]", count)
        end
        self.tensors[tensor.name] = made
    end
    for place, layer in ipairs(network.layers) do
        self.layers[place] = layers.made(layer, self.tensors, job.batch)
    end
    self.above = ffi.new("float[?]", job.batch * network.classes)
    return { shapes = shapes, facts = { arithmetic = "plain loops" } }
end

function Trainer:load(weights)
    for name, tensor in pairs(self.tensors) do
        ffi.copy(tensor.value, weights[name].data, tensor.count * ffi.sizeof("float"))
        ffi.fill(tensor.first_moment, tensor.count * ffi.sizeof("float"))
        ffi.fill(tensor.second_moment, tensor.count * ffi.sizeof("float"))
    end
    self.steps_done = 0
end

local function pointers(tensors, part)
    local found = {}
    for name, tensor in pairs(tensors) do
        found[name] = tensor[part]
    end
    return found
end

function Trainer:weights()
    return pointers(self.tensors, "value")
end

function Trainer:gradients(images, labels)
    local logits = self:forward(images, self.job.dropout)
    local loss = layers.cross_entropy(logits, labels, self.batch, self.network.classes, self.above)
    local above = self.above
    for place = #self.layers, 1, -1 do
        above = self.layers[place]:backward(above, self.batch)
    end
    return { logits = logits, loss = loss, tensors = pointers(self.tensors, "gradient") }
end

function Trainer:step(images, labels)
    local found = self:gradients(images, labels)
    self.steps_done = self.steps_done + 1
    for _, tensor in pairs(self.tensors) do
        layers.update(tensor, self.job.optimizer, self.steps_done)
    end
    return found.loss
end

function Trainer:predict(images)
    return self:forward(images, false)
end

function Trainer:forward(images, training)
    local values = images.data
    for _, layer in ipairs(self.layers) do
        values = layer:forward(values, images.count, training)
    end
    return values
end

sdk.serve(Trainer:new())
