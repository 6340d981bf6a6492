// See the header.
#include "harness/launch/placeholders.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/nearest_word.hpp"

namespace lockstep::launch {
namespace {

struct Found {
    std::size_t begin = std::string_view::npos;  // of the opening brace
    std::size_t end = 0;                         // behind the closing one
    std::string name;
};

bool is_name(std::string_view text)
{
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

Found next_placeholder(std::string_view text, std::size_t from)
{
    for (std::size_t open = text.find('{', from); open != std::string_view::npos;
         open = text.find('{', open + 1)) {
        const std::size_t close = text.find('}', open);
        if (close != std::string_view::npos && is_name(text.substr(open + 1, close - open - 1))) {
            return {open, close + 1, std::string(text.substr(open + 1, close - open - 1))};
        }
    }
    return {};
}

std::string quoted_list()
{
    std::vector<std::string> quoted;
    for (const std::string& name : placeholder_names()) {
        quoted.push_back("{" + name + "}");
    }
    return join_words(quoted);
}

Error unknown(const std::string& name)
{
    const std::optional<std::string> near = nearest_word(name, placeholder_names());
    return {fmt::format("There is no placeholder {{{}}}.", name),
            near ? fmt::format("Did you mean {{{}}}?", *near) : fmt::format("There are {}.", quoted_list())};
}

}  // namespace

std::span<const std::string> placeholder_names()
{
    static const std::vector<std::string> names{"python", "folder", "sdk", "bin", "home", "threads"};
    return names;
}

Result<std::string> expand(std::string_view text, const Placeholders& values, std::string_view where)
{
    std::string result;
    std::size_t at = 0;
    for (Found found = next_placeholder(text, 0); found.begin != std::string_view::npos;
         found = next_placeholder(text, at)) {
        const auto value = values.find(found.name);
        if (value == values.end()) {
            if (std::ranges::find(placeholder_names(), found.name) == placeholder_names().end()) {
                const Error error = unknown(found.name);
                return fail(fmt::format("{}: {}", where, error.what), error.remedy);
            }
            return fail(
                fmt::format("{}: {{{}}} has no value here.", where, found.name),
                fmt::format("Take {{{}}} out, or give the worker an install that provides it.", found.name));
        }
        result += text.substr(at, found.begin - at);
        result += value->second;
        at = found.end;
    }
    result += text.substr(at);
    return result;
}

Result<std::vector<std::string>> expand_all(std::span<const std::string> texts, const Placeholders& values,
                                            std::string_view where)
{
    std::vector<std::string> results;
    for (const std::string& text : texts) {
        Result<std::string> expanded = expand(text, values, where);
        if (!expanded) {
            return tl::unexpected(expanded.error());
        }
        results.push_back(std::move(*expanded));
    }
    return results;
}

std::optional<Error> placeholder_problem(std::string_view text)
{
    std::size_t at = 0;
    for (Found found = next_placeholder(text, at); found.begin != std::string_view::npos;
         found = next_placeholder(text, at)) {
        if (std::ranges::find(placeholder_names(), found.name) == placeholder_names().end()) {
            return unknown(found.name);
        }
        at = found.end;
    }
    return std::nullopt;
}

}  // namespace lockstep::launch
