// Files that people write by hand: every mistake is named with its line.
#include "harness/base/toml_table.hpp"

#include <gtest/gtest.h>

#include <array>

namespace lockstep {
namespace {

Error mistake_in(const std::string& text)
{
    TomlTable table = TomlTable::parse(text, "x.toml").value();
    std::int64_t blocks = 6;
    double rate = 0;
    bool verify = true;
    std::string optimizer = "adam";
    std::vector<std::string> models;
    std::map<std::string, std::string> env;
    table.integer("blocks", blocks, 1, 1000);
    table.number("rate", rate, 0, 1);
    table.flag("verify", verify);
    table.choice("optimizer", optimizer, std::array<std::string, 2>{"adam", "sgd"});
    table.texts("models", models);
    table.text_map("env", env);
    const Result<void> sound = table.finish();
    return sound ? Error{} : sound.error();
}

TEST(TomlTable, values_are_read_and_absent_ones_keep_their_defaults)
{
    TomlTable table = TomlTable::parse("blocks = 12\nenv = { A = \"x\", N = 2, F = true }", "x.toml").value();
    std::int64_t blocks = 6;
    std::int64_t epochs = 1;
    std::map<std::string, std::string> env;
    table.integer("blocks", blocks, 1, 1000);
    table.integer("epochs", epochs, 1, 1000);
    table.text_map("env", env);
    EXPECT_TRUE(table.finish());
    EXPECT_EQ(blocks, 12);
    EXPECT_EQ(epochs, 1);
    EXPECT_EQ(env, (std::map<std::string, std::string>{{"A", "x"}, {"F", "true"}, {"N", "2"}}));
}

TEST(TomlTable, an_unknown_key_names_its_line_and_the_nearest_known_one)
{
    const Error error = mistake_in("blocks = 6\n\nblcoks = 7\n");
    EXPECT_EQ(error.what, "x.toml, line 3: \"blcoks\" is not a known key.");
    EXPECT_EQ(error.remedy, "Did you mean \"blocks\"?");
}

TEST(TomlTable, an_unknown_value_names_the_nearest_known_one)
{
    const Error error = mistake_in("optimizer = \"adm\"\n");
    EXPECT_EQ(error.what, "x.toml, line 1: \"adm\" is not a value of optimizer.");
    EXPECT_EQ(error.remedy, "Did you mean \"adam\"? Known are adam and sgd.");
}

TEST(TomlTable, wrong_types_and_ranges_are_named)
{
    EXPECT_EQ(mistake_in("blocks = 0").what,
              "x.toml, line 1: \"blocks\" is not a whole number from 1 to 1000.");
    EXPECT_EQ(mistake_in("blocks = 1.5").what,
              "x.toml, line 1: \"blocks\" is not a whole number from 1 to 1000.");
    EXPECT_EQ(mistake_in("blocks = \"6\"").what,
              "x.toml, line 1: \"blocks\" is not a whole number from 1 to 1000.");
    EXPECT_EQ(mistake_in("rate = \"much\"").what, "x.toml, line 1: \"rate\" is not a number from 0 to 1.");
    EXPECT_EQ(mistake_in("verify = 1").what, "x.toml, line 1: \"verify\" is not true or false.");
    EXPECT_EQ(mistake_in("models = \"cnn2\"").what, "x.toml, line 1: \"models\" is not a list of strings.");
    EXPECT_EQ(mistake_in("env = { A = [1] }").what,
              "x.toml, line 1: \"A\" is not a string, a number, true or false.");
    EXPECT_EQ(mistake_in("rate = 1").what, "");
}

TEST(TomlTable, text_that_is_not_toml_names_its_line)
{
    const auto table = TomlTable::parse("a = 1\nb = = 2\n", "x.toml");
    ASSERT_FALSE(table);
    EXPECT_EQ(table.error().what.rfind("x.toml, line 2: this is not TOML", 0), 0u) << table.error().what;
}

TEST(TomlTable, a_missing_key_is_named)
{
    TomlTable table = TomlTable::parse("", "x.toml").value();
    table.require("framework");
    EXPECT_EQ(table.finish().error().what, "x.toml, line 1: \"framework\" is missing.");
}

}  // namespace
}  // namespace lockstep
