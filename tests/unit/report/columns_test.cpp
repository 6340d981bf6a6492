// The nine columns, the log, the record: what other people's scripts read.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "harness/base/atomic_file.hpp"
#include "harness/report/columns.hpp"
#include "harness/report/csv_cell.hpp"
#include "harness/report/log_file.hpp"
#include "harness/report/trial_file.hpp"

namespace lockstep::report {
namespace {

namespace fs = std::filesystem;
using record::Trial;

constexpr std::int64_t kMs = 1'000'000;

Trial a_trial()
{
    Trial trial;
    trial.model = "cnn2d_2layer_full_connected_2layer";
    trial.arm = "some_framework";
    trial.framework = "some_framework";
    trial.block = 3;
    trial.position = 2;
    trial.seed = 77;
    trial.started_at = "2026-03-15 14:22:01";
    trial.device = "cpu";
    trial.batch = 64;
    trial.threads_asked = 2;
    trial.train_samples = 50000;
    trial.test_samples = 10000;
    trial.warm_up_steps = 1;
    trial.versions = {{"some", "1.2"}};
    trial.facts = {{"threads", "2"}};
    trial.warnings = {"fell back to the CPU"};
    trial.parameters = 421642;
    trial.phases["start"] = {0, 100 * kMs};
    trial.phases["train"] = {1000 * kMs, 1900 * kMs};
    trial.steps = {{1000 * kMs, 1100 * kMs},
                   {1100 * kMs, 1300 * kMs},
                   {1500 * kMs, 1700 * kMs},
                   {1700 * kMs, 1900 * kMs}};
    trial.epochs = {{{1000 * kMs, 1300 * kMs}, 2, 1.247, 0.623, record::Span{1300 * kMs, 1500 * kMs}},
                    {{1500 * kMs, 1900 * kMs}, 2, 0.5, {}, {}}};
    trial.train_seconds = 0.7;
    trial.accuracy = 0.9123;
    trial.usage.resident_before_bytes = 1'200'000'000;
    trial.usage.resident_peak_bytes = 5'700'000'000;
    trial.usage.allocator_bytes = {{"pool", 5}};
    return trial;
}

TEST(Columns, are_the_nine_of_the_contract)
{
    EXPECT_EQ(column_names(),
              "timestamp,framework,model,device,batch_size,train_time_sec,accuracy_pct,memory_peak_mb,gpu_"
              "util_pct");
}

TEST(Columns, a_cpu_run_leaves_gpu_utilisation_empty)
{
    EXPECT_EQ(
        row_of(a_trial()),
        "2026-03-15 14:22:01,some_framework,cnn2d_2layer_full_connected_2layer,cpu,64,0.700,91.23,5700.0,");
}

TEST(Columns, an_absent_value_is_an_empty_cell_and_never_0)
{
    Trial trial = a_trial();
    trial.train_seconds.reset();
    trial.accuracy.reset();
    trial.usage = {};
    EXPECT_EQ(row_of(trial),
              "2026-03-15 14:22:01,some_framework,cnn2d_2layer_full_connected_2layer,cpu,64,,,,");
}

TEST(Columns, a_run_that_did_not_complete_shows_no_figures)
{
    Trial trial = a_trial();
    trial.outcome.kind = record::OutcomeKind::lied;
    EXPECT_EQ(row_of(trial),
              "2026-03-15 14:22:01,some_framework,cnn2d_2layer_full_connected_2layer,cpu,64,,,,");
}

TEST(Columns, a_gpu_run_shows_the_memory_and_utilisation_of_its_device)
{
    Trial trial = a_trial();
    trial.device = "gpu:0";
    trial.usage.gpu_peak_bytes = 8'923'000'000;
    trial.usage.gpu_utilisation = 0.78;
    EXPECT_TRUE(row_of(trial).ends_with(",gpu:0,64,0.700,91.23,8923.0,78")) << row_of(trial);
}

TEST(CsvCell, is_quoted_when_it_must_be)
{
    EXPECT_EQ(csv_cell("plain"), "plain");
    EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
    EXPECT_EQ(csv_cell("say \"hi\"\n"), "\"say \"\"hi\"\"\n\"");
}

TEST(Log, follows_its_grammar)
{
    record::Environment environment;
    environment.cores_usable = 2;
    std::istringstream text(log_text(a_trial(), environment, 0));
    const std::string stamp = R"(^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] )";
    const std::vector<std::string> grammar{
        stamp + "START TRAINING: some_framework$",
        stamp + "ENV: GPU=0, CPU_CORES=2, CUDA_VERSION=none$",
        stamp + "MODEL: cnn2d_2layer_full_connected_2layer$",
        stamp + "DATA: train_samples=50000, test_samples=10000, batch_size=64$",
        stamp + "MEMORY_PRE: CPU=1.20GB$",
        "^WARNING: fell back to the CPU$",
        stamp + R"(EPOCH_1_START: step_time_avg=0\.150000s$)",
        R"(^\[STEP_1\] time=0\.100000s$)",
        R"(^\[STEP_2\] time=0\.200000s$)",
        stamp + R"(EPOCH_1_END: accuracy=0\.6230, loss=1\.2470$)",
        stamp + R"(EPOCH_2_START: step_time_avg=0\.200000s$)",
        R"(^\[STEP_1\] time=0\.200000s$)",
        R"(^\[STEP_2\] time=0\.200000s$)",
        stamp + R"(EPOCH_2_END: loss=0\.5000$)",
        stamp + "MEMORY_PEAK: CPU=5.70GB$",
        stamp + R"(END TRAINING: total_time=0\.7s$)"};
    std::string line;
    for (const std::string& rule : grammar) {
        ASSERT_TRUE(std::getline(text, line)) << rule;
        EXPECT_TRUE(std::regex_match(line, std::regex(rule))) << line << "\n" << rule;
    }
    EXPECT_FALSE(std::getline(text, line)) << line;
}

TEST(TimedWindow, leaves_warm_up_out_and_takes_the_median)
{
    EXPECT_DOUBLE_EQ(record::median_step(a_trial()).value(), 0.2);
    Trial trial = a_trial();
    trial.warm_up_steps = 0;
    trial.steps.pop_back();
    trial.steps.pop_back();
    EXPECT_DOUBLE_EQ(record::median_step(trial).value(), 0.15);
    trial.steps.clear();
    EXPECT_FALSE(record::median_step(trial));
}

class TrialFileTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        folder_ = fs::temp_directory_path() / ("lockstep_trial_" + std::to_string(::getpid()));
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }
    fs::path folder_;
};

TEST_F(TrialFileTest, what_is_written_is_read_back)
{
    Trial trial = a_trial();
    trial.outcome.kind = record::OutcomeKind::crashed;
    trial.outcome.reason = "It stopped with signal 6.";
    trial.outcome.tail = "Check failed: \xff\n";
    ASSERT_TRUE(write_trial(folder_, trial));
    const auto read = read_trial(folder_);
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(row_of(*read), row_of(trial));
    EXPECT_EQ(read->outcome.kind, record::OutcomeKind::crashed);
    EXPECT_EQ(read->steps.size(), trial.steps.size());
    EXPECT_EQ(read->steps[3].end, trial.steps[3].end);
    EXPECT_EQ(read->epochs[0].evaluation->end, trial.epochs[0].evaluation->end);
    EXPECT_EQ(read->phases.at("train").begin, 1000 * kMs);
    EXPECT_FALSE(read->usage.gpu_peak_bytes);
    EXPECT_EQ(record::median_step(*read), record::median_step(trial));
}

TEST_F(TrialFileTest, a_broken_record_is_refused_with_a_sentence)
{
    EXPECT_FALSE(read_trial(folder_));
    for (const char* text : {"", "{", "[]", "{\"format\": 99}", "{\"format\": 1}"}) {
        ASSERT_TRUE(write_file(folder_ / "record.json", text));
        const auto read = read_trial(folder_);
        ASSERT_FALSE(read) << text;
        EXPECT_FALSE(read.error().remedy.empty());
    }
}

}  // namespace
}  // namespace lockstep::report
