// Installs by script and by lock, with packages that the test makes: nothing is downloaded.
#include "harness/launch/install.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>

#include "harness/launch/catalog.hpp"
#include "harness/launch/command_run.hpp"
#include "harness/launch/environment.hpp"
#include "harness/launch/interpreter.hpp"
#include "tests/unit/launch/scratch.hpp"

namespace lockstep::launch {
namespace {

namespace fs = std::filesystem;

class InstallTest : public testing::Test {
protected:
    InstallTest()
    {
        options_.progress = [this](std::string_view line) { lines_.emplace_back(line); };
        options_.interrupt = &interrupt_;
    }
    // A worker whose install is this shell script.
    Manifest by_script(const std::string& script, const std::string& more = "")
    {
        const fs::path file = scratch_.write("worker/install", "#!/bin/sh\n" + script);
        fs::permissions(file, fs::perms::owner_all);
        return manifest("kind = \"script\"\nversion_of = \"fancy\"\n" + more);
    }
    Manifest manifest(const std::string& install_table)
    {
        scratch_.write("worker/worker.toml",
                       "name = \"fancy\"\ncommand = [\"true\"]\n[install]\n" + install_table);
        Result<Manifest> read = read_manifest(scratch_.folder() / "worker");
        EXPECT_TRUE(read) << read.error().what;
        return *read;
    }
    Result<InstallReport> install_it(const Manifest& manifest)
    {
        return install(manifest, places_, options_);
    }
    std::string told() const
    {
        std::string all;
        for (const std::string& line : lines_) {
            all += line + "\n";
        }
        return all;
    }

    Scratch scratch_;
    Places places_{scratch_.folder() / "home", scratch_.folder() / "sdk", scratch_.folder() / "bin"};
    Interrupt interrupt_;
    InstallOptions options_;
    std::vector<std::string> lines_;
};

const char* const kGood =
    "echo run >> $LOCKSTEP_HOME/count\necho fancy==2.5 > $LOCKSTEP_PREFIX/versions.txt\necho lockstep: "
    "working\n";

TEST_F(InstallTest, is_made_once_and_told_with_size_and_space)
{
    const Manifest fancy = by_script(kGood, "size_mb = 1");
    const Result<InstallReport> first = install_it(fancy);
    ASSERT_TRUE(first) << first.error().what;
    EXPECT_FALSE(first->already);
    EXPECT_EQ(installed_version(fancy, places_), "2.5");
    EXPECT_NE(lines_.at(0).find("Installing fancy (about 1 MB) into"), std::string::npos) << lines_.at(0);
    EXPECT_NE(lines_.at(0).find("MB are free"), std::string::npos);
    EXPECT_NE(told().find("lockstep: working"), std::string::npos);
    const Result<InstallReport> second = install_it(fancy);
    ASSERT_TRUE(second);
    EXPECT_TRUE(second->already);
    EXPECT_EQ(text_of(places_.home / "count"), "run\n");
}

TEST_F(InstallTest, what_a_script_downloaded_is_there_when_it_starts_over_and_goes_with_the_install)
{
    ASSERT_FALSE(install_it(by_script("echo fetched > $LOCKSTEP_DOWNLOADS/part\nexit 1")));
    ASSERT_TRUE(install_it(by_script(std::string("cp $LOCKSTEP_DOWNLOADS/part $LOCKSTEP_PREFIX\n") + kGood)));
    EXPECT_EQ(text_of(places_.prefix("fancy") / "part"), "fetched\n");
    ASSERT_TRUE(uninstall("fancy", places_, options_));
    EXPECT_FALSE(fs::exists(places_.downloads("fancy")));
}

TEST_F(InstallTest, is_made_again_when_its_script_or_inputs_changed)
{
    scratch_.write("worker/source/a.cpp", "1");
    ASSERT_TRUE(install_it(by_script(kGood, "inputs = [\"source\"]")));
    EXPECT_TRUE(install_it(by_script(kGood, "inputs = [\"source\"]"))->already);
    scratch_.write("worker/source/a.cpp", "2");
    EXPECT_FALSE(install_it(by_script(kGood, "inputs = [\"source\"]"))->already);
    EXPECT_FALSE(install_it(by_script(std::string(kGood) + "# other", "inputs = [\"source\"]"))->already);
}

TEST_F(InstallTest, that_broke_off_is_cleaned_and_made_again)
{
    Result<InstallReport> report = install_it(
        by_script("touch $LOCKSTEP_PREFIX/half\necho 'write: No space left on device' >&2\nexit 1"));
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().what, "The disk is full, so the install of fancy failed.");
    EXPECT_FALSE(installed("fancy", places_));
    EXPECT_TRUE(fs::exists(places_.prefix("fancy") / "half"));
    report = install_it(by_script(kGood));
    ASSERT_TRUE(report) << report.error().what;
    EXPECT_FALSE(fs::exists(places_.prefix("fancy") / "half"));
}

TEST_F(InstallTest, that_needs_more_space_than_there_is_does_not_start)
{
    const Result<InstallReport> report = install_it(by_script(kGood, "size_mb = 1000000"));
    ASSERT_FALSE(report);
    EXPECT_NE(report.error().what.find("fancy needs 1000000 MB"), std::string::npos) << report.error().what;
    EXPECT_FALSE(fs::exists(places_.home / "count"));
}

TEST_F(InstallTest, names_missing_debian_packages)
{
    if (find_program("dpkg-query").empty()) {
        GTEST_SKIP() << "dpkg-query is missing: this is no Debian";
    }
    const Result<InstallReport> report =
        install_it(by_script(kGood, "packages = [\"dpkg\", \"no-such-package-9\"]"));
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().what, "fancy needs the Debian package no-such-package-9.");
    EXPECT_EQ(report.error().remedy, "Install with: sudo apt install no-such-package-9.");
    EXPECT_TRUE(install_it(by_script(kGood, "packages = [\"dpkg\"]")));
}

TEST_F(InstallTest, in_a_second_terminal_waits_and_finds_it_done)
{
    const Manifest fancy = by_script(std::string("touch $LOCKSTEP_HOME/begun\nsleep 1\n") + kGood);
    const pid_t other = ::fork();
    if (other == 0) {
        ::_exit(install(fancy, places_, InstallOptions()) ? 0 : 1);
    }
    EXPECT_TRUE(eventually([&] { return fs::exists(places_.home / "begun"); }));
    const Result<InstallReport> report = install_it(fancy);
    int status = 1;
    ::waitpid(other, &status, 0);
    EXPECT_EQ(status, 0);
    ASSERT_TRUE(report) << report.error().what;
    EXPECT_TRUE(report->already);
    EXPECT_EQ(text_of(places_.home / "count"), "run\n");
    EXPECT_NE(told().find("Another lockstep is working on fancy"), std::string::npos);
}

TEST_F(InstallTest, that_is_interrupted_leaves_no_process_and_no_marker)
{
    const Manifest fancy =
        by_script("sh -c 'while :; do sleep 1; done' &\ntouch $LOCKSTEP_PREFIX/begun\nwait");
    std::thread user([&] {
        eventually([&] { return fs::exists(places_.prefix("fancy") / "begun"); });
        interrupt_.raise();
    });
    const Result<InstallReport> report = install_it(fancy);
    user.join();
    ASSERT_FALSE(report);
    EXPECT_NE(report.error().what.find("was stopped"), std::string::npos);
    EXPECT_FALSE(installed("fancy", places_));
    EXPECT_EQ(processes_with("LOCKSTEP_PREFIX=" + places_.prefix("fancy").string()), std::vector<pid_t>());
}

TEST_F(InstallTest, is_warmed_up_once_and_the_cost_kept)
{
    scratch_.write("worker/warm", "echo warm >> $1/count\n");
    const std::string warm = "warm = [\"sh\", \"{folder}/warm\", \"{home}\"]";
    const Result<InstallReport> report = install_it(by_script(kGood, warm));
    ASSERT_TRUE(report) << report.error().what;
    EXPECT_GT(report->warm_seconds, 0.0);
    EXPECT_TRUE(install_it(by_script(kGood, warm))->already);
    EXPECT_EQ(text_of(places_.home / "count"), "run\nwarm\n");
    EXPECT_EQ(installed("fancy", places_)->warm_seconds.count("fancy"), 1u);
}

TEST_F(InstallTest, whose_warm_up_fails_says_so_and_keeps_what_is_installed)
{
    const Result<InstallReport> report =
        install_it(by_script(kGood, "warm = [\"sh\", \"-c\", \"echo too cold; exit 1\"]"));
    ASSERT_FALSE(report);
    EXPECT_NE(report.error().what.find("The warm-up of fancy failed: too cold"), std::string::npos)
        << report.error().what;
    EXPECT_TRUE(installed("fancy", places_));
}

TEST_F(InstallTest, can_be_removed_whole)
{
    ASSERT_TRUE(install_it(by_script(kGood)));
    ASSERT_TRUE(uninstall("fancy", places_, options_));
    EXPECT_FALSE(fs::exists(places_.prefix("fancy")));
    EXPECT_FALSE(fs::exists(places_.installs() / "fancy.log"));
    EXPECT_FALSE(installed("fancy", places_));
    EXPECT_TRUE(uninstall("fancy", places_, options_));
}

TEST_F(InstallTest, that_is_the_users_own_affair_says_how)
{
    const Result<InstallReport> report = install_it(manifest("kind = \"none\"\nhow = \"Build it.\""));
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().remedy, "Build it.");
    EXPECT_TRUE(install_it(manifest("kind = \"built_in\""))->already);
}

TEST_F(InstallTest, without_a_fitting_python_names_those_found)
{
    scratch_.write("worker/lock", "");
    const Result<InstallReport> report =
        install_it(manifest("kind = \"python\"\nlock = \"lock\"\npython = \">=9\""));
    ASSERT_FALSE(report);
    EXPECT_NE(report.error().what.find("fits >=9; found 3."), std::string::npos) << report.error().what;
    EXPECT_NE(report.error().remedy.find("--python PATH"), std::string::npos);
}

// Makes a wheel, and a lock that takes it from the folder where it lies.
const char* const kMakeWheel = R"(
import base64, hashlib, sys, zipfile
folder, version = sys.argv[1:]
name = f"{folder}/tiny_net-{version}-py3-none-any.whl"
info = f"tiny_net-{version}.dist-info"
with zipfile.ZipFile(name, "w") as wheel:
    wheel.writestr("tiny_net.py", f"version = '{version}'\n")
    wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny-net\nVersion: {version}\n")
    wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr(f"{info}/RECORD", "")
digest = hashlib.sha256(open(name, "rb").read()).hexdigest()
open(f"{folder}/lock", "w").write(
    f"--no-index\n--find-links {folder}\ntiny-net=={version} --hash=sha256:{digest}\n")
)";

TEST_F(InstallTest, by_lock_is_pinned_and_private)
{
    const Result<Interpreter> python = find_python(">=3.8");
    if (!python) {
        GTEST_SKIP() << python.error().what;
    }
    const fs::path maker = scratch_.write("make.py", kMakeWheel);
    const fs::path folder = scratch_.folder() / "worker";
    fs::create_directories(folder);
    const Result<Captured> made = capture({python->path.string(), maker.string(), folder.string(), "1.5"},
                                          entries(own_variables()), std::chrono::minutes(1));
    ASSERT_TRUE(made && made->status.clean()) << made->output;
    const std::string table =
        "kind = \"python\"\nlock = \"lock\"\npython = \">=3.8\"\nversion_of = \"Tiny_Net\"";
    const Manifest tiny = manifest(table);
    const Result<InstallReport> report = install_it(tiny);
    ASSERT_TRUE(report) << report.error().what << text_of(places_.installs() / "fancy.log");
    EXPECT_EQ(installed_version(tiny, places_), "1.5");
    EXPECT_EQ(installed("fancy", places_)->python, python->version);
    const Result<Captured> used = capture({(places_.prefix("fancy") / "bin" / "python").string(), "-c",
                                           "import tiny_net; print(tiny_net.version)"},
                                          entries(own_variables()), std::chrono::minutes(1));
    EXPECT_EQ(used->output, "1.5\n");
    EXPECT_TRUE(install_it(tiny)->already);

    const std::string lock = text_of(folder / "lock");
    scratch_.write("worker/lock", lock.substr(0, lock.find("sha256:") + 7) + std::string(64, '0') + "\n");
    const Result<InstallReport> wrong = install_it(manifest(table));
    ASSERT_FALSE(wrong);
    EXPECT_NE(wrong.error().what.find("hash"), std::string::npos) << wrong.error().what;
    EXPECT_FALSE(installed("fancy", places_));
}

}  // namespace
}  // namespace lockstep::launch
