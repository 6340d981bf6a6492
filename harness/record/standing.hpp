// What a campaign came to for one network: one row an arm, ready to be told and nothing left to compute.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::record {

// Step time of an arm over the baseline's: 0.83 needs 17 % less time.
struct Ratio {
    double estimate = 1.0;
    std::optional<double> low;  // absent when too few blocks allow no interval
    std::optional<double> high;
};

struct Standing {
    std::string arm;
    std::string word;  // baseline, faster, slower, unranked, skipped, inconclusive ...
    std::string note;  // one sentence that explains the word; may be empty
    int runs = 0;      // completed
    int failed = 0;
    std::optional<double> step_seconds;        // median over runs of each run's median step
    std::optional<double> images_per_second;   // batch / step_seconds
    std::optional<Ratio> ratio;                // absent for the baseline and for unranked arms
    std::optional<double> memory_peak_mb;      // median over runs; 1 MB = 10^6 bytes
    std::optional<double> cores_used;          // CPU seconds over wall seconds in training
    std::optional<double> accuracy_pct;        // median over runs
    std::optional<double> train_seconds;       // median over runs
    std::optional<double> first_step_seconds;  // median over runs
    std::optional<double> start_seconds;       // process start to the model standing ready, median over runs
};

struct StandingTable {
    std::string model;  // long id
    std::string title;  // "cnn3 28x28, batch 64, 2 threads"
    std::string baseline;
    std::vector<Standing> rows;
    std::vector<std::string> notes;  // sentences under the table: what may be concluded, and what would help
};

}  // namespace lockstep::record
