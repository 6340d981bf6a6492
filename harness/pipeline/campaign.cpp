// The stages of a campaign. Reads like the README's picture.
#include "harness/pipeline/campaign.hpp"

#include <fmt/format.h>

#include <poll.h>
#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "harness/observe/clock.hpp"
#include "harness/pipeline/forecast.hpp"
#include "harness/pipeline/trial_runner.hpp"

namespace lockstep::pipeline {
namespace {

using record::Trial;

// An arm that failed so many runs in a row on a network is not tried on it again: it would only cost time.
constexpr int kFailuresInARow = 3;

std::string name_of(const record::Plan& plan, const Ground& ground, const Turn& turn)
{
    return fmt::format("b{:03}_{}_{}", turn.block, ground.networks[turn.network].short_name,
                       plan.arms[turn.arm].name);
}

bool was_skipped(const Trial& trial)
{
    return trial.outcome.kind == record::OutcomeKind::skipped;
}

bool disk_is_full(const std::filesystem::path& folder)
{
    constexpr std::uintmax_t kLeast = 64 * 1024;  // what a record needs
    std::error_code code;
    const std::filesystem::space_info space = std::filesystem::space(folder, code);
    return !code && space.available < kLeast;
}

class Campaign {
public:
    Campaign(const CampaignOrder& order, const Workshop& shop, const report::ResultsFolder& folder,
             const std::vector<Reporter*>& reporters)
        : order_(order), plan_(order.plan), shop_(shop), folder_(folder), reporters_(reporters)
    {
    }

    Result<CampaignResult> run()
    {
        Result<Ground> ground = stage_ground(plan_, shop_);  // same bytes for everyone
        if (!ground) {
            return tl::unexpected(ground.error());
        }
        ground_ = std::move(*ground);
        tell([&](Reporter& reporter) { reporter.opening(plan_, ground_); });
        warm_page_cache(ground_);
        gate_ = pass_gate(gate_order(), shop_);      // who computes the same thing
        const std::vector<Turn> turns = schedule();  // every arm in every block, shuffled
        for (std::size_t next = 0; next < turns.size() && !interrupted(); ++next) {
            if (const Result<void> made = make(turns, next); !made) {  // on disk before the next one starts
                return tl::unexpected(made.error());
            }
        }
        return conclude_all();
    }

private:
    template <class Telling>
    void tell(Telling telling)
    {
        for (Reporter* reporter : reporters_) {
            telling(*reporter);
        }
    }

    bool interrupted() const { return shop_.interrupt && shop_.interrupt->raised(); }

    GateOrder gate_order()
    {
        return {plan_, ground_, folder_.file("gate"), folder_.staging(), [this](const GateResult& result) {
                    tell([&](Reporter& reporter) { reporter.gate(plan_, ground_, result); });
                }};
    }

    bool wanted(const Turn& turn) const
    {
        const record::Arm& arm = plan_.arms[turn.arm];
        if (!order_.only.empty() &&
            std::find(order_.only.begin(), order_.only.end(), arm.name) == order_.only.end()) {
            return false;
        }
        const auto result = std::find_if(gate_.begin(), gate_.end(), [&](const GateResult& one) {
            return one.network == turn.network && one.arm == turn.arm;
        });
        // What departs is still run and shown, unranked: its users want to see it; what cannot start is not.
        return result != gate_.end() && result->admission != Admission::skipped &&
               result->admission != Admission::failed;
    }

    // Turns still to be made; finished ones are taken over.
    std::vector<Turn> schedule()
    {
        std::map<std::string, const Trial*> finished;
        for (const Trial& trial : order_.finished) {
            finished[trial.folder] = &trial;
        }
        std::vector<Turn> turns;
        for (int block = 1; block <= plan_.blocks; ++block) {
            for (const Turn& turn :
                 turns_of_block(plan_.seed, block, ground_.networks.size(), plan_.arms.size())) {
                const auto done = finished.find(name_of(plan_, ground_, turn));
                const bool again = done != finished.end() && !done->second->outcome.ok() &&
                                   !order_.only.empty() && wanted(turn);
                if (done != finished.end() && !again) {
                    trials_.push_back(*done->second);
                } else if (wanted(turn)) {
                    turns.push_back(turn);
                }
            }
        }
        of_ = trials_.size() + turns.size();
        return turns;
    }

    Course course(const std::vector<Turn>& turns, std::size_t next, double share) const
    {
        Course course{trials_.size(), of_, share, forecast_.seconds_left(turns, next)};
        if (course.seconds_left && next < turns.size()) {
            course.seconds_left =
                *course.seconds_left - share * forecast_.seconds_of(turns[next]).value_or(0);
        }
        return course;
    }

    Result<void> make(const std::vector<Turn>& turns, std::size_t next)
    {
        const Turn& turn = turns[next];
        int& failures = failures_[{turn.network, turn.arm}];
        if (failures >= kFailuresInARow) {
            given_up_.insert(
                fmt::format("{} {}", ground_.networks[turn.network].short_name, plan_.arms[turn.arm].name));
            --of_;
            return {};
        }
        const Result<std::filesystem::path> folder = folder_.start_trial(name_of(plan_, ground_, turn));
        if (!folder) {
            return tl::unexpected(folder.error());
        }
        const std::int64_t begin = observe::monotonic_ns();
        tell([&](Reporter& reporter) { reporter.under_way(plan_, ground_, turn, course(turns, next, 0)); });
        const TrialOrder order{plan_, ground_, turn, *folder, staging_of(turn.block), [&](double share) {
                                   tell([&](Reporter& reporter) {
                                       reporter.under_way(plan_, ground_, turn, course(turns, next, share));
                                   });
                               }};
        Trial trial = run_trial(order, shop_);
        if (trial.outcome.kind == record::OutcomeKind::interrupted) {
            std::error_code ignored;
            std::filesystem::remove_all(*folder, ignored);
            return {};
        }
        if (!trial.outcome.ok() && disk_is_full(*folder)) {  // no fault of the arm's
            std::error_code ignored;
            std::filesystem::remove_all(*folder, ignored);
            return fail(fmt::format("The disk that holds {} is full.", folder_.root().string()),
                        "Free some space there; the run that met it is made again.");
        }
        failures = trial.outcome.ok() ? 0 : was_skipped(trial) ? kFailuresInARow : failures + 1;
        settle();
        forecast_.note(turn, static_cast<double>(observe::monotonic_ns() - begin) * 1e-9);
        trials_.push_back(std::move(trial));
        Result<void> told;
        tell([&](Reporter& reporter) {
            if (told) {
                told = reporter.trial(plan_, ground_, trials_.back(), course(turns, next + 1, 0));
            }
        });
        return told;
    }

    // Weights and orders are those of a block; an earlier block's are not needed again.
    std::filesystem::path staging_of(int block)
    {
        const std::filesystem::path own = folder_.staging() / fmt::format("block_{}", block);
        if (block != staged_block_) {
            std::error_code ignored;
            std::filesystem::remove_all(folder_.staging() / fmt::format("block_{}", staged_block_), ignored);
            staged_block_ = block;
        }
        return own;
    }

    // A fixed pause between runs, cut short by the user's wish to stop.
    void settle() const
    {
        pollfd wish{shop_.interrupt ? shop_.interrupt->descriptor() : -1, POLLIN, 0};
        ::poll(&wish, 1, static_cast<int>(plan_.settle_ms));
    }

    Result<CampaignResult> conclude_all()
    {
        std::sort(trials_.begin(), trials_.end(),
                  [](const Trial& a, const Trial& b) { return a.folder < b.folder; });
        CampaignResult result;
        result.conclusion = conclude(plan_, ground_, gate_, trials_);
        result.interrupted = interrupted();
        result.runs = trials_.size();
        for (const record::Arm& arm : plan_.arms) {
            if (std::any_of(trials_.begin(), trials_.end(), [&](const Trial& trial) {
                    return trial.arm == arm.name && !trial.outcome.ok() && !was_skipped(trial);
                })) {
                result.failed_arms.push_back(arm.name);
            }
        }
        result.skipped = static_cast<std::size_t>(std::count_if(trials_.begin(), trials_.end(), was_skipped));
        result.missing = of_ - trials_.size();
        result.given_up.assign(given_up_.begin(), given_up_.end());
        Result<void> told;
        tell([&](Reporter& reporter) {
            if (told) {
                told = reporter.closing(result.conclusion);
            }
        });
        if (!told) {
            return tl::unexpected(told.error());
        }
        return result;
    }

    const CampaignOrder& order_;
    const record::Plan& plan_;
    const Workshop& shop_;
    const report::ResultsFolder& folder_;
    const std::vector<Reporter*>& reporters_;
    Ground ground_;
    std::vector<GateResult> gate_;
    std::vector<Trial> trials_;
    Forecast forecast_;
    std::map<std::pair<std::size_t, std::size_t>, int> failures_;
    std::size_t of_ = 0;
    int staged_block_ = 0;
    std::set<std::string> given_up_;
};

}  // namespace

Result<CampaignResult> run_campaign(const CampaignOrder& order, const Workshop& shop,
                                    const report::ResultsFolder& folder,
                                    const std::vector<Reporter*>& reporters)
{
    return Campaign(order, shop, folder, reporters).run();
}

}  // namespace lockstep::pipeline
