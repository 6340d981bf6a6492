// Reading a TOML table key by key: types and ranges are checked, and what nobody asked for is an error
// that names the nearest known key. Used for every file that people write by hand.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.hpp"

namespace lockstep {

// The first problem met is kept and reported by finish(); after it every read leaves its target alone.
// A target is also left alone when its key is absent, so that its value before the call is the default.
class TomlTable {
public:
    static Result<TomlTable> open(const std::filesystem::path& path);
    static Result<TomlTable> parse(std::string_view text, const std::string& source);

    bool has(std::string_view key) const;
    bool holds_text(std::string_view key) const;
    void require(std::string_view key);  // an absent key is a problem

    void text(std::string_view key, std::string& target);
    void text(std::string_view key, std::optional<std::string>& target);
    void choice(std::string_view key, std::string& target, std::span<const std::string> known);
    void flag(std::string_view key, bool& target);
    void integer(std::string_view key, std::int64_t& target, std::int64_t least, std::int64_t most);
    void number(std::string_view key, double& target, double least, double most);
    void texts(std::string_view key, std::vector<std::string>& target);  // an array of strings
    void integers(std::string_view key, std::vector<std::int64_t>& target);
    // A table whose keys are free: strings as they are, numbers and booleans as text.
    void text_map(std::string_view key, std::map<std::string, std::string>& target);

    std::optional<TomlTable> table(std::string_view key);  // a sub-table; it has a finish() of its own
    std::vector<TomlTable> tables(std::string_view key);   // an array of tables

    // A problem that the reader's owner found in the value of `key`.
    void complain(std::string_view key, std::string what, std::string remedy);
    // The first problem, or an unknown key. The source and line are in the sentence.
    Result<void> finish();

private:
    struct State;
    explicit TomlTable(std::shared_ptr<State> state);
    std::shared_ptr<State> state_;
};

}  // namespace lockstep
