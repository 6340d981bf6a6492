// Files that appear whole or not at all: written aside in the same folder, then renamed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "harness/base/error.hpp"

namespace lockstep {

// no: the system writes to the disk when it likes. For files in a folder that itself appears only when whole,
// beside large ones that are not waited for either; they outlive a killed process, not a loss of power.
enum class Flush { yes, no };

// A file being written. Destroyed without commit(), it leaves nothing behind.
class AtomicFile {
public:
    // Fails when the folder is missing or not writable.
    static Result<AtomicFile> create(const std::filesystem::path& target);
    AtomicFile(AtomicFile&& other) noexcept;
    AtomicFile& operator=(AtomicFile&&) = delete;
    ~AtomicFile();

    Result<void> write(const void* bytes, std::size_t size);
    Result<void> write(std::string_view text) { return write(text.data(), text.size()); }
    Result<void> commit(Flush flush = Flush::yes);  // renames; an earlier target is replaced

private:
    AtomicFile(std::filesystem::path target, std::filesystem::path aside, int fd);
    std::filesystem::path target_;
    std::filesystem::path aside_;
    int fd_ = -1;
};

Result<void> write_file(const std::filesystem::path& target, std::string_view text, Flush flush = Flush::yes);
Result<std::string> read_file(const std::filesystem::path& path);

}  // namespace lockstep
