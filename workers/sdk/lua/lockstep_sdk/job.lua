-- The job: what `build` asks for, as plain values (PROTOCOL.md, section 4, build).
local failures = require("lockstep_sdk.failures")
local json = require("lockstep_sdk.json")

local job = {}

-- network: id, short, input = {height, width, channels}, classes, layers. A layer has kind, name, input,
-- output (shapes without the batch) and what its kind needs: kernel = {height, width}, filters, padding,
-- window, units, rate, activation.
local Network = {}
Network.__index = Network

-- job: batch, optimizer, precision, tf32, input, threads, device_kind, device_index, replicas, world,
-- dropout, seed, options. optimizer: kind, learning_rate, and for adam: theta -= lr *
-- sqrt(1-beta2^t)/(1-beta1^t) * m / (sqrt(v) + epsilon); for sgd: v = momentum*v + g; theta -= lr*v.
local Job = {}
Job.__index = Job

local DEFAULTS = { precision = "float32", tf32 = false, input = "locked", threads = 1, replicas = 1, rank = 0,
                   world = 1, dropout = true, seed = 0 }

local function cannot(name, wanted, value)
    failures.protocol('the job cannot be read: "%s" is not %s: %s', name, wanted,
                      type(value) == "table" and "a table" or tostring(value))
end

local function whole(value, name)
    if type(value) ~= "number" or value < 0 or value % 1 ~= 0 then
        cannot(name, "a whole number from 0", value)
    end
    return value
end

local function of_kind(value, kind, name)
    if type(value) ~= kind then
        cannot(name, "a " .. kind, value)
    end
    return value
end

local function object(value, name)
    if not json.is_object(value) then
        cannot(name, "an object", value)
    end
    return value
end

local function shape(values, name)
    if not json.is_array(values) then
        cannot(name, "a shape", values)
    end
    local sides = {}
    for place, side in ipairs(values) do
        sides[place] = whole(side, name)
    end
    return sides
end

local function layer(item)
    object(item, "layer")
    local found = { activation = "none", padding = "same" }
    for _, name in ipairs({ "kind", "name", "activation", "padding" }) do
        found[name] = of_kind(item[name] or found[name], "string", name)
    end
    for _, name in ipairs({ "input", "output", "kernel" }) do
        found[name] = (item[name] or name ~= "kernel") and shape(item[name], name) or nil
    end
    for _, name in ipairs({ "filters", "window", "units" }) do
        found[name] = item[name] and whole(item[name], name)
    end
    found.rate = of_kind(item.rate or 0, "number", "rate")
    return found
end

-- false: has no default.
local RULE = { learning_rate = false, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-7, momentum = 0.9 }

local function network_of(item)
    object(item, "network")
    local found = setmetatable({
        id = of_kind(item.id, "string", "id"), short = of_kind(item.short, "string", "short"),
        input = shape(item.input, "input"), classes = whole(item.classes, "classes"), layers = {},
    }, Network)
    if not json.is_array(item.layers) then
        cannot("layers", "a list", item.layers)
    end
    for place, described in ipairs(item.layers) do
        found.layers[place] = layer(described)
    end
    return found
end

local function optimizer_of(item)
    object(item, "optimizer")
    local found = { kind = of_kind(item.kind, "string", "kind") }
    for name, default in pairs(RULE) do
        found[name] = of_kind(item[name] or default, "number", name)
    end
    return found
end

-- network, job of a build request. Raises a protocol failure for what is missing or of the wrong type; that
-- the layers fit each other was checked by the sender.
function job.parsed(request)
    local device = object(request.device or { kind = "cpu" }, "device")
    local found = setmetatable({
        batch = whole(request.batch, "batch"), optimizer = optimizer_of(request.optimizer), options = {},
        device_kind = of_kind(device.kind, "string", "kind"), device_index = whole(device.index or 0, "index"),
    }, Job)
    for name, default in pairs(DEFAULTS) do
        local value = request[name]
        if value == nil then
            value = default
        end
        found[name] = type(default) == "number" and whole(value, name)
            or of_kind(value, type(default), name)
    end
    for name, text in pairs(object(request.options or {}, "options")) do
        found.options[name] = of_kind(text, "string", name)
    end
    local network = network_of(request.network)
    if found.batch < 1 or found.threads < 1 or #network.layers == 0 then
        failures.protocol("the job has batch %d, %d threads and %d layers", found.batch, found.threads,
                          #network.layers)
    end
    return network, found
end

-- {name, shape} of every parameter in the declared layouts, kernels before their bias, in order.
function Network:shapes(identity)
    local found = {}
    for _, this in ipairs(self.layers) do
        local kernel, bias
        if this.kind == "convolution" then
            local height, width = unpack(this.kernel)
            bias = { this.filters }
            kernel = identity.convolution == "OIHW" and { this.filters, this.input[3], height, width }
                or { height, width, this.input[3], this.filters }
        elseif this.kind == "dense" then
            bias = { this.units }
            kernel = identity.dense == "out_in" and { this.units, this.input[1] }
                or { this.input[1], this.units }
        end
        if kernel then
            found[#found + 1] = { name = this.name .. ".kernel", shape = kernel }
            found[#found + 1] = { name = this.name .. ".bias", shape = bias }
        end
    end
    return found
end

-- The option `name` as a whole number of at least 1.
function Job:number(name, default)
    local text = self.options[name]
    if text and (not text:find("^%d+$") or tonumber(text) < 1) then
        failures.protocol('option %s is "%s". It takes a whole number from 1.', name, text)
    end
    return text and tonumber(text) or default
end

-- The option `name` as one of two or more words, of which the first is the default.
function Job:choice(name, words)
    local text = self.options[name] or words[1]
    for _, word in ipairs(words) do
        if text == word then
            return word
        end
    end
    failures.protocol('option %s is "%s". It takes %s.', name, text, table.concat(words, " or "))
end

return job
