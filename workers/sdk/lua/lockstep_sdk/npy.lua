-- The .npy files that travel beside the messages (PROTOCOL.md, section 1).
local ffi = require("ffi")
local failures = require("lockstep_sdk.failures")
local system = require("lockstep_sdk.system")

local C = system.C
local npy = {}

local KINDS = {
    ["|u1"] = { pointer = ffi.typeof("const uint8_t *"), bytes = 1 },
    ["<i4"] = { pointer = ffi.typeof("const int32_t *"), bytes = 4 },
    ["<i8"] = { pointer = ffi.typeof("const int64_t *"), bytes = 8 },
    ["<f4"] = { pointer = ffi.typeof("const float *"), bytes = 4 },
}
local MAGIC = "\147NUMPY\1\0"
local BEFORE_HEADER = 10 -- bytes: magic, version, length of the header
local READ_ONLY, CLOSE_ON_EXEC = 0, 524288
local CREATE = 577 -- write only, create, truncate
local END_OF_FILE, PROTECT_READ, PRIVATE = 2, 1, 2

-- How many values a shape has.
function npy.count(shape)
    local count = 1
    for _, side in ipairs(shape) do
        count = count * side
    end
    return count
end

local function shape_text(shape)
    return "(" .. table.concat(shape, ", ") .. (#shape == 1 and ",)" or ")")
end

-- The file's bytes, mapped read-only, and their number. The mapping ends when `bytes` is collected.
local function map(path)
    local fd = C.open(path, READ_ONLY + CLOSE_ON_EXEC)
    if fd < 0 then
        failures.protocol("%s cannot be read: %s", path, system.problem())
    end
    local length = tonumber(C.lseek(fd, 0, END_OF_FILE))
    if length < BEFORE_HEADER then
        C.close(fd)
        failures.protocol("%s cannot be read: it is no .npy file", path)
    end
    local address = C.mmap(nil, length, PROTECT_READ, PRIVATE, fd, 0)
    local problem = system.problem()
    C.close(fd)
    if ffi.cast("intptr_t", address) == -1 then
        failures.protocol("%s cannot be read: %s", path, problem)
    end
    return ffi.gc(address, function(mapped) C.munmap(mapped, length) end), length
end

local function header_of(path, bytes, length)
    local start = ffi.cast("const uint8_t *", bytes)
    local header_length = start[8] + 256 * start[9]
    if ffi.string(start, #MAGIC) ~= MAGIC or BEFORE_HEADER + header_length > length then
        failures.protocol("%s cannot be read: it is no .npy file of format 1.0", path)
    end
    return ffi.string(start + BEFORE_HEADER, header_length), BEFORE_HEADER + header_length
end

-- The file as a read-only mapping: `data` (a pointer to const values), `shape`, `count`, and `offset`, where
-- its values begin in the file. `code`: "|u1", "<i4", "<i8" or "<f4"; `dimensions` may be absent. Raises a
-- protocol failure when the file is not what the protocol says.
function npy.mapped(path, code, dimensions)
    local bytes, length = map(path)
    local header, offset = header_of(path, bytes, length)
    local found = header:match("['\"]descr['\"]%s*:%s*['\"]([^'\"]+)['\"]")
    local sides = header:match("['\"]shape['\"]%s*:%s*%(([%d%s,]*)%)")
    if not found or not sides or not header:find("['\"]fortran_order['\"]%s*:%s*False") then
        failures.protocol("%s cannot be read: its header is %s", path, (header:gsub("%s+$", "")))
    end
    local shape = {}
    for side in sides:gmatch("%d+") do
        shape[#shape + 1] = tonumber(side)
    end
    if found ~= code or dimensions and #shape ~= dimensions then
        failures.protocol("%s holds %s of %d dimensions, not %s of %d", path, found, #shape, code,
                          dimensions or #shape)
    end
    local kind, count = KINDS[code], npy.count(shape)
    if offset + count * kind.bytes ~= length then
        failures.protocol("%s has %d bytes, not the %d of %s %s", path, length, offset + count * kind.bytes,
                          code, shape_text(shape))
    end
    return { data = ffi.cast(kind.pointer, ffi.cast("const char *", bytes) + offset), shape = shape,
             count = count, offset = offset, path = path, mapping = bytes }
end

-- Writes `data` (a pointer to values of kind `code`) aside and renames it, so that the file is whole or
-- absent. Returns the path.
function npy.write(path, data, code, shape)
    local header = ("{'descr': '%s', 'fortran_order': False, 'shape': %s, }"):format(code, shape_text(shape))
    header = header .. (" "):rep(-(BEFORE_HEADER + #header + 1) % 64) .. "\n"
    header = MAGIC .. string.char(#header % 256, math.floor(#header / 256)) .. header
    local aside = ("%s.%d.part"):format(path, C.getpid())
    local fd = C.open(aside, CREATE + CLOSE_ON_EXEC, ffi.new("int", 420))
    local good = fd >= 0 and system.write_all(fd, header, #header)
        and system.write_all(fd, data, npy.count(shape) * KINDS[code].bytes)
    local problem = good and "" or system.problem()
    if fd >= 0 then
        C.close(fd)
    end
    if good then
        good, problem = os.rename(aside, path)
    end
    if not good then
        os.remove(aside)
        error(("%s cannot be written: %s"):format(path, problem), 0)
    end
    return path
end

return npy
