// Each word from its interval, and the sentences.
#include "harness/judge/verdict.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "harness/judge/control.hpp"

namespace lockstep::judge {
namespace {

// A contrast whose ratio has this interval, with its estimate in the middle.
Contrast with_interval(double low, double high)
{
    const stats::Interval interval{std::log(low), std::log(high)};
    return {.blocks = 24,
            .level = 0.95,
            .estimate = (interval.low + interval.high) / 2.0,
            .interval = interval,
            .hodges_lehmann = 0.0,
            .trimmed_mean = 0.0,
            .sigma = 0.05,
            .p = 0.5,
            .shape = false};
}

Contrast without_interval()
{
    Contrast contrast = with_interval(1.0, 1.0);
    contrast.blocks = 5;
    contrast.interval.reset();
    return contrast;
}

Word word(double low, double high)
{
    return verdict_of(with_interval(low, high), 0.03).word;
}

TEST(Verdict, every_place_of_the_interval_has_its_word)
{
    EXPECT_EQ(word(1.04, 1.10), Word::slower);
    EXPECT_EQ(word(0.90, 0.96), Word::faster);
    EXPECT_EQ(word(1.01, 1.10), Word::slower_size_uncertain);
    EXPECT_EQ(word(0.90, 0.99), Word::faster_size_uncertain);
    EXPECT_EQ(word(1.01, 1.02), Word::different_within_margin);
    EXPECT_EQ(word(0.98, 0.99), Word::different_within_margin);
    EXPECT_EQ(word(0.98, 1.02), Word::no_difference);
    EXPECT_EQ(word(0.98, 1.05), Word::inconclusive);
    EXPECT_EQ(word(0.90, 1.01), Word::inconclusive);
    EXPECT_EQ(verdict_of(without_interval(), 0.03).word, Word::too_few_blocks);
}

TEST(Verdict, an_edge_is_not_beyond_itself)
{
    EXPECT_EQ(word(1.0, 1.02), Word::no_difference);
    EXPECT_EQ(word(1.0, 1.10), Word::inconclusive);
    Contrast contrast = with_interval(1.0, 1.1);
    contrast.interval = {std::log1p(0.03), 0.2};
    EXPECT_EQ(verdict_of(contrast, 0.03).word, Word::slower_size_uncertain);
    contrast.interval = {-0.01, std::log1p(0.03)};
    EXPECT_EQ(verdict_of(contrast, 0.03).word, Word::no_difference);
}

TEST(Verdict, swapping_the_arms_swaps_faster_and_slower_and_nothing_else)
{
    const auto mirrored = [](Word word) {
        switch (word) {
            case Word::faster:
                return Word::slower;
            case Word::slower:
                return Word::faster;
            case Word::faster_size_uncertain:
                return Word::slower_size_uncertain;
            case Word::slower_size_uncertain:
                return Word::faster_size_uncertain;
            default:
                return word;
        }
    };
    for (double low = 0.9; low < 1.1; low += 0.00713) {
        for (double high = low; high < 1.2; high += 0.00713) {
            EXPECT_EQ(word(1.0 / high, 1.0 / low), mirrored(word(low, high))) << low << " " << high;
        }
    }
}

TEST(Verdict, inconclusive_says_how_wide_and_how_many_blocks_would_do)
{
    // Around 1.00 the interval must shrink to the margin: 24 (0.049 / ln 1.03)^2 = 65.2.
    const Verdict verdict = verdict_of(with_interval(1.0 / 1.05, 1.05), 0.03);
    EXPECT_EQ(verdict.word, Word::inconclusive);
    EXPECT_NEAR(*verdict.half_width, std::log(1.05), 1e-12);
    EXPECT_EQ(verdict.blocks_needed, 66U);
    EXPECT_EQ(text(verdict), "inconclusive: +-4.9 % after 24 blocks, about 66 would settle it");
}

TEST(Verdict, an_estimate_outside_the_margin_needs_only_to_exclude_1)
{
    const Verdict verdict = verdict_of(with_interval(0.999, 1.20), 0.03);
    ASSERT_EQ(verdict.word, Word::inconclusive);
    EXPECT_EQ(verdict.blocks_needed, 25U);
}

TEST(Verdict, too_few_blocks_says_how_many_make_an_interval)
{
    EXPECT_EQ(text(verdict_of(without_interval(), 0.03)), "too few blocks: 5, at least 6 are needed");
}

TEST(Verdict, never_says_not_significant)
{
    for (int i = 0; i <= static_cast<int>(Word::below_control); ++i) {
        const Verdict verdict{static_cast<Word>(i), 0.03, 24, 0.02, 40};
        EXPECT_EQ(text(verdict).find("significant"), std::string::npos);
        EXPECT_FALSE(name(verdict.word).empty());
        EXPECT_NE(name(verdict.word), "unknown");
    }
    EXPECT_EQ(text({Word::no_difference, 0.03, 24, 0.01, {}}), "no difference beyond 3 %");
    EXPECT_EQ(text({Word::slower_size_uncertain, 0.03, 24, 0.01, {}}), "slower, size uncertain");
}

TEST(TwinControl, passes_when_the_twin_cannot_be_told_from_the_baseline)
{
    const TwinControl control = twin_control(with_interval(0.98, 1.01), 0.03);
    EXPECT_TRUE(control.passed);
    EXPECT_NEAR(control.floor, -std::log(0.98), 1e-12);
}

TEST(TwinControl, fails_when_the_twin_differs_or_lies_outside_the_margin_or_is_not_known)
{
    EXPECT_FALSE(twin_control(with_interval(1.001, 1.01), 0.03).passed);
    EXPECT_FALSE(twin_control(with_interval(0.99, 1.15), 0.03).passed);
    EXPECT_FALSE(twin_control(without_interval(), 0.03).passed);
}

TEST(TwinControl, a_failed_control_takes_every_claim_away)
{
    const TwinControl failed = twin_control(with_interval(1.01, 1.02), 0.03);
    const auto judged = [&](double low, double high) {
        const Contrast contrast = with_interval(low, high);
        return under_control(verdict_of(contrast, 0.03), contrast, failed).word;
    };
    EXPECT_EQ(judged(1.5, 1.6), Word::control_failed);
    EXPECT_EQ(judged(0.5, 0.6), Word::control_failed);
    EXPECT_EQ(judged(0.99, 1.01), Word::control_failed);
    EXPECT_EQ(judged(1.01, 1.02), Word::control_failed);
    EXPECT_EQ(judged(0.9, 1.1), Word::inconclusive);
    EXPECT_EQ(under_control(verdict_of(without_interval(), 0.03), without_interval(), failed).word,
              Word::too_few_blocks);
}

TEST(TwinControl, an_effect_smaller_than_the_control_leaves_open_is_not_called)
{
    const TwinControl control = twin_control(with_interval(0.99, 1.04), 0.03);
    ASSERT_TRUE(control.passed);
    const Contrast small = with_interval(1.02, 1.04);
    const Contrast large = with_interval(1.04, 1.06);
    const Contrast equal = with_interval(0.99, 1.01);
    EXPECT_EQ(under_control(verdict_of(small, 0.03), small, control).word, Word::below_control);
    EXPECT_EQ(under_control(verdict_of(large, 0.03), large, control).word, Word::slower);
    EXPECT_EQ(under_control(verdict_of(equal, 0.03), equal, control).word, Word::no_difference);
}

TEST(OneSided, raises_the_alarm_only_for_signs_no_fair_coin_gives)
{
    EXPECT_FALSE(one_sided(30, 20));
    EXPECT_FALSE(one_sided(0, 0));
    EXPECT_FALSE(one_sided(10, 0));  // p = 0.00195
    EXPECT_TRUE(one_sided(11, 0));   // p = 0.00098
    EXPECT_TRUE(one_sided(10, 60));
}

}  // namespace
}  // namespace lockstep::judge
