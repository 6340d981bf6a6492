// How a run ended. A worker's failure is data, never an exception of the harness.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/error.hpp"

namespace lockstep::record {

enum class OutcomeKind {
    completed,    // every request was answered
    skipped,      // the framework cannot do what was asked, or is not installed
    crashed,      // the process ended by itself: signal or exit code
    hung,         // no answer or no event within its time
    garbage,      // the protocol was broken: not JSON, wrong id, missing field, closed pipe
    failed,       // the framework reported an error
    lied,         // a figure it reported contradicts what was built (parameter count, stamps, shapes)
    not_finite,   // loss or weights became NaN or infinite
    interrupted,  // the user stopped the campaign
};

std::string_view word(OutcomeKind kind);                   // "completed", "not finite", ...
bool from_word(std::string_view word, OutcomeKind& kind);  // false when unknown

struct Outcome {
    OutcomeKind kind = OutcomeKind::completed;
    std::string reason;  // one sentence; empty when completed
    std::string remedy;  // one sentence; may be empty
    std::string stage;   // what was going on: start, hello, build, data, train, predict, shutdown
    std::string tail;    // the end of the worker's own output, for failures
    bool ok() const { return kind == OutcomeKind::completed; }
};

// An error of lockstep's own files on the way of a worker's: kind `failed`.
Outcome failure(std::string stage, const Error& error);

}  // namespace lockstep::record
