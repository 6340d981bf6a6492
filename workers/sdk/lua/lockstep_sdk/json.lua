-- JSON for the protocol's messages: a small codec, since a machine with LuaJIT may have no other.
--
-- decode: objects become tables, arrays tables marked by array(), null becomes json.null. encode: a table
-- marked by array() or with an element [1] becomes an array, one marked by ordered() an object in the order
-- of its pairs, any other an object with its keys sorted; numbers that are not finite become null; int64_t
-- stays whole.
local ffi = require("ffi")

local json = { null = setmetatable({}, { __tostring = function() return "null" end }) }

local DEEPEST = 100 -- tables in tables; messages of the protocol have six
local MARK, ORDERED = {}, {}
local INT64 = ffi.typeof("int64_t")

-- Marks a table as an array, so that an empty one is written [].
function json.array(values)
    return setmetatable(values or {}, MARK)
end

-- Marks a list of { name, value } as an object in that order.
function json.ordered(pairs_of_it)
    return setmetatable(pairs_of_it, ORDERED)
end

function json.is_array(value)
    return type(value) == "table" and getmetatable(value) == MARK
end

-- A table of names, with nothing else in it: an object.
function json.is_object(value)
    return type(value) == "table" and value ~= json.null and getmetatable(value) == nil
end

-- -- encode -------------------------------------------------------------------------------------------

local ESCAPES = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }

local function quoted(text)
    return '"' .. text:gsub('[%z\1-\31"\\\127]', function(letter)
        return ESCAPES[letter] or ("\\u%04x"):format(letter:byte())
    end) .. '"'
end

local function number_text(value)
    if value ~= value or value == math.huge or value == -math.huge then
        return "null"
    end
    return value == math.floor(value) and math.abs(value) < 2 ^ 53 and ("%.0f"):format(value)
        or ("%.17g"):format(value)
end

local encode

local function table_text(value)
    local parts = {}
    if getmetatable(value) == ORDERED then
        for place, pair in ipairs(value) do
            parts[place] = quoted(pair[1]) .. ":" .. encode(pair[2])
        end
        return "{" .. table.concat(parts, ",") .. "}"
    elseif json.is_array(value) or value[1] ~= nil then
        for place = 1, #value do
            parts[place] = encode(value[place])
        end
        return "[" .. table.concat(parts, ",") .. "]"
    end
    local names = {}
    for name in pairs(value) do
        names[#names + 1] = tostring(name)
    end
    table.sort(names)
    for place, name in ipairs(names) do
        parts[place] = quoted(name) .. ":" .. encode(value[name])
    end
    return "{" .. table.concat(parts, ",") .. "}"
end

encode = function(value)
    local kind = type(value)
    if value == nil or value == json.null then
        return "null"
    elseif kind == "boolean" then
        return tostring(value)
    elseif kind == "number" then
        return number_text(value)
    elseif kind == "string" then
        return quoted(value)
    elseif kind == "table" then
        return table_text(value)
    elseif kind == "cdata" and ffi.istype(INT64, value) then
        return (tostring(value):gsub("LL$", ""))
    end
    error(("a %s cannot travel in a message"):format(kind), 0)
end

json.encode = encode

-- -- decode -------------------------------------------------------------------------------------------

local function broken(text, place, what)
    error(("%s at byte %d"):format(what, math.min(place, #text + 1)), 0)
end

local function utf8_of(code)
    if code < 0x80 then
        return string.char(code)
    elseif code < 0x800 then
        return string.char(0xC0 + math.floor(code / 0x40), 0x80 + code % 0x40)
    elseif code < 0x10000 then
        return string.char(0xE0 + math.floor(code / 0x1000), 0x80 + math.floor(code / 0x40) % 0x40,
                           0x80 + code % 0x40)
    end
    return string.char(0xF0 + math.floor(code / 0x40000), 0x80 + math.floor(code / 0x1000) % 0x40,
                       0x80 + math.floor(code / 0x40) % 0x40, 0x80 + code % 0x40)
end

local UNESCAPED = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", ['"'] = '"', ["\\"] = "\\",
                    ["/"] = "/" }

local function hexadecimal(text, place)
    local digits = text:match("^%x%x%x%x", place)
    return tonumber(digits or broken(text, place, "\\u without four digits"), 16)
end

-- The character that the escape at `place` (a backslash) stands for, and where what follows begins.
local function escaped(text, place)
    local letter = text:sub(place + 1, place + 1)
    if UNESCAPED[letter] then
        return UNESCAPED[letter], place + 2
    elseif letter ~= "u" then
        broken(text, place, "an unknown escape")
    end
    local code = hexadecimal(text, place + 2)
    if code >= 0xD800 and code <= 0xDBFF and text:sub(place + 6, place + 7) == "\\u" then
        local low = hexadecimal(text, place + 8)
        if low >= 0xDC00 and low <= 0xDFFF then
            return utf8_of(0x10000 + (code - 0xD800) * 0x400 + low - 0xDC00), place + 12
        end
    end
    if code >= 0xD800 and code <= 0xDFFF then
        broken(text, place, "half a surrogate pair")
    end
    return utf8_of(code), place + 6
end

local function string_at(text, place)
    local parts, from = {}, place + 1
    while true do
        local stop = text:find('[%z\1-\31"\\]', from)
        local letter = stop and text:sub(stop, stop)
        if letter ~= '"' and letter ~= "\\" then
            broken(text, stop or #text + 1, "a text without its end")
        end
        parts[#parts + 1] = text:sub(from, stop - 1)
        if letter == '"' then
            return table.concat(parts), stop + 1
        end
        parts[#parts + 1], from = escaped(text, stop)
    end
end

local function number_at(text, place)
    local whole = text:match("^%-?0", place) or text:match("^%-?[1-9]%d*", place)
    if not whole then
        broken(text, place, "no value")
    end
    local stop = place + #whole
    stop = stop + #(text:match("^%.%d+", stop) or "")
    stop = stop + #(text:match("^[eE][+-]?%d+", stop) or "")
    return tonumber(text:sub(place, stop - 1)), stop
end

local function after_space(text, place)
    return text:find("[^ \t\r\n]", place) or #text + 1
end

local WORDS = { ["true"] = true, ["false"] = false, null = json.null }
local value_at

-- Items between brackets: calls take(place) for each, which gives where it ends.
local function items_at(text, place, closing, take)
    place = after_space(text, place + 1)
    if text:sub(place, place) == closing then
        return place + 1
    end
    while true do
        place = after_space(text, take(place))
        local letter = text:sub(place, place)
        if letter == closing then
            return place + 1
        elseif letter ~= "," then
            broken(text, place, "no comma and no " .. closing)
        end
        place = after_space(text, place + 1)
    end
end

value_at = function(text, place, depth)
    local letter = text:sub(place, place)
    if depth > DEEPEST then
        broken(text, place, "too many brackets")
    elseif letter == '"' then
        return string_at(text, place)
    elseif letter == "[" then
        local values, count = json.array(), 0
        return values, items_at(text, place, "]", function(at)
            count = count + 1
            values[count], at = value_at(text, at, depth + 1)
            return at
        end)
    elseif letter == "{" then
        local values = {}
        return values, items_at(text, place, "}", function(at)
            if text:sub(at, at) ~= '"' then
                broken(text, at, "no name")
            end
            local name
            name, at = string_at(text, at)
            at = after_space(text, at)
            if text:sub(at, at) ~= ":" then
                broken(text, at, "no colon")
            end
            values[name], at = value_at(text, after_space(text, at + 1), depth + 1)
            return at
        end)
    end
    local word = text:match("^%l+", place)
    if word and WORDS[word] ~= nil then
        return WORDS[word], place + #word
    end
    return number_at(text, place)
end

-- Whether the bytes are UTF-8; overlong forms and surrogates pass, since nothing here depends on them.
local function is_utf8(text)
    local rest = text:gsub("[\194-\223][\128-\191]", "."):gsub("[\224-\239][\128-\191][\128-\191]", ".")
        :gsub("[\240-\244][\128-\191][\128-\191][\128-\191]", ".")
    return not rest:find("[\128-\255]")
end

-- The value of a text. Raises what is wrong and where.
function json.decode(text)
    if not is_utf8(text) then
        error("bytes that are not UTF-8", 0)
    end
    local value, stop = value_at(text, after_space(text, 1), 1)
    if after_space(text, stop) <= #text then
        broken(text, stop, "more after the end")
    end
    return value
end

return json
