// Tells a person: progress on standard error, tables on standard output.
#pragma once

#include "harness/pipeline/reporter.hpp"
#include "harness/report/progress_line.hpp"

namespace lockstep::pipeline {

class ConsoleReporter : public Reporter {
public:
    // `out_terminal`: standard output is one (colour); `progress_terminal`: standard error is.
    ConsoleReporter(bool out_terminal, bool progress_terminal)
        : colour_(out_terminal), line_(progress_terminal)
    {
    }
    void opening(const record::Plan& plan, const Ground& ground) override;
    void gate(const record::Plan& plan, const Ground& ground, const GateResult& result) override;
    void under_way(const record::Plan& plan, const Ground& ground, const Turn& turn,
                   const Course& course) override;
    Result<void> trial(const record::Plan& plan, const Ground& ground, const record::Trial& trial,
                       const Course& course) override;
    Result<void> closing(const Conclusion& conclusion) override;

private:
    bool colour_;
    report::ProgressLine line_;
    bool told_unchecked_ = false;
};

}  // namespace lockstep::pipeline
