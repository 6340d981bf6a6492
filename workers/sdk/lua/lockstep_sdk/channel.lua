-- JSON lines over the two descriptors that lockstep hands to a worker (PROTOCOL.md, section 1).
local ffi = require("ffi")
local clock = require("lockstep_sdk.clock")
local failures = require("lockstep_sdk.failures")
local json = require("lockstep_sdk.json")
local system = require("lockstep_sdk.system")

local C = system.C
local LONGEST_LINE = 1024 * 1024 -- bytes, from PROTOCOL.md
local BETWEEN_EVENTS = 250000000LL -- nanoseconds: at most four progress events a second
local PART = 65536 -- bytes of one read: what a pipe holds
local SET_FLAGS, CLOSE_ON_EXEC = 2, 1
local READABLE = 1

-- Requests in, replies and events out. Lua has no thread that could wait for the end of the requests while a
-- training runs, so each event, which falls between steps, looks for it.
local Channel = {}
Channel.__index = Channel

function Channel.new(read_fd, write_fd)
    for _, fd in ipairs({ read_fd, write_fd }) do
        C.fcntl(fd, SET_FLAGS, ffi.new("int", CLOSE_ON_EXEC))
    end
    return setmetatable({
        read_fd = read_fd, write_fd = write_fd, waiting = "", last_event = clock.now(),
        part = ffi.new("char[?]", PART),
        look = ffi.new("lockstep_poll[1]", { { fd = read_fd, events = READABLE } }),
    }, Channel)
end

function Channel.from_environment()
    local read_fd = tonumber(os.getenv("LOCKSTEP_READ_FD"))
    local write_fd = tonumber(os.getenv("LOCKSTEP_WRITE_FD"))
    if not read_fd or not write_fd then
        io.stderr:write("A worker is started by lockstep, which names its descriptors in LOCKSTEP_READ_FD "
            .. "and LOCKSTEP_WRITE_FD. Try: lockstep run --help\n")
        system.leave(1)
    end
    return Channel.new(read_fd, write_fd)
end

-- Takes in what can be read; waits for it. The end of the requests ends the process.
local function take_in(self)
    local count
    repeat
        count = tonumber(C.read(self.read_fd, self.part, PART))
    until count >= 0 or not system.interrupted()
    if count <= 0 then
        system.leave(0)
    end
    self.waiting = self.waiting .. ffi.string(self.part, count)
end

-- The next request. Raises a protocol failure for a line that is no request.
function Channel:receive()
    local line
    repeat
        local stop = self.waiting:find("\n", 1, true)
        if stop then
            line, self.waiting = self.waiting:sub(1, stop - 1), self.waiting:sub(stop + 1)
        elseif #self.waiting > LONGEST_LINE then
            line, self.waiting = self.waiting, ""
        else
            take_in(self)
        end
    until line and line:find("%S")
    if #line > LONGEST_LINE then
        failures.protocol("a request is longer than %d bytes", LONGEST_LINE)
    end
    local good, request = pcall(json.decode, line)
    if not good then
        failures.protocol("a request is not JSON: %s", request)
    end
    if not json.is_object(request) or type(request.id) ~= "number" or request.id % 1 ~= 0 then
        failures.protocol('a request is not an object with a whole number "id"')
    end
    return request
end

local function send(self, message)
    local line = json.encode(message) .. "\n"
    if #line > LONGEST_LINE then
        error(("a reply of %d bytes is longer than the protocol allows"):format(#line), 0)
    end
    system.write_all(self.write_fd, line, #line)
end

function Channel:reply(identifier, content)
    send(self, { id = identifier, ok = content })
end

function Channel:refuse(identifier, failure)
    send(self, { id = identifier, error = failure })
end

function Channel:warn(message)
    send(self, { event = "warning", message = message })
end

-- True when the last event is long enough ago. Looks whether the requests have ended.
local function due(self)
    local now = clock.now()
    if now - self.last_event < BETWEEN_EVENTS then
        return false
    end
    self.last_event = now
    if C.poll(self.look, 1, 0) > 0 then
        take_in(self)
    end
    return true
end

-- Says how far a training is, when the last event is long enough ago.
function Channel:progress(done, of, epoch)
    if due(self) then
        send(self, { event = "progress", done = done, of = of, epoch = epoch })
    end
end

-- Says that the worker is busy without steps, when the last event is long enough ago.
function Channel:alive()
    if due(self) then
        send(self, { event = "alive" })
    end
end

return Channel
