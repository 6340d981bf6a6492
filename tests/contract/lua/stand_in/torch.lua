-- A stand-in for torch, for tests of the worker's files and messages alone: it keeps what is put into it,
-- moves and counts it, and where Torch7 would compute it gives NaN, so that nothing of it can pass for a
-- result.
local ffi = require("ffi")

torch = {}
local Tensor = {}
Tensor.__index = Tensor
local C_TYPES = { Float = "float[?]", Long = "long[?]", Byte = "unsigned char[?]" }
local threads = 1

local function product(sizes)
    local count = 1
    for _, side in ipairs(sizes) do
        count = count * side
    end
    return count
end

local function view(kind, storage, offset, sizes)
    return setmetatable({ kind = kind, storage = storage, offset = offset, sizes = sizes }, Tensor)
end

local function maker(kind)
    return function(first, ...)
        if type(first) == "table" and first.bytes then
            local offset, shape = ...
            return view(kind, first.bytes, offset - 1, shape)
        end
        local sizes = type(first) == "table" and first or { first, ... }
        return view(kind, ffi.new(C_TYPES[kind], product(sizes)), 0, sizes)
    end
end

for kind in pairs(C_TYPES) do
    torch[kind .. "Tensor"] = maker(kind)
end

function torch.LongStorage(sizes)
    return sizes
end

function torch.ByteStorage(path, shared)
    assert(shared == false, "a shared mapping would create or extend the file")
    local file = assert(io.open(path, "rb"))
    local text = file:read("*a")
    file:close()
    local bytes = ffi.new(C_TYPES.Byte, #text)
    ffi.copy(bytes, text, #text)
    return { bytes = bytes }
end

function torch.setdefaulttensortype(name)
    assert(name == "torch.FloatTensor", "the default must be FloatTensor")
    torch.chosen = true
end

function torch.Tensor(...)
    assert(torch.chosen, "a tensor was made before the default type was chosen")
    return torch.FloatTensor(...)
end

function torch.setnumthreads(count)
    threads = count
end

function torch.getnumthreads()
    return threads
end

function torch.manualSeed() end

function torch.isTensor(value)
    return getmetatable(value) == Tensor
end

function torch.randperm(result, count)
    result = torch.LongTensor(count)
    for place = 0, count - 1 do
        result:data()[place] = count - place
    end
    return result
end

function Tensor:data()
    return self.storage + self.offset
end

function Tensor:nElement()
    return product(self.sizes)
end

function Tensor:size(dimension)
    return (assert(self.sizes[dimension], "no such dimension"))
end

function Tensor:fill(value)
    for place = 0, self:nElement() - 1 do
        self:data()[place] = value
    end
    return self
end

function Tensor:zero()
    return self:fill(0)
end

local function row(self)
    return self:nElement() / self.sizes[1]
end

function Tensor:narrow(dimension, first, count)
    assert(dimension == 1 and first >= 1 and first + count - 1 <= self.sizes[1], "narrow out of range")
    return view(self.kind, self.storage, self.offset + (first - 1) * row(self), { count, unpack(self.sizes, 2) })
end

function Tensor:index(source, dimension, chosen)
    assert(dimension == 1 and chosen.kind == "Long", "index takes a LongTensor")
    local size = row(source)
    self.sizes = { chosen:nElement(), unpack(source.sizes, 2) }
    self.storage, self.offset = ffi.new(C_TYPES[self.kind], self:nElement()), 0
    for place = 0, chosen:nElement() - 1 do
        local from = tonumber(chosen:data()[place]) - 1
        assert(from >= 0 and from < source.sizes[1], "an index counts from 1")
        ffi.copy(self.storage + place * size, source:data() + from * size, size * ffi.sizeof(self.storage)
            / self:nElement())
    end
    return self
end

function Tensor:transpose(one, other)
    local sizes = { unpack(self.sizes) }
    sizes[one], sizes[other] = sizes[other], sizes[one]
    return view(self.kind, self.storage, self.offset, sizes)
end

-- The values' order after a transpose is not kept: nothing is computed from them.
function Tensor:copy(source)
    assert(self:nElement() == source:nElement(), "copy of another size")
    for place = 0, self:nElement() - 1 do
        self:data()[place] = source:data()[place]
    end
    return self
end

function Tensor:float()
    return torch.FloatTensor(unpack(self.sizes)):copy(self)
end

function Tensor:div(value)
    for place = 0, self:nElement() - 1 do
        self:data()[place] = self:data()[place] / value
    end
    return self
end

return torch
