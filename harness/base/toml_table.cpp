// On toml++; one place where its node types are known.
#include "harness/base/toml_table.hpp"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <set>

#include "harness/base/atomic_file.hpp"
#include "harness/base/nearest_word.hpp"

namespace lockstep {

struct TomlTable::State {
    std::shared_ptr<const toml::table> root;  // keeps sub-tables alive
    const toml::table* table = nullptr;
    std::string source;
    std::set<std::string> asked;
    std::optional<Error> problem;

    // The node of `key`, noted as asked for; null when absent or after a problem.
    const toml::node* find(std::string_view key)
    {
        asked.emplace(key);
        return problem ? nullptr : table->get(key);
    }
    std::string place(const toml::node& node) const
    {
        return fmt::format("{}, line {}", source, node.source().begin.line);
    }
    void wrong(const toml::node& node, std::string_view key, std::string_view expected)
    {
        problem = Error{fmt::format("{}: \"{}\" is not {}.", place(node), key, expected),
                        fmt::format("Give {} {}.", key, expected)};
    }
    std::shared_ptr<State> child(const toml::table& sub) const
    {
        auto state = std::make_shared<State>();
        state->root = root;
        state->table = &sub;
        state->source = source;
        return state;
    }
};

TomlTable::TomlTable(std::shared_ptr<State> state) : state_(std::move(state)) {}

Result<TomlTable> TomlTable::open(const std::filesystem::path& path)
{
    const Result<std::string> text = read_file(path);
    if (!text) {
        return tl::unexpected(text.error());
    }
    return parse(*text, path.string());
}

Result<TomlTable> TomlTable::parse(std::string_view text, const std::string& source)
{
    try {
        auto state = std::make_shared<State>();
        state->root = std::make_shared<const toml::table>(toml::parse(text, source));
        state->table = state->root.get();
        state->source = source;
        return TomlTable(state);
    } catch (const toml::parse_error& error) {
        return fail(fmt::format("{}, line {}: this is not TOML: {}.", source, error.source().begin.line,
                                error.description()),
                    "Correct that line.");
    }
}

bool TomlTable::has(std::string_view key) const
{
    return state_->table->contains(key);
}

bool TomlTable::holds_text(std::string_view key) const
{
    const toml::node* node = state_->table->get(key);
    return node && node->is_string();
}

void TomlTable::require(std::string_view key)
{
    state_->asked.emplace(key);
    if (!state_->problem && !has(key)) {
        state_->problem = Error{fmt::format("{}, line {}: \"{}\" is missing.", state_->source,
                                            state_->table->source().begin.line, key),
                                fmt::format("Add a line {} = ...", key)};
    }
}

void TomlTable::text(std::string_view key, std::string& target)
{
    if (const toml::node* node = state_->find(key)) {
        if (const auto value = node->value_exact<std::string>()) {
            target = *value;
        } else {
            state_->wrong(*node, key, "a string");
        }
    }
}

void TomlTable::text(std::string_view key, std::optional<std::string>& target)
{
    std::string value;
    text(key, value);
    if (has(key) && !state_->problem) {
        target = value;
    }
}

void TomlTable::choice(std::string_view key, std::string& target, std::span<const std::string> known)
{
    std::string value = target;
    text(key, value);
    if (state_->problem || !has(key)) {
        return;
    }
    if (std::find(known.begin(), known.end(), value) != known.end()) {
        target = value;
        return;
    }
    const auto near = nearest_word(value, known);
    complain(key, fmt::format("\"{}\" is not a value of {}", value, key),
             near ? fmt::format("Did you mean \"{}\"? Known are {}.", *near, join_words(known))
                  : fmt::format("Known are {}.", join_words(known)));
}

void TomlTable::flag(std::string_view key, bool& target)
{
    if (const toml::node* node = state_->find(key)) {
        if (const auto value = node->value_exact<bool>()) {
            target = *value;
        } else {
            state_->wrong(*node, key, "true or false");
        }
    }
}

void TomlTable::integer(std::string_view key, std::int64_t& target, std::int64_t least, std::int64_t most)
{
    if (const toml::node* node = state_->find(key)) {
        const auto value = node->value_exact<std::int64_t>();
        if (value && *value >= least && *value <= most) {
            target = *value;
        } else {
            state_->wrong(*node, key, fmt::format("a whole number from {} to {}", least, most));
        }
    }
}

void TomlTable::number(std::string_view key, double& target, double least, double most)
{
    if (const toml::node* node = state_->find(key)) {
        const auto value = node->is_number() ? node->value<double>() : std::nullopt;
        if (value && *value >= least && *value <= most) {
            target = *value;
        } else {
            state_->wrong(*node, key, fmt::format("a number from {} to {}", least, most));
        }
    }
}

void TomlTable::texts(std::string_view key, std::vector<std::string>& target)
{
    if (const toml::node* node = state_->find(key)) {
        std::vector<std::string> values;
        const toml::array* array = node->as_array();
        for (std::size_t i = 0; array && i < array->size(); ++i) {
            if (const auto value = array->get(i)->value_exact<std::string>()) {
                values.push_back(*value);
            }
        }
        if (!array || values.size() != array->size()) {
            state_->wrong(*node, key, "a list of strings");
        } else {
            target = std::move(values);
        }
    }
}

void TomlTable::integers(std::string_view key, std::vector<std::int64_t>& target)
{
    if (const toml::node* node = state_->find(key)) {
        std::vector<std::int64_t> values;
        const toml::array* array = node->as_array();
        for (std::size_t i = 0; array && i < array->size(); ++i) {
            if (const auto value = array->get(i)->value_exact<std::int64_t>()) {
                values.push_back(*value);
            }
        }
        if (!array || values.size() != array->size()) {
            state_->wrong(*node, key, "a list of whole numbers");
        } else {
            target = std::move(values);
        }
    }
}

void TomlTable::text_map(std::string_view key, std::map<std::string, std::string>& target)
{
    const toml::node* node = state_->find(key);
    if (!node) {
        return;
    }
    if (!node->is_table()) {
        return state_->wrong(*node, key, "a table of settings");
    }
    for (const auto& [name, value] : *node->as_table()) {
        if (const auto string = value.value_exact<std::string>()) {
            target[std::string(name.str())] = *string;
        } else if (const auto truth = value.value_exact<bool>()) {
            target[std::string(name.str())] = *truth ? "true" : "false";
        } else if (const auto whole = value.value_exact<std::int64_t>()) {
            target[std::string(name.str())] = fmt::format("{}", *whole);
        } else if (const auto real = value.value_exact<double>()) {
            target[std::string(name.str())] = fmt::format("{}", *real);
        } else {
            return state_->wrong(value, name.str(), "a string, a number, true or false");
        }
    }
}

std::optional<TomlTable> TomlTable::table(std::string_view key)
{
    const toml::node* node = state_->find(key);
    if (!node) {
        return {};
    }
    if (!node->is_table()) {
        state_->wrong(*node, key, "a table");
        return {};
    }
    return TomlTable(state_->child(*node->as_table()));
}

std::vector<TomlTable> TomlTable::tables(std::string_view key)
{
    std::vector<TomlTable> all;
    const toml::node* node = state_->find(key);
    if (!node) {
        return all;
    }
    const toml::array* array = node->as_array();
    for (std::size_t i = 0; array && i < array->size(); ++i) {
        if (const toml::table* entry = array->get(i)->as_table()) {
            all.push_back(TomlTable(state_->child(*entry)));
        }
    }
    if (!array || all.size() != array->size()) {
        state_->wrong(*node, key, fmt::format("a list of tables, each headed [[{}]]", key));
    }
    return all;
}

void TomlTable::complain(std::string_view key, std::string what, std::string remedy)
{
    if (!state_->problem) {
        const toml::node* node = state_->table->get(key);
        state_->problem = Error{fmt::format("{}: {}.", state_->place(node ? *node : *state_->table), what),
                                std::move(remedy)};
    }
}

Result<void> TomlTable::finish()
{
    if (state_->problem) {
        return tl::unexpected(*state_->problem);
    }
    const std::vector<std::string> known(state_->asked.begin(), state_->asked.end());
    for (const auto& [key, node] : *state_->table) {
        const std::string name(key.str());
        if (!state_->asked.contains(name)) {
            const auto near = nearest_word(name, known);
            return fail(fmt::format("{}: \"{}\" is not a known key.", state_->place(node), name),
                        near ? fmt::format("Did you mean \"{}\"?", *near)
                             : fmt::format("Known are {}.", join_words(known)));
        }
    }
    return {};
}

}  // namespace lockstep
