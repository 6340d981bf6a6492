// Words for outcomes; one table for both directions.
#include "harness/record/outcome.hpp"

#include <array>
#include <utility>

namespace lockstep::record {
namespace {

constexpr std::array<std::pair<OutcomeKind, std::string_view>, 9> kWords{{
    {OutcomeKind::completed, "completed"},
    {OutcomeKind::skipped, "skipped"},
    {OutcomeKind::crashed, "crashed"},
    {OutcomeKind::hung, "hung"},
    {OutcomeKind::garbage, "garbage"},
    {OutcomeKind::failed, "failed"},
    {OutcomeKind::lied, "lied"},
    {OutcomeKind::not_finite, "not finite"},
    {OutcomeKind::interrupted, "interrupted"},
}};

}  // namespace

std::string_view word(OutcomeKind kind)
{
    for (const auto& [known, text] : kWords) {
        if (known == kind) {
            return text;
        }
    }
    return "unknown";
}

bool from_word(std::string_view text, OutcomeKind& kind)
{
    for (const auto& [known, name] : kWords) {
        if (name == text) {
            kind = known;
            return true;
        }
    }
    return false;
}

Outcome failure(std::string stage, const Error& error)
{
    return {OutcomeKind::failed, error.what, error.remedy, std::move(stage), ""};
}

}  // namespace lockstep::record
