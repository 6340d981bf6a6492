-- The one class that the author of a Lua worker fills in:
--
--     local Trainer = sdk.Trainer:extend()
--     function Trainer:step(images, labels) ... end
--     sdk.serve(Trainer:new())
--
-- Images are a room (see room()): float32 in 0..1 at `data`, `count` pictures of height x width x channels,
-- or channels x height x width where identity() says channels_first. Labels are int32 from 0, one an image.
-- Both are valid only during the call. Weights and gradients are pointers to float32 by canonical name
-- ("conv1.kernel"), in the layout that identity() declares; what a call gives is valid until the next call.
local clock = require("lockstep_sdk.clock")
local failures = require("lockstep_sdk.failures")
local system = require("lockstep_sdk.system")

local Trainer = { batch = 0 } -- batch: job.batch, set before build()
Trainer.__index = Trainer

function Trainer:extend()
    local class = setmetatable({}, self)
    class.__index = class
    return class
end

function Trainer:new()
    return setmetatable({ phases = {} }, self)
end

-- -- what every worker fills in ----------------------------------------------------------------------

local function missing(name)
    return function()
        error(("the worker has no %s()"):format(name), 0)
    end
end

-- What this worker is; the answer to the handshake. Must not need a built network. name, versions
-- (sdk.ordered{ { name, text }, ... }, the framework's own first) and what differs from server.IDENTITY.
Trainer.identity = missing("identity")

-- build(network, job): builds all that a step needs for job.batch images, so that the first step does no work
-- of preparation. Called once; layer kinds, optimizer, device, ... are those of identity(). Returns { shapes
-- = { { name =, shape = }, ... } in the declared layout, parameters = their number as the framework counts
-- it, facts = {}, adam = "epsilon_hat" or "classic" }; all but shapes may be absent.
Trainer.build = missing("build")

-- load(weights): assigns every parameter and puts the optimizer back to its start. May be called at any time.
Trainer.load = missing("load")

-- weights(): pointers by name.
Trainer.weights = missing("weights")

-- gradients(images, labels): forward and backward on job.batch images, no update; { logits = pointer, loss =
-- mean, tensors = pointers by name }. Only asked for when job.dropout is off.
Trainer.gradients = missing("gradients")

-- step(images, labels): one update on exactly job.batch images; returns the mean loss before it, when all
-- work is done, on the device too. Timed: allocate, print and copy nothing here that training does not need.
Trainer.step = missing("step")

-- predict(images): pointer to logits, images.count x classes, of 1..job.batch images, dropout off.
Trainer.predict = missing("predict")

-- -- what a worker may fill in -------------------------------------------------------------------------

-- Memory for `count` images, `data`, which the framework can read where it lies.
function Trainer:room(count)
    return { data = system.array("float", count * self.size), count = count }
end

-- Peak figures of the framework's own allocator under their own names. Empty when it has none.
function Trainer:allocator_bytes()
    return {}
end

-- For native input: a function that gives one whole batch a call, (images, labels) as step() takes them, by
-- the framework's own pipeline. Asked for before each epoch.
function Trainer:native_batches()
    failures.unsupported("this worker has no native input")
end

-- The first `count` training images as the native input path gives them to the network: a pointer to float32,
-- height x width x channels.
function Trainer:native_pixels()
    failures.unsupported("this worker has no native input")
end

-- Whether an error's text is the framework's word for memory or a device that ran out.
function Trainer:is_resource_error()
    return false
end

-- -- what the SDK gives to a worker --------------------------------------------------------------------

-- Tells lockstep what a reader should know: a fall-back, a setting that was not taken.
function Trainer:warn(message)
    self.channel:warn(message)
end

-- Tells lockstep that this worker is busy, at most four times a second. Never inside a step.
function Trainer:alive()
    self.channel:alive()
end

-- Stamps work that belongs to a phase of its own: self:phase("compile", function() ... end)
function Trainer:phase(name, work)
    local begin = clock.now()
    local found = work()
    self.phases[name] = { begin, clock.now() }
    return found
end

local function largest(logits, first, classes)
    local best = 0
    for class = 1, classes - 1 do
        if logits[first + class] > logits[first + best] then
            best = class
        end
    end
    return best
end

-- Classes of all `images` (see dataset.images), int32; the lowest one on a tie.
function Trainer:predict_all(images)
    local found, indices = system.array("int32_t", images.count), images:all()
    local room, classes = self:room(math.min(self.batch, images.count)), self.network.classes
    for first = 0, images.count - 1, self.batch do
        local count = math.min(self.batch, images.count - first)
        images:gather(indices, first, count, room.data, self.identified.channels_first)
        room.count = count
        local logits = self:predict(room)
        for place = 0, count - 1 do
            found[first + place] = largest(logits, place * classes, classes)
        end
        self:alive()
    end
    return found
end

return Trainer
