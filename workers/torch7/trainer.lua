-- The worker for Torch7: nn.Sequential, CrossEntropyCriterion, optim and a closure a step, as its manual
-- shows.
package.path = assert(os.getenv("LOCKSTEP_LUA_PATH"), "a worker is started by lockstep: lockstep run --help")
    .. ";" .. package.path
local sdk = require("lockstep_sdk") -- first: it stamps the start of the process

local ffi = require("ffi")
require("torch")
require("nn")
require("optim")

local blas = require("blas")
local network = require("network")
local pictures = require("pictures")

torch.setdefaulttensortype("torch.FloatTensor") -- before any module is made: their tensors are of this type

local Trainer = sdk.Trainer:extend()

function Trainer:identity()
    return {
        name = "torch7",
        versions = sdk.ordered({ { "torch7", "scm-1" }, { "luajit", (jit.version:gsub("^LuaJIT ", "")) } }),
        convolution = "OIHW", dense = "out_in", flatten = "CHW", channels_first = true,
        inputs = { "locked", "native" }, options = { "first_gradient", "blas_threads" },
    }
end

function Trainer:build(described, job)
    torch.setnumthreads(job.threads)
    torch.manualSeed(job.seed % 2 ^ 32)
    local facts = blas.prepare(job:number("blas_threads", job.threads))
    self.shape = torch.LongStorage({ job.batch, described.input[3], described.input[1], described.input[2] })
    self.model, self.parts = network.sequential(described, job)
    local first_gradient = job:choice("first_gradient", { "off", "on" })
    if first_gradient == "off" then
        self.model:get(1).gradInput = nil -- nobody wants the gradient of the pictures
    end
    self.criterion = nn.CrossEntropyCriterion()
    self.parameters, self.found = self.model:getParameters()
    self.targets = torch.LongTensor(job.batch)
    self:choose(job.optimizer)
    self.evaluate = function()
        self.found:zero()
        local logits = self.model:forward(self.images)
        local loss = self.criterion:forward(logits, self.labels)
        self.model:backward(self.images, self.criterion:backward(logits, self.labels))
        return loss, self.found
    end
    self:phase("compile", function() self:warm_up() end)
    facts.threads = tostring(torch.getnumthreads())
    facts.first_gradient = first_gradient
    return { shapes = described:shapes(self.identified), parameters = self.parameters:nElement(),
             facts = facts }
end

-- A throw-away step and prediction take the memory that training needs; load() puts back what they changed.
function Trainer:warm_up()
    local room = self:room(self.batch)
    room.tensor:zero()
    room.count = self.batch
    self:step(room, ffi.new("int32_t[?]", self.batch))
    self:predict(room)
end

function Trainer:choose(rule)
    self.state = {}
    if rule.kind == "adam" then
        self.optimize = optim.adam
        self.rule = { learningRate = rule.learning_rate, beta1 = rule.beta1, beta2 = rule.beta2,
                      epsilon = rule.epsilon }
    else
        self.optimize = optim.sgd
        -- Without it the dampening would be the momentum.
        self.rule = { learningRate = rule.learning_rate, momentum = rule.momentum, dampening = 0 }
    end
end

function Trainer:load(weights)
    for name, to in pairs(network.pointers(self.parts)) do
        ffi.copy(to, weights[name].data, weights[name].count * ffi.sizeof("float"))
    end
    for name, value in pairs(self.state) do -- in the memory that it has
        self.state[name] = torch.isTensor(value) and value:zero() or 0
    end
end

function Trainer:weights()
    return network.pointers(self.parts)
end

function Trainer:gradients(images, labels)
    self:take(images, labels)
    local loss = self.evaluate()
    return { logits = self.model.output:data(), loss = loss,
             tensors = network.pointers(self.parts, "gradWeight", "gradBias") }
end

function Trainer:step(images, labels)
    self:take(images, labels)
    local _, losses = self.optimize(self.evaluate, self.parameters, self.rule, self.state)
    return losses[1]
end

-- Labels of the SDK count from 0, those of Torch7 from 1.
function Trainer:take(images, labels)
    self.images, self.labels = images.tensor, labels
    if type(labels) == "cdata" then
        local targets = self.targets:data()
        for place = 0, self.batch - 1 do
            targets[place] = labels[place] + 1
        end
        self.labels = self.targets
    end
end

function Trainer:predict(images)
    self.model:evaluate()
    local logits = self.model:forward(images.tensor:narrow(1, 1, images.count))
    self.model:training()
    return logits:data()
end

function Trainer:room(count)
    local tensor = torch.FloatTensor(count, self.shape[2], self.shape[3], self.shape[4])
    return { tensor = tensor, data = tensor:data(), count = count }
end

function Trainer:native_batches(data)
    self.mapped = self.mapped or self:phase("load_data", function() return pictures.mapped(data) end)
    self.native_room = self.native_room or self:room(self.batch)
    return pictures.batches(self.mapped, self.native_room, self.batch)
end

function Trainer:native_pixels(data, count)
    self.shown = pictures.first(pictures.mapped(data), count)
    return self.shown:data()
end

sdk.serve(Trainer:new())
