// Keeps the results folder: CSV files, logs, predictions and records, each whole before the next run starts.
#pragma once

#include "harness/pipeline/reporter.hpp"
#include "harness/record/environment.hpp"
#include "harness/report/results_folder.hpp"

namespace lockstep::pipeline {

class FileReporter : public Reporter {
public:
    // `earlier`: the runs of a resumed campaign, which stand in the CSV files already.
    FileReporter(const report::ResultsFolder& folder, const record::Environment& environment,
                 std::vector<record::Trial> earlier)
        : folder_(folder), environment_(environment), trials_(std::move(earlier))
    {
    }
    Result<void> trial(const record::Plan& plan, const Ground& ground, const record::Trial& trial,
                       const Course& course) override;
    Result<void> closing(const Conclusion& conclusion) override;

private:
    Result<void> write_rows(const record::Trial& like) const;
    const report::ResultsFolder& folder_;
    const record::Environment& environment_;
    std::vector<record::Trial> trials_;
};

}  // namespace lockstep::pipeline
