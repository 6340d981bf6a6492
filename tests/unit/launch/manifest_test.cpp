// worker.toml: what is read, and what each mistake is told.
#include "harness/launch/manifest.hpp"

#include <gtest/gtest.h>

#include "tests/unit/launch/scratch.hpp"

namespace lockstep::launch {
namespace {

const char* const kWhole = R"(name = "fancy"
title = "Fancy nets"
command = ["{python}", "{folder}/trainer.py"]
wants = { convolution = "OIHW", flipped = true, dense = "out_in", flatten = "CHW" }
can = { layers = ["dense"], optimizers = ["sgd"], precision = ["float32"], input = ["locked"], devices = ["cpu"], verbs = ["latency"], options = ["fast=off|on", "note"] }
threads = { OMP_NUM_THREADS = "{threads}", OTHER = 1 }
ranked = false
[install]
kind = "python"
lock = "requirements.lock"
python = ">=3.8,<3.12"
share = "shared"
packages = ["g++"]
size_mb = 300
warm = ["{python}", "{folder}/warm.py"]
version_of = "fancy"
[env]
HOME_OF_IT = "{home}/fancy"
)";

class ReadManifest : public testing::Test {
protected:
    Result<Manifest> read(const std::string& text)
    {
        scratch_.write("requirements.lock", "");
        scratch_.write("worker.toml", text);
        return read_manifest(scratch_.folder());
    }
    void expect_error(const std::string& text, const std::string& line, const std::string& what,
                      const std::string& remedy)
    {
        const Result<Manifest> manifest = read(text);
        ASSERT_FALSE(manifest) << text;
        EXPECT_NE(manifest.error().what.find("worker.toml, line " + line), std::string::npos)
            << manifest.error().what;
        EXPECT_NE(manifest.error().what.find(what), std::string::npos) << manifest.error().what;
        EXPECT_NE(manifest.error().remedy.find(remedy), std::string::npos) << manifest.error().remedy;
    }
    Scratch scratch_;
};

TEST_F(ReadManifest, takes_every_key)
{
    const Result<Manifest> read_one = read(kWhole);
    ASSERT_TRUE(read_one) << read_one.error().what;
    const Manifest& manifest = *read_one;
    EXPECT_EQ(manifest.name, "fancy");
    EXPECT_EQ(manifest.title, "Fancy nets");
    EXPECT_EQ(manifest.folder, scratch_.folder());
    EXPECT_EQ(manifest.command.at(1), "{folder}/trainer.py");
    EXPECT_EQ(manifest.wants.convolution, "OIHW");
    EXPECT_TRUE(manifest.wants.flipped);
    EXPECT_EQ(manifest.wants.dense, "out_in");
    EXPECT_EQ(manifest.wants.flatten, "CHW");
    EXPECT_EQ(manifest.can.verbs, std::vector<std::string>{"latency"});
    EXPECT_EQ(manifest.can.options.at("fast"), (std::vector<std::string>{"off", "on"}));
    EXPECT_TRUE(manifest.can.options.at("note").empty());
    EXPECT_EQ(manifest.threads.at("OTHER"), "1");
    EXPECT_FALSE(manifest.ranked);
    EXPECT_EQ(manifest.install.kind, InstallKind::python);
    EXPECT_EQ(manifest.install.lock, scratch_.folder() / "requirements.lock");
    EXPECT_EQ(manifest.install.share, "shared");
    EXPECT_EQ(manifest.install.size_mb, 300);
    EXPECT_EQ(manifest.env.at("HOME_OF_IT"), "{home}/fancy");
}

TEST_F(ReadManifest, needs_little)
{
    const Result<Manifest> manifest = read("name = \"small\"\ncommand = [\"true\"]");
    ASSERT_TRUE(manifest) << manifest.error().what;
    EXPECT_EQ(manifest->title, "small");
    EXPECT_TRUE(manifest->ranked);
    EXPECT_EQ(manifest->install.kind, InstallKind::built_in);
    EXPECT_EQ(manifest->install.share, "small");
    EXPECT_EQ(manifest->wants.convolution, "HWIO");
}

TEST_F(ReadManifest, names_the_nearest_key_and_value)
{
    const std::string head = "name = \"a\"\ncommand = [\"true\"]\n";
    expect_error(head + "comand = []", "3", "\"comand\"", "\"command\"");
    expect_error(head + "wants = { convolution = \"HWOI\" }", "3", "HWOI", "\"HWIO\"");
    expect_error(head + "wants = { dence = \"in_out\" }", "3", "dence", "\"dense\"");
    expect_error(head + "can = { precision = [\"float33\"] }", "3", "float33", "\"float32\"");
    expect_error(head + "can = { layers = [\"max_pol\"] }", "3", "max_pol", "\"max_pool\"");
    expect_error(head + "install = { kind = \"pyton\" }", "3", "pyton", "\"python\"");
    expect_error(head + "[install]\nkind = \"built_in\"\nlock = \"requirements.lock\"", "5", "\"lock\"", "");
    expect_error(head + "env = { A = \"{hom}/x\" }", "3", "{hom}", "{home}");
}

TEST_F(ReadManifest, says_what_is_missing_or_wrong)
{
    expect_error("command = [\"true\"]", "1", "\"name\"", "name");
    expect_error("name = \"a\"", "1", "\"command\"", "command");
    expect_error("name = \"a\"\ncommand = []", "2", "empty", "{python}");
    expect_error("name = \"Big Name\"\ncommand = [\"true\"]", "1", "Big Name", "lower-case");
    expect_error("name = \"a\"\ncommand = [\"true\"", "2", "TOML", "");
    const std::string head = "name = \"a\"\ncommand = [\"true\"]\n";
    expect_error(head + "install = { kind = \"none\" }", "3", "\"how\"", "how");
    expect_error(head + "install = { kind = \"python\" }", "3", "\"lock\"", "lock");
    expect_error(head + "install = { kind = \"python\", lock = \"other.lock\" }", "3", "other.lock", "");
    expect_error(head + "install = { kind = \"script\" }", "3", "install does not exist", "");
    expect_error(head + "install = { kind = \"python\", lock = \"requirements.lock\", python = \"3.8+\" }",
                 "3", "3.8+", ">=3.8,<3.12");
}

TEST_F(ReadManifest, a_folder_without_one_is_named)
{
    const Result<Manifest> manifest = read_manifest(scratch_.folder() / "absent");
    ASSERT_FALSE(manifest);
    EXPECT_NE(manifest.error().what.find("absent/worker.toml"), std::string::npos);
}

}  // namespace
}  // namespace lockstep::launch
