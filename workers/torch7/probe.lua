-- Whether this LuaJIT can train with Torch7: prints its versions as name==version, or fails with the reason.
local function demand(good, reason)
    if not good then
        io.stderr:write((tostring(reason):match("[^\r\n]+") or "no reason given"), "\n")
        os.exit(1)
    end
end

demand(jit and pcall(require, "ffi"), "it is no LuaJIT with an FFI")
for _, name in ipairs({ "torch", "nn", "optim" }) do
    demand(pcall(require, name))
end
-- The tensors are those of Torch7's own library, and their memory can be reached.
demand(package.loaded.libtorch, "its torch has no library libtorch")
local loaded, failure = pcall(function()
    local tensor = torch.FloatTensor(2):fill(1.5)
    assert(tensor:data()[1] == 1.5, "its tensors do not hold what is put into them")
end)
demand(loaded, failure)
-- Torch7 has no releases: the rock's version is scm-1 for all.
print("torch7==scm-1")
print("luajit==" .. jit.version:gsub("^LuaJIT ", ""):gsub("%s+", ""))
