// Finding workers, and saying what one lacks.
#include "harness/launch/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/launch/install.hpp"
#include "tests/unit/launch/scratch.hpp"

namespace lockstep::launch {
namespace {

class Workers : public testing::Test {
protected:
    void add(const std::string& folder, const std::string& name, const std::string& rest = "")
    {
        scratch_.write(folder + "/worker.toml",
                       "name = \"" + name + "\"\ncommand = [\"{python}\", \"x\"]\n" + rest);
    }
    Result<Catalog> read(std::vector<std::string> folders = {"workers"})
    {
        std::vector<std::filesystem::path> paths;
        for (const std::string& folder : folders) {
            paths.push_back(scratch_.folder() / folder);
        }
        return Catalog::read(paths);
    }
    Manifest only()
    {
        const Result<Catalog> catalog = read();
        EXPECT_TRUE(catalog) << catalog.error().what;
        return catalog->manifests().at(0);
    }
    Places places() const
    {
        return {scratch_.folder() / "home", scratch_.folder() / "sdk", scratch_.folder() / "bin"};
    }

    Scratch scratch_;
};

TEST_F(Workers, are_found_in_every_folder_but_not_where_they_are_not_meant)
{
    add("workers/one", "one");
    add("workers/_template", "template");
    add("workers/sdk", "sdk");
    scratch_.write("workers/notes/README.md", "");
    add("more/two", "two");
    add("single", "three");
    const Result<Catalog> catalog = read({"workers", "more", "single"});
    ASSERT_TRUE(catalog) << catalog.error().what;
    EXPECT_EQ(catalog->names(), (std::vector<std::string>{"one", "three", "two"}));
}

TEST_F(Workers, of_one_name_are_an_error_that_names_both)
{
    add("workers/one", "same");
    add("workers/two", "same");
    const Result<Catalog> catalog = read();
    ASSERT_FALSE(catalog);
    EXPECT_NE(catalog.error().what.find("workers/one"), std::string::npos) << catalog.error().what;
    EXPECT_NE(catalog.error().what.find("workers/two"), std::string::npos);
}

TEST_F(Workers, that_share_an_install_must_ask_for_the_same_one)
{
    scratch_.write("workers/one/lock", "a==1");
    scratch_.write("workers/two/lock", "a==2");
    add("workers/one", "one", R"(install = { kind = "python", lock = "lock", share = "both" })");
    add("workers/two", "two", R"(install = { kind = "python", lock = "lock", share = "both" })");
    const Result<Catalog> catalog = read();
    ASSERT_FALSE(catalog);
    EXPECT_NE(catalog.error().what.find("one and two share the install \"both\""), std::string::npos);
    add("workers/two", "two", R"(install = { kind = "python", lock = "../one/lock", share = "both" })");
    EXPECT_TRUE(read());
}

TEST_F(Workers, that_do_not_exist_are_answered_with_the_nearest)
{
    add("workers/one", "tensor");
    const Result<Catalog> catalog = read();
    EXPECT_EQ((*catalog->find("tensor"))->name, "tensor");
    EXPECT_EQ(catalog->find("tenser").error().remedy, "Did you mean tensor?");
    EXPECT_EQ(catalog->find("zzz").error().remedy, "There are tensor.");
}

TEST_F(Workers, in_a_folder_that_does_not_exist_are_an_error)
{
    const Result<Catalog> catalog = read({"absent"});
    ASSERT_FALSE(catalog);
    EXPECT_NE(catalog.error().what.find("absent"), std::string::npos);
}

TEST_F(Workers, folders_of_the_user_come_first)
{
    ::setenv("LOCKSTEP_WORKERS", "/a::/b", 1);
    EXPECT_EQ(worker_folders("/c"), (std::vector<std::filesystem::path>{"/a", "/b", "/c"}));
    ::unsetenv("LOCKSTEP_WORKERS");
    EXPECT_EQ(worker_folders("/c"), (std::vector<std::filesystem::path>{"/c"}));
}

TEST_F(Workers, without_their_install_say_how_to_get_it)
{
    scratch_.write("workers/one/lock", "a==1");
    add("workers/one", "one", R"(install = { kind = "python", lock = "lock", version_of = "A" })");
    const Manifest manifest = only();
    Readiness answer = readiness(manifest, places());
    EXPECT_FALSE(answer.ready);
    EXPECT_EQ(answer.missing, "one is not installed.");
    EXPECT_EQ(answer.remedy, "Get it with: lockstep install one.");

    const std::filesystem::path python = scratch_.write("home/installs/one/bin/python", "#!/bin/sh\n");
    std::filesystem::permissions(python, std::filesystem::perms::owner_all);
    Installed facts;
    facts.digest = *install_digest(manifest);
    facts.versions["a"] = "1";
    ASSERT_TRUE(write_marker("one", places(), facts));
    answer = readiness(manifest, places());
    EXPECT_TRUE(answer.ready) << answer.missing;
    EXPECT_EQ(answer.python, python);
    EXPECT_EQ(answer.version, "1");

    std::filesystem::remove(python);
    EXPECT_NE(readiness(manifest, places()).remedy.find("lockstep uninstall one"), std::string::npos);
    scratch_.write("workers/one/lock", "a==2");
    EXPECT_EQ(readiness(only(), places()).missing, "The install of one is out of date.");
}

TEST_F(Workers, run_in_an_environment_that_the_user_has)
{
    scratch_.write("workers/one/lock", "a==1");
    add("workers/one", "one", R"(install = { kind = "python", lock = "lock" })");
    const Readiness answer = readiness(only(), places(), "/bin/sh");
    EXPECT_TRUE(answer.ready);
    EXPECT_EQ(answer.python, "/bin/sh");
    EXPECT_NE(readiness(only(), places(), "/nowhere/python").missing.find("/nowhere/python"),
              std::string::npos);
}

TEST_F(Workers, that_cannot_be_installed_say_how_the_user_gets_them)
{
    scratch_.write("workers/one/worker.toml",
                   "name = \"one\"\ncommand = [\"no-such-program-9\"]\n"
                   "install = { kind = \"none\", how = \"Build it from its sources.\" }");
    const Readiness answer = readiness(only(), places());
    EXPECT_FALSE(answer.ready);
    EXPECT_EQ(answer.missing, "no-such-program-9 was not found.");
    EXPECT_EQ(answer.remedy, "Build it from its sources.");
}

TEST_F(Workers, whose_install_needs_what_only_the_user_has_say_what_that_is)
{
    scratch_.write("workers/one/install", "#!/bin/sh\n");
    add("workers/one", "one",
        R"(install = { kind = "script", how = "Name your build by ONE, then install." })");
    const Readiness answer = readiness(only(), places());
    EXPECT_EQ(answer.missing, "one is not installed.");
    EXPECT_EQ(answer.remedy, "Name your build by ONE, then install.");
}

TEST_F(Workers, get_their_variables_and_none_that_disturb)
{
    add("workers/one", "one",
        "env = { WHERE = \"{home}/{threads}\" }\nthreads = { OMP_NUM_THREADS = \"{threads}\" }");
    ::setenv("MKL_NUM_THREADS", "64", 1);
    ::setenv("LOCKSTEP_READ_FD", "9", 1);
    const Result<CommandLine> line = command_line(only(), places(), "/usr/bin/python3", 2);
    ::unsetenv("MKL_NUM_THREADS");
    ::unsetenv("LOCKSTEP_READ_FD");
    ASSERT_TRUE(line) << line.error().what;
    EXPECT_EQ(line->command, (std::vector<std::string>{"/usr/bin/python3", "x"}));
    const auto has = [&](const std::string& entry) {
        return std::ranges::find(line->environment, entry) != line->environment.end();
    };
    EXPECT_TRUE(has("WHERE=" + (scratch_.folder() / "home/2").string()));
    EXPECT_TRUE(has("OMP_NUM_THREADS=2"));
    EXPECT_TRUE(has("OMP_WAIT_POLICY=passive"));
    EXPECT_FALSE(has("MKL_NUM_THREADS=64"));
    EXPECT_FALSE(has("LOCKSTEP_READ_FD=9"));
    EXPECT_FALSE(command_line(only(), places(), "", 2));
}

TEST(SourceTree, has_manifests_that_can_be_read)
{
    const Result<Catalog> catalog = Catalog::read({std::string(LOCKSTEP_SOURCE_DIR) + "/workers"});
    ASSERT_TRUE(catalog) << catalog.error().what;
}

}  // namespace
}  // namespace lockstep::launch
