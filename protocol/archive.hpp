// Two archives, one that writes JSON and one that reads it, so that the fields of each message are
// listed once (fields.hpp) and both directions agree. Internal to the codec.
//
// A list of fields is `void describe(auto& archive, Message& message)` and may call
//   archive("key", member)         must be there; an optional member must be there and may be null
//   archive.maybe("key", member)   an optional or a container that may be left out
//   archive.group("key", lambda)   an object inside
//   archive.check(ok, "key", why)  a condition on what was read; nothing when writing
//   if constexpr (archive.kReads)  for members that JSON holds in another form
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "protocol/codec.hpp"

namespace lockstep::protocol {

// The JSON names of an enumeration, in the order of its values; specialised in fields.hpp.
template <class Enum>
struct NamesOf;

// The first thing that was wrong while reading, with the path to it.
class Trouble {
public:
    bool none() const { return first_.empty(); }
    const std::string& text() const { return first_; }
    void note(std::string_view why);

    // One more step on the path, for as long as it lives.
    class Step {
    public:
        Step(Trouble& trouble, std::string_view key);
        Step(Trouble& trouble, std::size_t index);
        ~Step() { trouble_.path_.resize(length_); }
        Step(const Step&) = delete;
        Step& operator=(const Step&) = delete;

    private:
        Trouble& trouble_;
        std::size_t length_;  // of the path before
    };

private:
    std::string path_;
    std::string first_;
};

class Writer {
public:
    static constexpr bool kReads = false;
    Json json = Json::object();

    template <class T>
    void operator()(const char* key, const T& value)
    {
        put(key, form_of(value));
    }
    template <class T>
    void maybe(const char* key, const T& value)
    {
        if constexpr (requires { value.has_value(); }) {
            if (value) {
                put(key, form_of(*value));
            }
        } else if (!value.empty()) {
            put(key, form_of(value));
        }
    }
    void group(const char* key, auto&& fields)
    {
        Writer inner;
        fields(inner);
        put(key, std::move(inner.json));
    }
    void check(bool, const std::string&, std::string_view) {}

    static Json form_of(double value);
    static Json form_of(bool value);
    static Json form_of(int value);
    static Json form_of(std::int64_t value);
    static Json form_of(std::uint64_t value);
    static Json form_of(const std::string& value);
    static Json form_of(const char* value);
    static Json form_of(const Period& value);
    template <class T>
    static Json form_of(const std::optional<T>& value)
    {
        return value ? form_of(*value) : Json(nullptr);
    }
    template <class T>
    static Json list_of(const T& values)
    {
        Json list = Json::array();
        for (const auto& value : values) {
            append(list, form_of(value));
        }
        return list;
    }
    template <class T>
    static Json form_of(const std::vector<T>& values)
    {
        return list_of(values);
    }
    template <class T, std::size_t N>
    static Json form_of(const std::array<T, N>& values)
    {
        return list_of(values);
    }
    template <class Pairs>
    static Json object_of(const Pairs& pairs)
    {
        Writer object;
        for (const auto& [name, value] : pairs) {
            object.put(name, form_of(value));
        }
        return std::move(object.json);
    }
    template <class T>
    static Json form_of(const std::map<std::string, T>& values)
    {
        return object_of(values);
    }
    static Json form_of(const std::vector<std::pair<std::string, std::string>>& values)
    {
        return object_of(values);
    }
    template <class T>
    requires std::is_enum_v<T>
    static Json form_of(T value) { return NamesOf<T>::names[static_cast<std::size_t>(value)]; }
    template <class T>
    requires std::is_class_v<T>
    static Json form_of(const T& message)
    {
        Writer inner;
        describe(inner, const_cast<T&>(message));  // a Writer only looks: see kReads
        return std::move(inner.json);
    }

private:
    void put(std::string_view key, Json&& value);
    static void append(Json& list, Json&& value);
};

class Reader {
public:
    static constexpr bool kReads = true;
    Reader(const Json& json, Trouble& trouble);

    template <class T>
    void operator()(const char* key, T& value)
    {
        const Trouble::Step step(trouble_, key);
        if (const Json* found = need(key)) {
            take(*found, value);
        }
    }
    template <class T>
    void maybe(const char* key, T& value)
    {
        const Trouble::Step step(trouble_, key);
        if (const Json* found = find(key)) {
            take(*found, value);
        }
    }
    void group(const char* key, auto&& fields)
    {
        const Trouble::Step step(trouble_, key);
        if (const Json* found = need(key)) {
            Reader inner(*found, trouble_);
            fields(inner);
        }
    }
    void check(bool ok, std::string_view key, std::string_view why);

    void take(const Json& json, double& value);
    void take(const Json& json, bool& value);
    void take(const Json& json, int& value);
    void take(const Json& json, std::int64_t& value);
    void take(const Json& json, std::uint64_t& value);
    void take(const Json& json, std::string& value);
    void take(const Json& json, Period& value);
    template <class T>
    void take(const Json& json, std::optional<T>& value)
    {
        if (json.is_null()) {
            value.reset();
        } else {
            take(json, value.emplace());
        }
    }
    template <class T>
    void take(const Json& json, std::vector<T>& values)
    {
        values.clear();
        if (!json.is_array()) {
            trouble_.note("is not a list");
            return;
        }
        for (const Json& element : json) {
            const Trouble::Step step(trouble_, values.size());
            take(element, values.emplace_back());
        }
    }
    template <class T, std::size_t N>
    void take(const Json& json, std::array<T, N>& values)
    {
        if (!json.is_array() || json.size() != N) {
            trouble_.note("is not a list of " + std::to_string(N));
            return;
        }
        for (std::size_t i = 0; i < N; ++i) {
            const Trouble::Step step(trouble_, i);
            take(json[i], values[i]);
        }
    }
    template <class T>
    void take(const Json& json, std::map<std::string, T>& values)
    {
        for (const auto& [name, value] : members(json)) {
            const Trouble::Step step(trouble_, name);
            take(*value, values[name]);
        }
    }
    void take(const Json& json, std::vector<std::pair<std::string, std::string>>& values);
    template <class T>
    requires std::is_enum_v<T>
    void take(const Json& json, T& value)
    {
        std::string name;
        take(json, name);
        for (std::size_t i = 0; i < NamesOf<T>::names.size(); ++i) {
            if (NamesOf<T>::names[i] == name) {
                value = static_cast<T>(i);
                return;
            }
        }
        trouble_.note("\"" + name + "\" is not known");
    }
    template <class T>
    requires std::is_class_v<T>
    void take(const Json& json, T& message)
    {
        Reader inner(json, trouble_);
        describe(inner, message);
    }

private:
    const Json* find(std::string_view key) const;  // null when it is absent or null
    const Json* need(std::string_view key);        // the same, but null is a value; notes what is missing
    // Names and values of an object; notes when it is none.
    std::vector<std::pair<std::string, const Json*>> members(const Json& json);
    template <class T>
    void take_whole(const Json& json, T& value);

    const Json& json_;
    Trouble& trouble_;
};

}  // namespace lockstep::protocol
