// Labels become classes 0..C-1, and keep the users' own names.
#include "harness/data/label_table.hpp"

#include <gtest/gtest.h>

namespace lockstep::data {
namespace {

struct Outcome {
    std::vector<std::string> names;
    std::vector<std::int32_t> classes;  // of each label given
};

Result<Outcome> classify(const std::vector<std::string>& train, const std::vector<std::string>& test = {})
{
    LabelTable table;
    const std::string file = "train.csv";
    std::vector<std::int32_t> ids;
    std::int64_t line = 1;
    for (const Part part : {Part::train, Part::test}) {
        for (const std::string& text : part == Part::train ? train : test) {
            const auto id = table.id_of(text, part, {&file, ++line});
            if (!id) {
                return tl::unexpected(id.error());
            }
            ids.push_back(*id);
        }
    }
    const auto classes = table.classes();
    if (!classes) {
        return tl::unexpected(classes.error());
    }
    Outcome outcome{classes->names, {}};
    for (const std::int32_t id : ids) {
        outcome.classes.push_back(classes->class_of[static_cast<std::size_t>(id)]);
    }
    return outcome;
}

using Names = std::vector<std::string>;
using Numbers = std::vector<std::int32_t>;

TEST(LabelTable, labels_from_one_or_with_gaps_are_numbered_from_zero_in_numerical_order)
{
    const auto found = classify({"10", "2", "1", "10"}).value();
    EXPECT_EQ(found.names, (Names{"1", "2", "10"}));
    EXPECT_EQ(found.classes, (Numbers{2, 1, 0, 2}));
    EXPECT_EQ(classify({"-1", "1"}).value().names, (Names{"-1", "1"}));
}

TEST(LabelTable, words_are_numbered_in_order_of_their_bytes)
{
    const auto found = classify({"dog", "cat", "Cat", "10", "9"}).value();
    EXPECT_EQ(found.names, (Names{"10", "9", "Cat", "cat", "dog"}));
    EXPECT_EQ(found.classes, (Numbers{4, 3, 2, 0, 1}));
}

TEST(LabelTable, one_number_in_several_spellings_is_one_class)
{
    const auto found = classify({"3", "03", "+3", "3.0", " 3 ", "5"}).value();
    EXPECT_EQ(found.names, (Names{"3", "5"}));
    EXPECT_EQ(found.classes, (Numbers{0, 0, 0, 0, 0, 1}));
}

TEST(LabelTable, a_spelling_that_is_the_only_one_is_kept)
{
    EXPECT_EQ(classify({"001", "002"}).value().names, (Names{"001", "002"}));
}

TEST(LabelTable, a_test_label_in_another_spelling_is_the_trained_class)
{
    const auto found = classify({"1", "2"}, {"2.0"}).value();
    EXPECT_EQ(found.classes.back(), 1);
}

TEST(LabelTable, a_class_that_only_the_test_part_has_is_refused_with_its_line)
{
    const auto found = classify({"1", "2"}, {"1", "3"});
    ASSERT_FALSE(found);
    EXPECT_NE(found.error().what.find("train.csv, line 5: the test label \"3\""), std::string::npos)
        << found.error().what;
}

TEST(LabelTable, fractions_missing_values_and_broken_text_are_refused_with_their_line)
{
    for (const char* label : {"0.5", "1e3", "nan", "NaN", "NULL", "inf", "", " ", "5e", "7\"", "a\xff",
                              "a\x01", "99999999999999999999"}) {
        const auto found = classify({"1", label});
        ASSERT_FALSE(found) << label;
        EXPECT_NE(found.error().what.find("line 3"), std::string::npos) << found.error().what;
    }
}

TEST(LabelTable, a_word_that_looks_like_a_missing_value_is_a_word_among_words)
{
    EXPECT_EQ(classify({"naan", "nan"}).value().names, (Names{"naan", "nan"}));
}

TEST(LabelTable, a_column_of_ids_is_not_taken_for_labels)
{
    LabelTable table;
    Result<std::int32_t> id = 0;
    for (int i = 0; i <= 1 << 16 && id; ++i) {
        id = table.id_of("id" + std::to_string(i), Part::train, {});
    }
    ASSERT_FALSE(id);
    EXPECT_NE(id.error().what.find("65536"), std::string::npos);
}

TEST(LabelTable, declared_classes_keep_their_order_and_those_without_images)
{
    LabelTable table;
    table.declare({"b", "a", "c"});
    const std::int32_t a = table.id_of("a", Part::train, {}).value();
    const auto classes = table.classes().value();
    EXPECT_EQ(classes.names, (Names{"b", "a", "c"}));
    EXPECT_EQ(classes.class_of[static_cast<std::size_t>(a)], 1);
}

}  // namespace
}  // namespace lockstep::data
