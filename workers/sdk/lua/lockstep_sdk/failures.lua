-- What can go wrong in a worker, and how it is told to lockstep (PROTOCOL.md, section 2).
local failures = {}

local LONGEST_MESSAGE = 600 -- bytes; the whole story is in the traceback on stderr

local Failure = {}
Failure.__index = Failure
Failure.__tostring = function(self)
    return self.message
end

local function raise(kind, message, layer)
    error(setmetatable({ kind = kind, message = message, layer = layer }, Failure), 0)
end

-- Raises: the framework cannot do this: a layer kind, an option, a device. The run is skipped for it.
function failures.unsupported(message, layer)
    raise("unsupported", message, layer)
end

-- Raises: the request was not understood.
function failures.protocol(message, ...)
    raise("protocol", select("#", ...) > 0 and message:format(...) or message)
end

-- Handler for xpcall: keeps what was raised, with the traceback of what nobody foresaw.
function failures.caught(failure)
    if getmetatable(failure) == Failure then
        return failure
    end
    return { foreign = failure, traceback = debug.traceback(tostring(failure), 2) }
end

-- Frameworks wrap an error in lines of their own; the traceback that some add begins with "stack traceback".
local function one_line(text)
    local lines = {}
    for line in text:gmatch("[^\r\n]+") do
        line = line:match("^%s*(.-)%s*$")
        if line:find("^stack traceback") or line:find("^WARNING: ") then
            break
        end
        if line ~= "" then
            lines[#lines + 1] = line
        end
    end
    local joined = table.concat(lines, " "):gsub("[%z\1-\31\127-\255]", "?")
    return #joined <= LONGEST_MESSAGE and joined or joined:sub(1, LONGEST_MESSAGE - 3) .. "..."
end

-- The `error` object of a reply, from what caught() kept. Writes the traceback of what nobody foresaw to
-- stderr. `is_resource`: says whether a text is the framework's word for memory or a device that ran out.
function failures.described(caught, is_resource)
    if not caught.foreign then
        return { kind = caught.kind, message = one_line(caught.message), layer = caught.layer }
    end
    io.stderr:write(caught.traceback, "\n")
    io.stderr:flush()
    local text = tostring(caught.foreign)
    local message = one_line(text)
    local out_of_memory = text:find("not enough memory", 1, true) or is_resource(text)
    return { kind = out_of_memory and "resources" or "framework",
             message = message ~= "" and message or "error" }
end

return failures
