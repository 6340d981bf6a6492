// One campaign a folder.
#include "harness/report/results_folder.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "harness/base/atomic_file.hpp"
#include "harness/report/trial_file.hpp"

namespace lockstep::report {
namespace {

namespace fs = std::filesystem;

class ResultsFolderTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        root_ = fs::temp_directory_path() / ("lockstep_results_" + std::to_string(::getpid())) / "a" / "b";
    }
    void TearDown() override { fs::remove_all(root_.parent_path().parent_path()); }
    fs::path root_;
};

TEST_F(ResultsFolderTest, is_made_with_its_parents_and_locked_while_open)
{
    const auto folder = ResultsFolder::create(root_);
    ASSERT_TRUE(folder) << folder.error().what;
    const auto second = ResultsFolder::create(root_);
    ASSERT_FALSE(second);
    EXPECT_NE(second.error().what.find("is in use by another run"), std::string::npos);
}

TEST_F(ResultsFolderTest, results_of_an_earlier_run_are_not_overwritten)
{
    {
        const auto folder = ResultsFolder::create(root_);
        ASSERT_TRUE(write_file(folder->file("experiment.toml"), "x = 1\n"));
    }
    const auto again = ResultsFolder::create(root_);
    ASSERT_FALSE(again);
    EXPECT_NE(again.error().what.find("holds the results of an earlier run"), std::string::npos);
    EXPECT_TRUE(ResultsFolder::resume(root_));
}

TEST_F(ResultsFolderTest, a_folder_without_a_campaign_cannot_be_resumed)
{
    fs::create_directories(root_);
    EXPECT_FALSE(ResultsFolder::resume(root_));
}

TEST_F(ResultsFolderTest, only_whole_trials_are_found_again)
{
    const auto folder = ResultsFolder::create(root_).value();
    record::Trial trial;
    trial.arm = "a";
    ASSERT_TRUE(write_trial(folder.start_trial("b002_x").value(), trial));
    ASSERT_TRUE(write_trial(folder.start_trial("b001_x").value(), trial));
    ASSERT_TRUE(folder.start_trial("b003_x"));
    const auto found = folder.finished_trials();
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].folder, "b001_x");
}

TEST_F(ResultsFolderTest, staging_is_gone_when_the_folder_is_closed)
{
    {
        const auto folder = ResultsFolder::create(root_).value();
        fs::create_directories(folder.staging());
    }
    EXPECT_FALSE(fs::exists(root_ / "staging"));
    EXPECT_FALSE(fs::exists(root_ / ".lock"));
}

}  // namespace
}  // namespace lockstep::report
