// The one form in which a failure travels: what is wrong, and what to do about it.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace lockstep {

// `what`: one sentence that names the thing and the value found. `remedy`: one sentence that says
// what the user can do. Both end with a full stop; neither is empty.
struct Error {
    std::string what;
    std::string remedy;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(std::string what, std::string remedy)
{
    return tl::unexpected<Error>(Error{std::move(what), std::move(remedy)});
}

}  // namespace lockstep
