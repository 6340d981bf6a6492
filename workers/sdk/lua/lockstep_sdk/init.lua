-- The Lua side of lockstep's worker protocol: an author fills in one Trainer and calls serve().
--
-- Require this module before the framework: its first act is the stamp `started`, so that the framework's
-- load is measured. Needs LuaJIT with its FFI on 64-bit Linux, nothing else. Whatever grows with the data
-- lies outside LuaJIT's own heap, which old builds limit to 1 or 2 GB.
local clock = require("lockstep_sdk.clock")
local started = clock.now()

local failures = require("lockstep_sdk.failures")
local json = require("lockstep_sdk.json")
local server = require("lockstep_sdk.server")

return {
    STARTED = started,
    Trainer = require("lockstep_sdk.trainer"),
    ordered = json.ordered,
    unsupported = failures.unsupported,
    serve = function(trainer)
        server.serve(trainer, started)
    end,
}
