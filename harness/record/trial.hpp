// One run of one arm: a fresh worker process from start to end, with all that is known about it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/record/outcome.hpp"

namespace lockstep::record {

// A stretch of CLOCK_MONOTONIC, in nanoseconds.
struct Span {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    double seconds() const { return static_cast<double>(end - begin) * 1e-9; }
};

struct Epoch {
    Span span;  // without evaluation
    std::int64_t steps = 0;
    std::optional<double> loss;      // mean training loss
    std::optional<double> accuracy;  // share of the test set after this epoch, 0..1
    std::optional<Span> evaluation;
};

struct Step {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

// What was seen of the worker from outside. What the machine cannot tell is absent.
struct Usage {
    std::optional<std::int64_t> resident_peak_bytes;    // of the process tree, at the end of training
    std::optional<std::int64_t> resident_before_bytes;  // before the first step
    std::optional<double> cpu_seconds;                  // user + system, from start to the end of training
    std::optional<double> train_cpu_seconds;            // during training alone
    std::optional<int> threads;                         // live threads at the end of training
    std::optional<double> gpu_utilisation;              // 0..1, median over training
    std::optional<std::int64_t> gpu_peak_bytes;
    std::map<std::string, std::int64_t> allocator_bytes;  // the framework's own figures
};

struct Trial {
    std::string model;  // long id
    std::string arm;
    std::string framework;
    int block = 0;      // from 1
    int position = 0;   // in its block, from 1
    bool twin = false;  // the baseline's second self
    std::uint64_t seed = 0;
    std::string started_at;  // wall clock, UTC offset of the machine: 2026-03-15 14:22:01
    std::string device;      // cpu, gpu:0
    std::int64_t batch = 0;
    int threads_asked = 0;
    Outcome outcome;
    std::map<std::string, std::string> versions;
    std::map<std::string, std::string> facts;  // what the worker says it really used
    std::vector<std::string> warnings;
    std::optional<std::int64_t> parameters;
    std::int64_t train_samples = 0;
    std::int64_t test_samples = 0;
    std::int64_t warm_up_steps = 0;  // the first steps, left out of the timed window
    std::map<std::string, Span>
        phases;  // start, import, load_data, build, compile, first_step, train, evaluate, shutdown
    std::vector<Epoch> epochs;
    std::vector<Step> steps;              // of all epochs
    std::optional<double> train_seconds;  // first step's begin to last epoch's end, without evaluation
    std::optional<double> accuracy;       // after the last epoch, 0..1; absent without test labels
    Usage usage;
    std::string folder;  // of this run's files, relative to the campaign's
};

// Durations in seconds of the steps after warm-up.
std::vector<double> timed_steps(const Trial& trial);
// Median of timed_steps; absent without any.
std::optional<double> median_step(const Trial& trial);

}  // namespace lockstep::record
