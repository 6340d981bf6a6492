// The folder of one campaign: where each file lies, and that only one campaign writes to it.
//
//   experiment.toml      the experiment with every default filled in
//   environment.json     the machine
//   design.json          what was fixed before the first run, with its digest
//   <model>_<arm>.csv    the nine columns, one row a run
//   summary.txt          the tables as printed; summary.json the same for programs
//   gate/                what the agreement check found, one file an arm and network
//   trials/<run>/        record.json, steps.npy, s.log, predictions.csv, output.txt
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/record/environment.hpp"
#include "harness/record/trial.hpp"

namespace lockstep::report {

class ResultsFolder {
public:
    // A new folder (made with its parents), or an empty one. Fails when it cannot be written, when it holds
    // results or anything else already, or when another campaign is writing to it.
    static Result<ResultsFolder> create(const std::filesystem::path& root);
    // An existing one, to go on with. Fails when it holds no experiment.toml, or is in use.
    static Result<ResultsFolder> resume(const std::filesystem::path& root);

    const std::filesystem::path& root() const { return root_; }
    std::filesystem::path file(const std::string& name) const { return root_ / name; }
    std::filesystem::path staging() const { return root_ / "staging"; }  // removed when the folder is closed
    // "b003_p2_cnn2_tensorflow": block, place in the block, network and arm. The folder is made, emptied.
    Result<std::filesystem::path> start_trial(const std::string& name) const;
    std::filesystem::path trial(const std::string& name) const { return root_ / "trials" / name; }
    // The trials that are whole on disk, in order of their names.
    std::vector<record::Trial> finished_trials() const;

private:
    struct Lock;
    ResultsFolder(std::filesystem::path root, std::shared_ptr<Lock> lock)
        : root_(std::move(root)), lock_(std::move(lock))
    {
    }
    static Result<std::shared_ptr<Lock>> lock_folder(const std::filesystem::path& root);
    std::filesystem::path root_;
    std::shared_ptr<Lock> lock_;
};

}  // namespace lockstep::report
