// Adam and SGD by hand, and how their forms differ.
#include <gtest/gtest.h>

#include <cmath>

#include "harness/reference/optimizer.hpp"

namespace lockstep::reference {
namespace {

// One parameter that starts at 1, with the given gradients one after the other.
double after(const protocol::Optimizer& optimizer, const Variant& variant,
             const std::vector<double>& gradients)
{
    OptimizerState state(optimizer, variant, 1);
    Weights weights{{"w", {1.0}}};
    for (const double gradient : gradients) {
        state.update({{"w", {gradient}}}, weights);
    }
    return weights.at("w")[0];
}

protocol::Optimizer adam()
{
    return {};
}

protocol::Optimizer sgd()
{
    protocol::Optimizer optimizer;
    optimizer.kind = "sgd";
    optimizer.learning_rate = 0.1;
    return optimizer;
}

TEST(Adam, moves_by_the_learning_rate_at_first_whatever_the_gradient)
{
    const double root = std::sqrt(0.001);
    EXPECT_NEAR(after(adam(), {}, {5.0}), 1.0 - 1e-3 * root * 5.0 / (root * 5.0 + 1e-7), 1e-15);
}

TEST(Adam, follows_its_two_formulas_over_two_steps)
{
    const double m = 0.9 * 0.1 * 2.0 + 0.1 * -1.0;
    const double v = 0.999 * 0.001 * 4.0 + 0.001 * 1.0;
    const double first = 1.0 - after(adam(), {}, {2.0});
    const double c1 = 1.0 - 0.81;
    const double c2 = 1.0 - 0.999 * 0.999;
    EXPECT_NEAR(1.0 - after(adam(), {}, {2.0, -1.0}),
                first + 1e-3 * std::sqrt(c2) / c1 * m / (std::sqrt(v) + 1e-7), 1e-15);
    Variant classic;
    classic.adam = AdamForm::classic;
    const double classic_first = 1.0 - after(adam(), classic, {2.0});
    EXPECT_NEAR(1.0 - after(adam(), classic, {2.0, -1.0}),
                classic_first + 1e-3 * (m / c1) / (std::sqrt(v / c2) + 1e-7), 1e-15);
}

TEST(Adam, classic_form_equals_epsilon_hat_with_the_step_dependent_epsilon)
{
    Variant classic;
    classic.adam = AdamForm::classic;
    protocol::Optimizer equal = adam();
    equal.epsilon = 1e-7 / std::sqrt(1.0 - 0.999);
    EXPECT_NEAR(after(equal, classic, {1e-6}), after(adam(), {}, {1e-6}), 1e-16);
    EXPECT_GT(std::abs(after(adam(), classic, {1e-6}) - after(adam(), {}, {1e-6})), 1e-4);
}

TEST(Sgd, keeps_a_velocity)
{
    EXPECT_NEAR(after(sgd(), {}, {1.0, 2.0}), 1.0 - 0.1 * 1.0 - 0.1 * (0.9 + 2.0), 1e-15);
}

TEST(Sgd, differs_by_its_forms)
{
    const auto moved = [](MomentumForm form) {
        Variant variant;
        variant.momentum = form;
        return 1.0 - after(sgd(), variant, {1.0, 2.0});
    };
    EXPECT_NEAR(moved(MomentumForm::dampened), 0.1 * 1.0 + 0.1 * (0.9 + 0.2), 1e-15);
    EXPECT_NEAR(moved(MomentumForm::dampened_from_the_start), 0.1 * 0.1 + 0.1 * (0.09 + 0.2), 1e-15);
    EXPECT_NEAR(moved(MomentumForm::nesterov), 0.1 * (1.0 + 0.9) + 0.1 * (2.0 + 0.9 * 2.9), 1e-15);
    EXPECT_NEAR(moved(MomentumForm::none), 0.1 * 1.0 + 0.1 * 2.0, 1e-15);
}

TEST(Decay, is_added_to_the_gradient_or_taken_off_the_parameter)
{
    Variant coupled;
    coupled.weight_decay = 0.5;
    EXPECT_NEAR(after(sgd(), coupled, {1.0}), 1.0 - 0.1 * 1.5, 1e-15);
    Variant decoupled = coupled;
    decoupled.decay_decoupled = true;
    EXPECT_NEAR(after(sgd(), decoupled, {1.0}), 0.95 - 0.1 * 1.0, 1e-15);
}

TEST(Gradients, that_are_kept_pile_up)
{
    Variant kept;
    kept.gradients_kept = true;
    EXPECT_NEAR(after(sgd(), kept, {1.0, 2.0}), 1.0 - 0.1 * 1.0 - 0.1 * (0.9 + 3.0), 1e-15);
}

}  // namespace
}  // namespace lockstep::reference
