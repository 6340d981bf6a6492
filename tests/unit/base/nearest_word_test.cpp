// Suggestions for mistyped words.
#include "harness/base/nearest_word.hpp"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

const std::vector<std::string> kKnown{"batch_size", "blocks", "epochs"};

TEST(NearestWord, a_slip_of_one_letter_finds_its_word)
{
    EXPECT_EQ(nearest_word("blocs", kKnown), "blocks");
}

TEST(NearestWord, swapped_and_missing_letters_find_their_word)
{
    EXPECT_EQ(nearest_word("bacth_size", kKnown), "batch_size");
    EXPECT_EQ(nearest_word("epoch", kKnown), "epochs");
    EXPECT_EQ(nearest_word("rnu", std::vector<std::string>{"data", "run"}), "run");
}

TEST(NearestWord, a_word_that_is_like_none_finds_none)
{
    EXPECT_EQ(nearest_word("zzzz", kKnown), std::nullopt);
}

TEST(NearestWord, words_are_joined_as_people_write_them)
{
    EXPECT_EQ(join_words(kKnown), "batch_size, blocks and epochs");
    EXPECT_EQ(join_words(std::vector<std::string>{"one"}), "one");
    EXPECT_EQ(join_words(std::vector<std::string>{}), "");
}

}  // namespace
}  // namespace lockstep
