// A campaign: every arm on every network, in every block, in random order, and what that shows.
#pragma once

#include <string>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/pipeline/reporter.hpp"
#include "harness/report/results_folder.hpp"

namespace lockstep::pipeline {

struct CampaignResult {
    Conclusion conclusion;
    bool interrupted = false;
    std::size_t runs = 0;                  // on disk, earlier ones of a resumed campaign included
    std::size_t skipped = 0;               // of these, what could not be done as asked
    std::size_t missing = 0;               // not made: the campaign was interrupted
    std::vector<std::string> failed_arms;  // with a failed run, in the plan's order
    std::vector<std::string> given_up;     // "cnn2 NAME": not tried again after failures in a row
};

struct CampaignOrder {
    record::Plan plan;
    // Of an earlier part of the same campaign; they are not made again.
    std::vector<record::Trial> finished;
    std::vector<std::string> only;  // arms to make runs of; empty: all. Failed runs of these are made again
};

// Fails only where nothing could be started or written; whatever a worker does is a trial's outcome.
Result<CampaignResult> run_campaign(const CampaignOrder& order, const Workshop& shop,
                                    const report::ResultsFolder& folder,
                                    const std::vector<Reporter*>& reporters);

}  // namespace lockstep::pipeline
