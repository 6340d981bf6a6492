// Content digests: identity of files and settings, 32 hexadecimal digits. XXH3-128; not a defence
// against forgery.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "harness/base/error.hpp"

namespace lockstep {

class Digest {
public:
    Digest();
    ~Digest();
    Digest(Digest&&) noexcept;
    Digest& operator=(Digest&&) noexcept;
    void add(const void* bytes, std::size_t size);
    void add(std::string_view text) { add(text.data(), text.size()); }
    std::string hex() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

std::string digest_of(std::string_view text);
Result<std::string> digest_of_file(const std::filesystem::path& path);  // streams; any size

}  // namespace lockstep
