// The small readers of text: placeholders, ranges of versions, the end of an output, causes in a log.
#include <gtest/gtest.h>

#include "harness/launch/install_failure.hpp"
#include "harness/launch/install_marker.hpp"
#include "harness/launch/output_tail.hpp"
#include "harness/launch/placeholders.hpp"
#include "harness/launch/version_range.hpp"
#include "tests/unit/launch/scratch.hpp"

namespace lockstep::launch {
namespace {

TEST(Placeholder, is_replaced_everywhere_and_other_braces_stay)
{
    const Placeholders values{{"home", "/h"}, {"threads", "2"}};
    EXPECT_EQ(*expand("{home}/a{threads}{threads}", values, "x"), "/h/a22");
    EXPECT_EQ(*expand("{\"a\": {}} {Home} {home", values, "x"), "{\"a\": {}} {Home} {home");
    EXPECT_EQ(*expand("{ {home}", values, "x"), "{ /h");
}

TEST(Placeholder, that_is_unknown_or_has_no_value_is_an_error)
{
    const Result<std::string> unknown = expand("{thread}", {{"threads", "2"}}, "worker.toml, line 3");
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().what, "worker.toml, line 3: There is no placeholder {thread}.");
    EXPECT_EQ(unknown.error().remedy, "Did you mean {threads}?");
    EXPECT_NE(expand("{python}", {}, "x").error().what.find("{python} has no value"), std::string::npos);
}

TEST(VersionRange, holds_what_its_terms_say)
{
    EXPECT_TRUE(*in_range("3.11.2", ">=3.8,<3.12"));
    EXPECT_TRUE(*in_range("3.8", ">=3.8"));
    EXPECT_TRUE(*in_range("3.10.0", ">3.9"));
    EXPECT_FALSE(*in_range("3.12.0", ">=3.8, <3.12"));
    EXPECT_FALSE(*in_range("3.7.9", ">=3.8,<3.12"));
    EXPECT_FALSE(*in_range("3.9", "!=3.9"));
    EXPECT_TRUE(*in_range("3.9", "==3.9,<=3.9"));
    EXPECT_TRUE(*in_range("3.9", ""));
    EXPECT_FALSE(*in_range("three", ">=3.8"));
}

TEST(VersionRange, that_cannot_be_read_is_an_error)
{
    for (const char* range : {"3.8", "~=3.8", ">=", ">=3.x", ">=3.8,,<4", "=>3.8"}) {
        EXPECT_FALSE(in_range("3.9", range)) << range;
    }
}

TEST(OutputTail, is_the_last_lines_as_plain_text)
{
    const Scratch scratch;
    std::string text;
    for (int i = 0; i < 100; ++i) {
        text += "line " + std::to_string(i) + "\n";
    }
    EXPECT_EQ(tail_of(scratch.write("log", text), 2), "line 98\nline 99");
    EXPECT_EQ(
        tail_of(scratch.write("log", text + "\x1b[1;31mred\x1b[0m\n 10 %\r100 %\r\nbell\a\xff\xc3\xa9"), 3),
        "red\n100 %\nbell?\xc3\xa9");
    EXPECT_EQ(tail_of(scratch.write("log", "")), "");
    EXPECT_EQ(tail_of(scratch.folder() / "absent"), "");
    EXPECT_EQ(tail_of(scratch.write("log", std::string(5000, 'x'))), std::string(400, 'x') + "...");
}

TEST(OutputTail, never_ends_inside_a_letter)
{
    std::string text(399, 'x');
    text += "\xc3\xa9\xc3\xa9";
    EXPECT_EQ(plain_text(text), std::string(399, 'x') + "...");
    EXPECT_EQ(one_line("a\n\nb\n"), "a b");
}

TEST(InstallFailure, names_its_cause_and_the_way_out)
{
    const auto cause = [](const std::string& text) {
        const Error error = explain_failure("the install of Fancy", "/log", text);
        EXPECT_NE(error.what.find("Fancy"), std::string::npos) << error.what;
        EXPECT_NE(error.remedy.find("/log"), std::string::npos) << error.remedy;
        return error.what + error.remedy;
    };
    const auto expect = [&](const std::string& text, const std::string& word) {
        EXPECT_NE(cause(text).find(word), std::string::npos) << text << "\n" << cause(text);
    };
    const std::string retry =
        "WARNING: Retrying after NewConnectionError: [Errno -3] Temporary failure in name resolution\n";
    expect(retry + "ERROR: No matching distribution found for x", "network");
    expect(retry + "OSError: [Errno 28] No space left on device", "disk is full");
    expect("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", "hash");
    expect("x.sh: 4: g++: not found", "sudo apt install g++");
    expect("error: command 'x86_64-linux-gnu-gcc' failed: No such file or directory", "C++ compiler");
    expect("fatal error: Python.h: No such file or directory", "python3-dev");
    expect("./install: line 3: mvn: command not found", "sudo apt install maven");
    expect("The virtual environment was not created because ensurepip is not available.", "python3-venv");
    expect("ERROR: No matching distribution found for x==1", "fits this Python");
    expect("mkdir: cannot create directory: Permission denied", "LOCKSTEP_HOME");
    expect("something\nthe reactor melted\n\n", "The install of Fancy failed: the reactor melted");
    expect("", "said nothing");
}

TEST(Versions, are_read_from_lists_of_pins)
{
    const auto versions = parse_versions("Big_Package==1.2\nnoise\nWARNING: a == b\nother==3.0.post1\n");
    EXPECT_EQ(versions, (std::map<std::string, std::string>{{"big-package", "1.2"}, {"other", "3.0.post1"}}));
}

}  // namespace
}  // namespace lockstep::launch
