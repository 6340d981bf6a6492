-- The protocol loop: one request, one verb, one reply (PROTOCOL.md, section 4).
local Channel = require("lockstep_sdk.channel")
local Run = require("lockstep_sdk.run")
local clock = require("lockstep_sdk.clock")
local dataset = require("lockstep_sdk.dataset")
local failures = require("lockstep_sdk.failures")
local jobs = require("lockstep_sdk.job")
local json = require("lockstep_sdk.json")
local npy = require("lockstep_sdk.npy")
local system = require("lockstep_sdk.system")

local server = {}
local PROTOCOL = 1

-- What identity() may leave out. channels_first: how images are handed to the trainer.
server.IDENTITY = {
    convolution = "HWIO", flipped = false, dense = "in_out", flatten = "HWC", channels_first = false,
    layers = { "convolution", "max_pool", "flatten", "dense", "dropout" }, optimizers = { "adam", "sgd" },
    precisions = { "float32" }, inputs = { "locked" }, devices = { "cpu" }, options = {},
    seen = { { kind = "cpu", index = 0, name = "cpu" } },
}
server.IDENTITY.__index = server.IDENTITY

-- A field that the verb needs. Raises a protocol failure when it is missing or of another type.
local function wanted(request, name, kind)
    local value = request[name]
    local good = kind == "list" and json.is_array(value) or kind == "object" and json.is_object(value)
        or kind == "whole number" and type(value) == "number" and value % 1 == 0 or type(value) == kind
    if not good then
        failures.protocol('%s needs "%s" of type %s', request["do"], name, kind)
    end
    return value
end

local function holds(list, wanted_word)
    for _, word in ipairs(list) do
        if word == wanted_word then
            return true
        end
    end
    return false
end

-- Raises for the first thing in the job that the worker's identity does not list.
local function require_ability(this, network, job)
    for _, layer in ipairs(network.layers) do
        if not holds(this.layers, layer.kind) then
            failures.unsupported(("%s has no layer of kind %s"):format(this.name, layer.kind), layer.name)
        end
    end
    for what, pair in pairs({
        optimizer = { job.optimizer.kind, this.optimizers }, input = { job.input, this.inputs },
        precision = { job.precision, this.precisions }, device = { job.device_kind, this.devices },
    }) do
        if not holds(pair[2], pair[1]) then
            failures.unsupported(('%s has no %s "%s"; it has %s'):format(this.name, what, pair[1],
                                                                         table.concat(pair[2], ", ")))
        end
    end
    for name in pairs(job.options) do
        if not holds(this.options, name) then
            local known = #this.options > 0 and table.concat(this.options, ", ") or "none"
            failures.unsupported(('%s has no option "%s"; it has %s'):format(this.name, name, known))
        end
    end
    if job.replicas > 1 or job.world > 1 then
        failures.unsupported(("%s trains with one replica in one process, not %d in %d"):format(
            this.name, job.replicas, job.world))
    end
end

-- What is known between requests: the job, the data, and the shapes that weights must have.
local Session = {}
Session.__index = Session

local function need(there, verb)
    if not there then
        failures.protocol("%s must come first", verb)
    end
end

function Session:training_data()
    need(self.data and self.data.train_images, "data with training images")
    return self.data
end

function Session:test_images()
    need(self.data and self.data.test_images, "data with test images")
    return self.data.test_images
end

function Session:order(path)
    if type(path) ~= "string" then
        failures.protocol("an order is no path")
    end
    return self.data.train_images:checked(npy.mapped(path, "<i8", 1))
end

-- Trainers size their rooms by the pictures that they get.
function Session:identify()
    if not self.identity then
        self.identity = setmetatable(self.trainer:identity(), server.IDENTITY)
        self.trainer.identified = self.identity
    end
    return self.identity
end

function Session:write_all(folder, prefix, tensors, files)
    system.make_folders(folder)
    for _, tensor in ipairs(self.shapes) do
        local name = prefix .. tensor.name
        files[name] = npy.write(("%s/%s.npy"):format(folder, name), tensors[tensor.name], "<f4", tensor.shape)
    end
    return files
end

local verbs = {}

function verbs.hello(self)
    local this = self:identify()
    local can = { verbs = json.array({ "latency" }) }
    for _, name in ipairs({ "layers", "optimizers", "precisions", "inputs", "devices", "options" }) do
        can[name] = json.array(this[name])
    end
    return {
        protocol = PROTOCOL, worker = this.name, versions = this.versions, can = can,
        layouts = { convolution = this.convolution, flipped = this.flipped, dense = this.dense,
                    flatten = this.flatten },
        devices = json.array(this.seen), started = self.started,
        phases = { import = { self.started, self.imported } },
    }
end

function verbs.build(self, request)
    local trainer, this = self.trainer, self:identify()
    local network, job = jobs.parsed(request)
    require_ability(this, network, job)
    trainer.network, trainer.job, trainer.batch = network, job, job.batch
    trainer.size = network.input[1] * network.input[2] * network.input[3]
    local begin = clock.now()
    local built = trainer:build(network, job)
    local phases = trainer.phases
    phases.build = { begin, phases.compile and phases.compile[1] or clock.now() }
    self.job, self.shapes = job, built.shapes
    local parameters, tensors = 0, json.array()
    for place, tensor in ipairs(built.shapes) do
        parameters = parameters + npy.count(tensor.shape)
        tensors[place] = { name = tensor.name, shape = json.array(tensor.shape) }
    end
    return {
        parameters = built.parameters or parameters, tensors = tensors, facts = built.facts or {},
        adam = built.adam or "epsilon_hat", phases = phases,
        step_includes = json.array(job.input == "native" and { "input" } or {}),
    }
end

function verbs.weights_in(self, request)
    need(self.job, "build")
    local files, weights = wanted(request, "files", "object"), {}
    for _, tensor in ipairs(self.shapes) do
        if type(files[tensor.name]) ~= "string" then
            failures.protocol("weights_in names no file for %s", tensor.name)
        end
        local values = npy.mapped(files[tensor.name], "<f4")
        local found, known = table.concat(values.shape, " x "), table.concat(tensor.shape, " x ")
        if found ~= known then
            failures.protocol("the file for %s has shape %s, not %s", tensor.name, found, known)
        end
        weights[tensor.name] = values
    end
    self.trainer:load(weights)
    self.loaded = true
    return {}
end

function verbs.weights_out(self, request)
    need(self.job, "build")
    return { files = self:write_all(wanted(request, "folder", "string"), "", self.trainer:weights(), {}) }
end

function verbs.data(self, request)
    self.trainer:phase("load_data", function() self.data = dataset.taken(request) end)
    return { phases = self.trainer.phases }
end

function verbs.pixels(self, request)
    local data = self:training_data()
    local images, file = data.train_images, wanted(request, "file", "string")
    local count = math.min(wanted(request, "count", "whole number"), images.count)
    local pixels
    if request.input == "native" then
        pixels = self.trainer:native_pixels(data, count)
    else
        pixels = system.array("float", count * images.size)
        images:gather(images:all(), 0, count, pixels, false)
    end
    npy.write(file, pixels, "<f4", { count, images.height, images.width, images.channels })
    return {}
end

function verbs.check(self, request)
    need(self.loaded, "weights_in")
    if self.job.dropout then
        failures.protocol("check needs a build with dropout false")
    end
    local trainer, data, batch, test = self.trainer, self:training_data(), self.job.batch, self:test_images()
    local steps, folder = wanted(request, "steps", "whole number"), wanted(request, "folder", "string")
    local order = self:order(wanted(request, "order", "string"))
    if order.count < math.max(steps, 1) * batch then
        failures.protocol("%d indices are too few for %d steps of %d", order.count, steps, batch)
    end
    local room, labels = trainer:room(batch), system.array("int32_t", batch)
    room.count = batch
    data.train_images:gather(order.data, 0, batch, room.data, self.identity.channels_first)
    for place = 0, batch - 1 do
        labels[place] = data.train_labels.data[tonumber(order.data[place])]
    end
    local before = trainer:gradients(room, labels)
    system.make_folders(folder)
    local files = { logits = npy.write(folder .. "/logits.npy", before.logits, "<f4",
                                       { batch, trainer.network.classes }) }
    self:write_all(folder, "gradient.", before.tensors, files)
    local run = Run.new(trainer, self.channel, data, { orders = { order }, batch = batch, limit = steps })
    run:train()
    files.predictions = npy.write(folder .. "/predictions.npy", trainer:predict_all(test), "<i4",
                                  { test.count })
    self:write_all(folder, "after.", trainer:weights(), files)
    local losses = json.array()
    for step = 1, steps do
        losses[step] = run.losses[step - 1]
    end
    return { loss = before.loss, losses = losses, files = files }
end

local function training_asked(self, request)
    local asked = { orders = {}, batch = self.job.batch, native = self.job.input == "native",
                    limit = request.limit }
    local steps = 0
    for place, path in ipairs(wanted(request, "orders", "list")) do
        asked.orders[place] = self:order(path)
        steps = steps + math.floor(asked.orders[place].count / asked.batch)
    end
    if #asked.orders ~= wanted(request, "epochs", "whole number") then
        failures.protocol("%d epochs have %d orders", request.epochs, #asked.orders)
    end
    if asked.limit and wanted(request, "limit", "whole number") < 1 or steps == 0 then
        failures.protocol("train is asked for no step")
    end
    if request.evaluate == true then
        self:test_images()
        asked.predictions = wanted(request, "predictions", "string")
    end
    return asked
end

function verbs.train(self, request)
    need(self.loaded, "weights_in")
    local trainer, data, stamps = self.trainer, self:training_data(), wanted(request, "stamps", "string")
    local run = Run.new(trainer, self.channel, data, training_asked(self, request))
    run:train()
    trainer.phases.first_step = { run.stamps[0], run.stamps[1] }
    local losses = stamps:gsub("%.npy$", "") .. ".losses.npy"
    return {
        epochs = json.array(run.epochs), predictions = json.array(run.prediction_files),
        evaluations = json.array(run.evaluations), phases = trainer.phases,
        stamps = npy.write(stamps, run.stamps, "<i8", { run.done, 2 }),
        losses = npy.write(losses, run.losses, "<f4", { run.done }),
    }
end

function verbs.predict(self, request)
    need(self.loaded, "weights_in")
    local images, file = self:test_images(), wanted(request, "file", "string")
    local classes = self.trainer:phase("evaluate", function() return self.trainer:predict_all(images) end)
    return { file = npy.write(file, classes, "<i4", { images.count }), phases = self.trainer.phases }
end

function verbs.memory(self)
    return { allocators = self.trainer:allocator_bytes() }
end

function verbs.latency(self, request)
    need(self.loaded, "weights_in")
    local trainer, images, file = self.trainer, self:test_images(), wanted(request, "stamps", "string")
    local batch = wanted(request, "batch", "whole number")
    local repeats = wanted(request, "repeats", "whole number")
    local most = math.min(self.job.batch, images.count)
    if batch < 1 or batch > most then
        failures.unsupported(("this worker predicts 1 to %d images at once, not %d"):format(most, batch))
    end
    local room, span, stamps = trainer:room(batch), clock.span(), system.array("int64_t", 2 * repeats)
    room.count = batch
    images:gather(images:all(), 0, batch, room.data, self.identity.channels_first)
    for _ = 1, request.warm_up or 0 do
        trainer:predict(room)
    end
    for place = 0, repeats - 1 do
        span:begin()
        trainer:predict(room)
        span:finish()
        span:store(stamps, 2 * place)
        self.channel:alive()
    end
    return { stamps = npy.write(file, stamps, "<i8", { repeats, 2 }) }
end

-- Answers one request; true when it was the last. `answer.id` tells the caller whom to answer after a
-- failure.
local function answer_one(self, answer)
    local request = self.channel:receive()
    answer.id = request.id
    local verb = request["do"]
    if verb == "shutdown" then
        self.channel:reply(request.id, {})
        return true
    elseif type(verb) ~= "string" or not verbs[verb] then
        failures.protocol('this worker has no verb "%s"', tostring(verb))
    end
    self.trainer.phases = {}
    self.channel:reply(request.id, verbs[verb](self, request))
    return false
end

-- Answers lockstep's requests with `trainer` until shutdown; the last line of every worker. `started`: the
-- process's first stamp.
function server.serve(trainer, started)
    local imported = clock.now()
    io.stdout:setvbuf("line")
    local self = setmetatable({ trainer = trainer, channel = Channel.from_environment(), started = started,
                                imported = imported, loaded = false }, Session)
    trainer.channel = self.channel
    local last = false
    repeat
        local answer = { id = 0 }
        local good, found = xpcall(function() return answer_one(self, answer) end, failures.caught)
        if good then
            last = found
        else
            self.channel:refuse(answer.id, failures.described(found, function(text)
                return trainer:is_resource_error(text)
            end))
        end
    until last
    system.leave(0)
end

return server
