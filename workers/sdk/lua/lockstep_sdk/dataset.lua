-- The images and labels that every worker shares: mapped files, and batches gathered from them.
local ffi = require("ffi")
local failures = require("lockstep_sdk.failures")
local json = require("lockstep_sdk.json")
local npy = require("lockstep_sdk.npy")
local system = require("lockstep_sdk.system")

local dataset = {}

-- Pictures in a mapped file: `bytes` (N x height x width x channels of uint8, see npy.mapped) and their
-- number, `count`.
local Images = {}
Images.__index = Images

function dataset.images(path, scale)
    local bytes = npy.mapped(path, "|u1", 4)
    local count, height, width, channels = unpack(bytes.shape)
    -- float32(byte) * float32(scale), rounded once, as the protocol has it.
    local values, factor = ffi.new("float[256]"), ffi.new("float[1]", scale)[0]
    for byte = 0, 255 do
        values[byte] = byte * factor
    end
    return setmetatable({ bytes = bytes, count = count, height = height, width = width, channels = channels,
                          size = height * width * channels, values = values }, Images)
end

-- Writes the pictures at indices[first .. first + count - 1] as float32 in 0..1 to `to`: each height x width
-- x channels, or channels x height x width when `channels_first`.
-- Requires: every index is in range (see checked()). Allocates nothing that grows with the batch.
function Images:gather(indices, first, count, to, channels_first)
    local size, channels, values = self.size, self.channels, self.values
    local places = self.height * self.width
    local across, along = 1, channels -- steps in `to` between channels, and between places
    if channels_first then
        across, along = places, 1
    end
    for picture = 0, count - 1 do
        local from = self.bytes.data + tonumber(indices[first + picture]) * size
        local target = to + picture * size
        if channels == 1 or not channels_first then
            for value = 0, size - 1 do
                target[value] = values[from[value]]
            end
        else
            for channel = 0, channels - 1 do
                for place = 0, places - 1 do
                    target[channel * across + place * along] = values[from[place * channels + channel]]
                end
            end
        end
    end
end

-- `order` itself (see npy.mapped), if it names pictures of this file only.
function Images:checked(order)
    for place = 0, order.count - 1 do
        local index = tonumber(order.data[place])
        if index < 0 or index >= self.count then
            failures.protocol("an order names image %d, but there are %d", index, self.count)
        end
    end
    return order
end

-- The indices 0, 1, ... of all pictures.
function Images:all()
    local indices = system.array("int64_t", self.count)
    for place = 0, self.count - 1 do
        indices[place] = place
    end
    return indices
end

local function text_in(group, name)
    if not json.is_object(group) or type(group[name]) ~= "string" then
        failures.protocol('data: "%s" is missing or of the wrong form', name)
    end
    return group[name]
end

-- What `data` named: train_images, train_labels (see npy.mapped), test_images; absent where not given.
function dataset.taken(request)
    if type(request.scale) ~= "number" then
        failures.protocol('data: "scale" is missing or of the wrong form')
    end
    local found = {}
    if request.train then
        found.train_images = dataset.images(text_in(request.train, "images"), request.scale)
        found.train_labels = npy.mapped(text_in(request.train, "labels"), "<i4", 1)
        if found.train_images.count ~= found.train_labels.count then
            failures.protocol("%d training images have %d labels", found.train_images.count,
                              found.train_labels.count)
        end
    end
    if request.test then
        found.test_images = dataset.images(text_in(request.test, "images"), request.scale)
    end
    return found
end

return dataset
