// An exam as workers meet it: the question's images, labels and order as files.
#pragma once

#include <filesystem>

#include "harness/base/error.hpp"
#include "harness/data/dataset.hpp"
#include "harness/judge/exam.hpp"
#include "harness/record/plan.hpp"
#include "protocol/network.hpp"

namespace lockstep::pipeline {

struct ExamPaper {
    judge::Exam exam;
    std::filesystem::path images;       // uint8, (batches x batch, height, width, channels)
    std::filesystem::path labels;       // int32
    std::filesystem::path order;        // int64: 0, 1, 2, ...
    std::filesystem::path test_images;  // whose classes are asked for at the end: a batch and one image more
};

// Sets the exam of `network` from the training images, with the campaign's optimizer in the exam's figures
// (judge::exam_optimizer) and the weights that the campaign's seed gives, and writes its files into `folder`.
// `adam` is the form that the answer follows. Takes as long as the float64 answer. Errors: data that cannot
// be read, files that cannot be written.
Result<ExamPaper> set_paper(const record::Plan& plan, const protocol::Network& network,
                            const data::Dataset& dataset, std::int64_t batch, reference::AdamForm adam,
                            const std::filesystem::path& folder);

}  // namespace lockstep::pipeline
