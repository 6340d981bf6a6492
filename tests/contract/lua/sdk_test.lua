-- The Lua SDK's own pieces, alone. Run by test_lua.py: luajit sdk_test.lua FOLDER [name of one test]
-- Each test is a sentence; it fails by an error.
local ffi = require("ffi")
local json = require("lockstep_sdk.json")
local npy = require("lockstep_sdk.npy")
local failures = require("lockstep_sdk.failures")
local jobs = require("lockstep_sdk.job")
local Channel = require("lockstep_sdk.channel")
local clock = require("lockstep_sdk.clock")
local dataset = require("lockstep_sdk.dataset")

ffi.cdef "int pipe(int fds[2]);"

local folder, tests = arg[1], {}

local function same(found, wanted)
    if found ~= wanted then
        error(("found %s, not %s"):format(tostring(found), tostring(wanted)), 2)
    end
end

local function refused(kind, call, ...)
    local arguments, count = { ... }, select("#", ...)
    local good, caught = xpcall(function() call(unpack(arguments, 1, count)) end, failures.caught)
    same(good, false)
    return same(failures.described(caught, function() return false end).kind, kind)
end

function tests.json_comes_back_as_it_went_in()
    local text = '{"a":[1,-2.5,0.5,[],{}],"b":null,"c":"\\u0001\\"\\\\ \195\169 \240\159\152\128","d":[true,false]}'
    same(json.encode(json.decode(text)), text)
    same(json.decode('"\\ud83d\\ude00\\n"'), "\240\159\152\128\n")
end

function tests.what_is_not_json_is_refused()
    for _, text in ipairs({ "", "[1,]", '{"a" 1}', "NaN", '"a', "[1] 2", "\255", "01", "tru", '"\\ud800"', '"\n"',
                            "\226a\130\172", ("["):rep(200) }) do
        same(pcall(json.decode, text), false)
    end
end

function tests.a_number_that_is_not_finite_travels_as_null()
    same(json.encode({ loss = 0 / 0, losses = { 1, math.huge, -math.huge } }), '{"loss":null,"losses":[1,null,null]}')
end

function tests.a_stamp_keeps_its_nanoseconds()
    same(json.encode({ at = 9007199254740993LL }), '{"at":9007199254740993}')
end

function tests.versions_keep_their_order()
    same(json.encode(json.ordered({ { "z", "1" }, { "a", "2" } })), '{"z":"1","a":"2"}')
end

function tests.an_npy_file_comes_back_as_it_went_in()
    local path = npy.write(folder .. "/f.npy", ffi.new("float[6]", { 1, 2, 3, 4, 5, 6.5 }), "<f4", { 2, 3 })
    local found = npy.mapped(path, "<f4", 2)
    same(table.concat(found.shape, "x"), "2x3")
    same(found.data[5], 6.5)
    same(found.offset % 64, 0)
end

function tests.a_file_of_another_kind_length_or_rank_is_refused()
    local path = npy.write(folder .. "/f.npy", ffi.new("float[6]"), "<f4", { 2, 3 })
    refused("protocol", npy.mapped, path, "<i4", 2)
    refused("protocol", npy.mapped, path, "<f4", 1)
    refused("protocol", npy.mapped, folder .. "/none.npy", "<f4")
    local file = io.open(path, "ab")
    file:write("more")
    file:close()
    refused("protocol", npy.mapped, path, "<f4", 2)
    file = io.open(path, "wb")
    file:write("\147NUMPY\1\0\255\255{}")
    file:close()
    refused("protocol", npy.mapped, path, "<f4", 2)
end

function tests.a_file_that_cannot_be_written_is_named()
    local good, problem = pcall(npy.write, folder .. "/no/f.npy", ffi.new("float[1]"), "<f4", { 1 })
    same(good, false)
    assert(problem:find("no/f.npy cannot be written: No such file", 1, true), problem)
end

function tests.a_batch_is_the_float32_product_with_1_over_255_in_both_orders()
    local bytes = ffi.new("uint8_t[24]")
    for place = 0, 23 do
        bytes[place] = place * 10
    end
    local path = npy.write(folder .. "/images.npy", bytes, "|u1", { 2, 2, 3, 2 })
    local images, factor = dataset.images(path, 0.00392156862745098), ffi.new("float[1]", 1 / 255)[0]
    local to, chosen = ffi.new("float[12]"), ffi.new("int64_t[1]", 1)
    images:gather(chosen, 0, 1, to, false)
    same(to[3], ffi.new("float[1]", 150 * factor)[0])
    images:gather(chosen, 0, 1, to, true)
    same(to[6], ffi.new("float[1]", 130 * factor)[0]) -- first row and column of the second channel
end

function tests.an_order_outside_the_data_is_refused()
    local images = dataset.images(npy.write(folder .. "/i.npy", ffi.new("uint8_t[4]"), "|u1", { 4, 1, 1, 1 }), 1)
    for _, wrong in ipairs({ -1, 4 }) do
        refused("protocol", images.checked, images, { data = ffi.new("int64_t[2]", { 0, wrong }), count = 2 })
    end
end

function tests.each_failure_has_its_kind()
    refused("unsupported", failures.unsupported, "no")
    refused("protocol", failures.protocol, "what?")
    refused("framework", error, "bad argument")
    refused("resources", error, "$ Torch: not enough memory: you tried to allocate 9GB. Buy new RAM!")
end

function tests.the_message_is_one_line_without_the_traceback()
    local failure = { foreign = "In 3 module of nn.Sequential:\n\tsize mismatch\nstack traceback:\n\tx", traceback = "t" }
    same(failures.described(failure, function() return false end).message, "In 3 module of nn.Sequential: size mismatch")
end

function tests.progress_is_told_at_most_four_times_a_second()
    local fds = ffi.new("int[4]")
    ffi.C.pipe(fds)
    ffi.C.pipe(fds + 2)
    local channel, now = Channel.new(fds[0], fds[3]), 0LL
    local real = clock.now
    clock.now = function() return now end
    channel.last_event = now
    for step = 1, 1000 do -- one step a millisecond
        now = now + 1000000LL
        channel:progress(step, 1000, 1)
    end
    clock.now = real
    local buffer = ffi.new("char[4096]")
    local text, told = ffi.string(buffer, ffi.C.read(fds[2], buffer, 4096)), {}
    for done in text:gmatch('"done":(%d+)') do
        told[#told + 1] = done
    end
    same(table.concat(told, " "), "250 500 750 1000")
end

function tests.an_option_takes_only_its_values()
    local good = [[{"batch":1,"optimizer":{"kind":"adam","learning_rate":0.1},"options":{"a":"0","b":"maybe"},"network":
        {"id":"n","short":"n","input":[1,1,1],"classes":1,"layers":[{"kind":"dense","name":"d","input":[1],"output":[1],
        "units":1}]}}]]
    local _, job = jobs.parsed(json.decode(good))
    refused("protocol", job.number, job, "a")
    refused("protocol", job.choice, job, "b", { "off", "on" })
    same(job:choice("c", { "off", "on" }), "off")
end

local failed = 0
for name, test in pairs(tests) do
    if not arg[2] or arg[2] == name then
        local good, problem = pcall(test)
        print((good and "ok " or "FAILED ") .. name .. (good and "" or ": " .. tostring(problem)))
        failed = failed + (good and 0 or 1)
    end
end
os.exit(failed == 0 and 0 or 1)
