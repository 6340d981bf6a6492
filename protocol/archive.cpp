// The parts of the archives that no message's type changes, compiled once.
#include "protocol/archive.hpp"

#include <cmath>
#include <utility>

namespace lockstep::protocol {

void Trouble::note(std::string_view why)
{
    if (none()) {
        first_ = (path_.empty() ? "the message" : path_) + " " + std::string(why);
    }
}

Trouble::Step::Step(Trouble& trouble, std::string_view key) : trouble_(trouble), length_(trouble.path_.size())
{
    trouble_.path_ += length_ == 0 ? "" : ".";
    trouble_.path_ += key.empty() ? "\"\"" : key;
}

Trouble::Step::Step(Trouble& trouble, std::size_t index) : trouble_(trouble), length_(trouble.path_.size())
{
    trouble_.path_ += "[" + std::to_string(index) + "]";
}

Json Writer::form_of(double value)
{
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}
Json Writer::form_of(bool value)
{
    return value;
}
Json Writer::form_of(int value)
{
    return value;
}
Json Writer::form_of(std::int64_t value)
{
    return value;
}
Json Writer::form_of(std::uint64_t value)
{
    return value;
}
Json Writer::form_of(const std::string& value)
{
    return value;
}
Json Writer::form_of(const char* value)
{
    return value;
}
Json Writer::form_of(const Period& value)
{
    return Json::array({value.begin, value.end});
}
void Writer::put(std::string_view key, Json&& value)
{
    json[std::string(key)] = std::move(value);
}
void Writer::append(Json& list, Json&& value)
{
    list.push_back(std::move(value));
}

Reader::Reader(const Json& json, Trouble& trouble) : json_(json), trouble_(trouble)
{
    if (!json_.is_object()) {
        trouble_.note("is not an object");
    }
}

void Reader::check(bool ok, std::string_view key, std::string_view why)
{
    if (!ok) {
        const Trouble::Step step(trouble_, key);
        trouble_.note(why);
    }
}

void Reader::take(const Json& json, double& value)
{
    if (json.is_number() && std::isfinite(json.get<double>())) {
        value = json.get<double>();
    } else {
        trouble_.note("is not a number");
    }
}

void Reader::take(const Json& json, bool& value)
{
    if (json.is_boolean()) {
        value = json.get<bool>();
    } else {
        trouble_.note("is neither true nor false");
    }
}

template <class T>
void Reader::take_whole(const Json& json, T& value)
{
    if (json.is_number_unsigned() && std::in_range<T>(json.get<std::uint64_t>())) {
        value = static_cast<T>(json.get<std::uint64_t>());
    } else if (json.is_number_integer() && !json.is_number_unsigned() &&
               std::in_range<T>(json.get<std::int64_t>())) {
        value = static_cast<T>(json.get<std::int64_t>());
    } else {
        trouble_.note(json.is_number_integer() ? "is out of range" : "is not a whole number");
    }
}

void Reader::take(const Json& json, int& value)
{
    take_whole(json, value);
}
void Reader::take(const Json& json, std::int64_t& value)
{
    take_whole(json, value);
}
void Reader::take(const Json& json, std::uint64_t& value)
{
    take_whole(json, value);
}

void Reader::take(const Json& json, std::string& value)
{
    if (json.is_string()) {
        value = json.get_ref<const std::string&>();
    } else {
        trouble_.note("is not text");
    }
}

void Reader::take(const Json& json, Period& value)
{
    std::array<std::int64_t, 2> stamps{};
    take(json, stamps);
    value = {stamps[0], stamps[1]};
    if (value.end < value.begin) {
        trouble_.note("ends before it begins");
    }
}

void Reader::take(const Json& json, std::vector<std::pair<std::string, std::string>>& values)
{
    for (const auto& [name, value] : members(json)) {
        const Trouble::Step step(trouble_, name);
        take(*value, values.emplace_back(name, "").second);
    }
}

const Json* Reader::find(std::string_view key) const
{
    const auto found = json_.find(std::string(key));
    return found == json_.end() || found->is_null() ? nullptr : &*found;
}

const Json* Reader::need(std::string_view key)
{
    const auto found = json_.find(std::string(key));
    if (found == json_.end()) {
        trouble_.note("is missing");
        return nullptr;
    }
    return &*found;
}

std::vector<std::pair<std::string, const Json*>> Reader::members(const Json& json)
{
    std::vector<std::pair<std::string, const Json*>> all;
    if (!json.is_object()) {
        trouble_.note("is not an object");
        return all;
    }
    for (auto member = json.begin(); member != json.end(); ++member) {
        all.emplace_back(member.key(), &*member);
    }
    return all;
}

}  // namespace lockstep::protocol
