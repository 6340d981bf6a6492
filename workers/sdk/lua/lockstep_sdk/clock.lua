-- CLOCK_MONOTONIC in whole nanoseconds.
local ffi = require("ffi")
local C = require("lockstep_sdk.system").C

local MONOTONIC = 1
local NANOSECONDS = 1000000000LL

local clock = {}

-- Two times in one place: span() gives it, begin() and finish() fill it and allocate nothing.
local Span = {}
Span.__index = Span

function clock.span()
    local times = ffi.new("lockstep_time[2]")
    return setmetatable({ times = times, first = times + 0, second = times + 1 }, Span)
end

function Span:begin()
    C.clock_gettime(MONOTONIC, self.first)
end

function Span:finish()
    C.clock_gettime(MONOTONIC, self.second)
end

-- Writes begin and end to stamps[place] and stamps[place + 1] of an int64_t array.
function Span:store(stamps, place)
    local times = self.times
    stamps[place] = times[0].seconds * NANOSECONDS + times[0].nanoseconds
    stamps[place + 1] = times[1].seconds * NANOSECONDS + times[1].nanoseconds
end

local single = ffi.new("lockstep_time[1]")

-- An int64_t: a double would lose nanoseconds after 104 days of uptime.
function clock.now()
    C.clock_gettime(MONOTONIC, single)
    return single[0].seconds * NANOSECONDS + single[0].nanoseconds
end

return clock
