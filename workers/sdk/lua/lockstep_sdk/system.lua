-- The functions of the C library that the SDK calls, declared once.
local ffi = require("ffi")

ffi.cdef [[
typedef struct { int64_t seconds, nanoseconds; } lockstep_time;
typedef struct { int fd; short events, happened; } lockstep_poll;
int clock_gettime(int clock, lockstep_time *time);
int open(const char *path, int flags, ...);
int close(int fd);
int fcntl(int fd, int command, ...);
int poll(lockstep_poll *fds, unsigned long count, int milliseconds);
int getpid(void);
int mkdir(const char *path, unsigned int mode);
int munmap(void *address, size_t length);
int64_t lseek(int fd, int64_t offset, int whence);
intptr_t read(int fd, void *to, size_t count);
intptr_t write(int fd, const void *from, size_t count);
void *mmap(void *address, size_t length, int protection, int flags, int fd, int64_t offset);
void *calloc(size_t count, size_t size);
void free(void *memory);
void _exit(int code);
char *strerror(int number);
]]

local C = ffi.C
local system = { C = C }

local EINTR, EEXIST = 4, 17

-- What the last failed call says of itself.
function system.problem()
    return ffi.string(C.strerror(ffi.errno()))
end

-- True when the last call failed only because a signal came.
function system.interrupted()
    return ffi.errno() == EINTR
end

-- Zeroed memory for `count` values of a C type, a pointer that frees it when it is collected: pointers
-- derived from it do not. It lies outside LuaJIT's own heap, where arrays of ffi.new() lie.
function system.array(kind, count)
    local memory = C.calloc(math.max(count, 1), ffi.sizeof(kind))
    if memory == nil then
        error(("not enough memory for %.0f values of %s"):format(count, kind), 0)
    end
    return ffi.gc(ffi.cast(kind .. " *", memory), C.free)
end

-- Writes all `count` bytes; false when the descriptor does not take them (then see problem()).
function system.write_all(fd, from, count)
    local bytes, done = ffi.cast("const char *", from), 0
    while done < count do
        local written = tonumber(C.write(fd, bytes + done, count - done))
        if written >= 0 then
            done = done + written
        elseif not system.interrupted() then
            return false
        end
    end
    return true
end

-- Makes the folder and those above it.
function system.make_folders(path)
    for place in path:gmatch("()/") do
        if place > 1 then
            C.mkdir(path:sub(1, place - 1), 511)
        end
    end
    if C.mkdir(path, 511) ~= 0 and ffi.errno() ~= EEXIST then
        error(("%s cannot be made: %s"):format(path, system.problem()), 0)
    end
end

-- Ends the process at once; frameworks' own threads and finalizers are not waited for.
function system.leave(code)
    io.stdout:flush()
    io.stderr:flush()
    C._exit(code)
end

return system
