-- The BLAS that Torch7 was linked to. Torch7 lets one matrix product run at a time, also inside its own OpenMP
-- loops, so threads of the BLAS never multiply with those of Torch7.
local ffi = require("ffi")

ffi.cdef [[
int openblas_get_parallel(void);
int openblas_get_num_threads(void);
void openblas_set_num_threads(int threads);
char *openblas_get_config(void);
char *openblas_get_corename(void);
]]

local blas = {}
local OWN_THREADS = 1 -- openblas_get_parallel: 0 none, 1 its own, 2 OpenMP

local function mapped_library()
    for line in io.lines("/proc/self/maps") do
        local path = line:match("(/%S*lib%S*blas%S*%.so%S*)") or line:match("(/%S*libmkl_%S*%.so%S*)")
        if path then
            return path
        end
    end
end

-- Sets the BLAS to so many threads and returns what is known of it: text to text.
function blas.prepare(threads)
    local path = mapped_library()
    if not path then
        return { blas = "not seen" }
    end
    local facts = { blas = path:match("[^/]+$") }
    if not path:find("openblas", 1, true) then
        return facts
    end
    local library = ffi.load(path)
    pcall(function()
        local own = library.openblas_get_parallel() == OWN_THREADS
        library.openblas_set_num_threads(threads)
        facts.blas_threads = ("%d (%s)"):format(library.openblas_get_num_threads(),
                                                own and "its own" or "OpenMP")
        facts.blas_build = ffi.string(library.openblas_get_config())
        facts.blas_kernels = ffi.string(library.openblas_get_corename())
    end)
    return facts
end

return blas
