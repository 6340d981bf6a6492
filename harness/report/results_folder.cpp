// Locking by flock, so that a killed campaign leaves no lock behind.
#include "harness/report/results_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "harness/report/trial_file.hpp"

namespace lockstep::report {

namespace fs = std::filesystem;

struct ResultsFolder::Lock {
    int fd = -1;
    fs::path root;
    bool ours = false;  // the folder holds a campaign, and so its staging is one
    ~Lock()
    {
        std::error_code ignored;
        if (ours) {
            fs::remove_all(root / "staging", ignored);
        }
        fs::remove(root / ".lock", ignored);
        ::close(fd);
    }
};

namespace {

// Results must not be mixed with, nor written over, what lies there.
Result<void> require_empty(const fs::path& root)
{
    std::error_code code;
    if (fs::exists(root / "experiment.toml", code) || fs::exists(root / "trials", code)) {
        return fail(
            fmt::format("The results folder {} holds the results of an earlier run.", root.string()),
            fmt::format("Go on with it by `lockstep run --resume {}`, or name another folder with --out.",
                        root.string()));
    }
    for (const auto& entry : fs::directory_iterator(root, code)) {
        if (const std::string name = entry.path().filename().string(); name != ".lock") {
            return fail(fmt::format("The folder {} is not empty: it holds {}.", root.string(), name),
                        "Name a new or an empty folder with --out; nothing there was changed.");
        }
    }
    return {};
}

}  // namespace

Result<std::shared_ptr<ResultsFolder::Lock>> ResultsFolder::lock_folder(const fs::path& root)
{
    const int fd = ::open((root / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0) {
        return fail(
            fmt::format("The results folder {} cannot be written: {}.", root.string(), std::strerror(errno)),
            "Name a folder that you may write to, with --out.");
    }
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
        ::close(fd);
        return fail(fmt::format("The results folder {} is in use by another run.", root.string()),
                    "Wait for that run to end, or name another folder with --out.");
    }
    auto lock = std::make_shared<Lock>();
    lock->fd = fd;
    lock->root = root;
    return lock;
}

Result<ResultsFolder> ResultsFolder::create(const fs::path& root)
{
    std::error_code code;
    fs::create_directories(root, code);
    if (code) {
        return fail(fmt::format("The results folder {} cannot be made: {}.", root.string(), code.message()),
                    "Name a folder that you may write to, with --out.");
    }
    auto lock = lock_folder(root);
    if (!lock) {
        return tl::unexpected(lock.error());
    }
    if (const Result<void> empty = require_empty(root); !empty) {
        return tl::unexpected(empty.error());
    }
    (*lock)->ours = true;
    fs::create_directories(root / "trials", code);
    fs::create_directories(root / "gate", code);
    if (code) {
        return fail(
            fmt::format("The results folder {} cannot be written: {}.", root.string(), code.message()),
            "Name a folder that you may write to, with --out.");
    }
    return ResultsFolder(root, *lock);
}

Result<ResultsFolder> ResultsFolder::resume(const fs::path& root)
{
    if (!fs::exists(root / "experiment.toml")) {
        return fail(fmt::format("{} is not a results folder: it holds no experiment.toml.", root.string()),
                    "Name the folder that an earlier `lockstep run` wrote.");
    }
    auto lock = lock_folder(root);
    if (!lock) {
        return tl::unexpected(lock.error());
    }
    (*lock)->ours = true;
    std::error_code ignored;
    fs::create_directories(root / "trials", ignored);
    fs::create_directories(root / "gate", ignored);
    return ResultsFolder(root, *lock);
}

Result<fs::path> ResultsFolder::start_trial(const std::string& name) const
{
    const fs::path folder = trial(name);
    std::error_code code;
    fs::remove_all(folder, code);
    fs::create_directories(folder, code);
    if (code) {
        return fail(
            fmt::format("{} cannot be made: {}.", folder.string(), code.message()),
            "Free some disk space or check the folder's rights, then run `lockstep run --resume` on it.");
    }
    return folder;
}

std::vector<record::Trial> ResultsFolder::finished_trials() const
{
    std::vector<record::Trial> trials;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(root_ / "trials", ignored)) {
        Result<record::Trial> trial = read_trial(entry.path());
        if (trial) {
            trials.push_back(std::move(*trial));
        }
    }
    std::sort(trials.begin(), trials.end(),
              [](const record::Trial& a, const record::Trial& b) { return a.folder < b.folder; });
    return trials;
}

}  // namespace lockstep::report
