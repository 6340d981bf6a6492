// Experiment files and command lines become plans; mistakes are named.
#include "harness/spec/experiment.hpp"

#include <gtest/gtest.h>

namespace lockstep::spec {
namespace {

constexpr int kCores = 4;

Result<record::Plan> plan_from(const std::string& text)
{
    return parse_experiment(text, "x.toml").and_then([](const Experiment& experiment) {
        return plan_of(experiment, kCores, {"own"});
    });
}

TEST(Experiment, what_is_left_out_gets_its_default)
{
    const auto plan = plan_from("data = \"d\"\n");
    ASSERT_TRUE(plan) << plan.error().what;
    EXPECT_EQ(plan->models, (std::vector<std::string>{"cnn2"}));
    ASSERT_EQ(plan->arms.size(), 1u);
    EXPECT_EQ(plan->arms[0].name, "own");
    EXPECT_EQ(plan->arms[0].threads, kCores);
    EXPECT_EQ(plan->arms[0].batch, 64);
    EXPECT_EQ(plan->blocks, 6);
    EXPECT_EQ(plan->optimizer.epsilon, 1e-7);
}

TEST(Experiment, an_arm_overrides_what_holds_for_all)
{
    const auto plan = plan_from(
        "data = \"d\"\nthreads = 2\nbatch_size = 32\noptions = { a = \"1\" }\n"
        "[[arm]]\nframework = \"f\"\n[[arm]]\nname = \"g\"\nframework = \"f\"\nthreads = 1\noptions = { b = "
        "\"2\" }\n");
    ASSERT_TRUE(plan) << plan.error().what;
    EXPECT_EQ(plan->arms[0].threads, 2);
    EXPECT_EQ(plan->arms[1].threads, 1);
    EXPECT_EQ(plan->arms[1].batch, 32);
    EXPECT_EQ(plan->arms[1].options, (std::map<std::string, std::string>{{"a", "1"}, {"b", "2"}}));
    EXPECT_EQ(plan->baseline, "f");
}

TEST(Experiment, the_twin_is_the_baseline_under_another_name)
{
    const auto plan = plan_from("data = \"d\"\ntwin = true\nbaseline = \"g\"\nframeworks = [\"f\", \"g\"]\n");
    ASSERT_TRUE(plan) << plan.error().what;
    ASSERT_EQ(plan->arms.size(), 3u);
    EXPECT_EQ(plan->arms[2].name, "g_twin");
    EXPECT_EQ(plan->arms[2].framework, "g");
    EXPECT_TRUE(plan->arms[2].twin);
}

TEST(Experiment, a_plan_written_down_gives_the_same_plan_again)
{
    const auto plan = plan_from(
        "data = \"a \\\"b\\\"\"\nsize = \"24x32\"\ntrain_samples = 100\ntest_samples = 50\ntwin = "
        "true\npadding = \"valid\"\n"
        "[optimizer]\nkind = \"sgd\"\nlearning_rate = 1\nmomentum = 0.5\n"
        "[[arm]]\nframework = \"f\"\nenv = { X = \"1\" }\npython = \"/p\"\ndevice = \"gpu:1\"\n");
    ASSERT_TRUE(plan) << plan.error().what;
    const std::string text = experiment_text(*plan);
    const auto again = plan_from(text);
    ASSERT_TRUE(again) << again.error().what << text;
    EXPECT_EQ(experiment_text(*again), text);
    EXPECT_EQ(again->arms[0].device.index, 1);
    EXPECT_EQ(again->arms[0].env.at("X"), "1");
    EXPECT_EQ(again->data.source, "a \"b\"");
    EXPECT_EQ(again->optimizer.momentum, 0.5);
    EXPECT_EQ(again->arms.size(), 2u);
    EXPECT_EQ(again->data.test_samples, 50);
}

struct Mistake {
    const char* text;
    const char* what;
};
class ExperimentMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(ExperimentMistake, is_named)
{
    const auto plan = plan_from(GetParam().text);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().what, GetParam().what);
    EXPECT_FALSE(plan.error().remedy.empty());
}

INSTANTIATE_TEST_SUITE_P(
    All, ExperimentMistake,
    ::testing::Values(
        Mistake{"", "No data is named."},
        Mistake{"data = \"d\"\nthreads = 0\n", "0 threads cannot train anything."},
        Mistake{"data = \"d\"\nthreads = 5\n",
                "5 threads were asked for, but this process may use 4 cores only."},
        Mistake{"data = \"d\"\nsize = \"28\"\n", "\"28\" is not a size."},
        Mistake{"data = \"d\"\nprecision = \"float23\"\n", "\"float23\" is not a value of precision."},
        Mistake{"data = \"d\"\ndevice = \"gpu:x\"\n", "\"gpu:x\" is not a device."},
        Mistake{"data = \"d\"\nbaseline = \"x\"\n", "The baseline \"x\" is not one of the arms."},
        Mistake{"data = \"d\"\nframeworks = [\"f\", \"f\"]\n", "Two arms are called \"f\"."},
        Mistake{"data = \"d\"\n[[arm]]\nframework = \"f\"\nname = \"a/b\"\n",
                "\"a/b\" cannot be an arm's name."},
        Mistake{"data = \"d\"\n[[arm]]\nname = \"a\"\n", "x.toml, line 2: \"framework\" is missing."},
        Mistake{"dta = \"d\"\n", "x.toml, line 1: \"dta\" is not a known key."}));

TEST(Arm, is_read_from_one_line)
{
    const auto arm = parse_arm("framework=f,name=g,threads=1,xla=on,env.A=b");
    ASSERT_TRUE(arm);
    EXPECT_EQ(arm->name, "g");
    EXPECT_EQ(arm->threads, 1);
    EXPECT_EQ(arm->options.at("xla"), "on");
    EXPECT_EQ(arm->env.at("A"), "b");
}

TEST(Arm, mistakes_are_named)
{
    EXPECT_EQ(parse_arm("name=g").error().what, "The arm \"name=g\" names no framework.");
    EXPECT_EQ(parse_arm("framework=f,xla").error().what,
              "\"xla\" in the arm \"framework=f,xla\" is not of the form key=value.");
    EXPECT_EQ(parse_arm("framework=f,threads=two").error().what, "threads=two is not a whole number.");
}

}  // namespace
}  // namespace lockstep::spec
