// The exam's own images are written as bytes, in the order in which they are asked.
#include "harness/pipeline/exam_paper.hpp"

#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "harness/base/npy_file.hpp"
#include "harness/data/initial_weights.hpp"

namespace lockstep::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr int kSteps = 5;  // k of CONTRACT section 3

std::map<std::string, std::vector<float>> initial_weights(const protocol::Network& network,
                                                          std::uint64_t seed)
{
    std::map<std::string, std::vector<float>> weights;
    const std::vector<protocol::Parameter> parameters = protocol::parameters_of(network);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        weights[parameters[i].name] = data::initial_values(network, i, seed);
    }
    return weights;
}

Result<void> write_files(ExamPaper& paper, const NpyFile& images, const fs::path& folder)
{
    std::error_code code;
    fs::create_directories(folder, code);
    Shape shape = images.shape();
    const std::size_t values = static_cast<std::size_t>(images.elements() / shape[0]);
    const std::vector<std::int32_t>& classes = paper.exam.question.labels;
    std::vector<std::int64_t> order(classes.size());
    std::iota(order.begin(), order.end(), 0);
    shape[0] = std::ssize(classes);
    paper.images = folder / "images.npy";
    paper.labels = folder / "labels.npy";
    paper.order = folder / "order.npy";
    paper.test_images = folder / "test_images.npy";
    Shape asked = images.shape();
    asked[0] = std::ssize(paper.exam.question.prediction_images) / static_cast<std::int64_t>(values);
    const auto first = images.values<std::uint8_t>().first(static_cast<std::size_t>(elements_of(asked)));
    return write_npy<std::uint8_t>(paper.images, shape, paper.exam.images)
        .and_then([&] { return write_npy<std::uint8_t>(paper.test_images, asked, first); })
        .and_then([&] { return write_npy<std::int32_t>(paper.labels, {shape[0]}, classes); })
        .and_then([&] { return write_npy<std::int64_t>(paper.order, {shape[0]}, order); });
}

}  // namespace

Result<ExamPaper> set_paper(const record::Plan& plan, const protocol::Network& network,
                            const data::Dataset& dataset, std::int64_t batch, reference::AdamForm adam,
                            const fs::path& folder)
{
    const Result<NpyFile> images = NpyFile::open(dataset.train_images());
    const Result<NpyFile> labels = NpyFile::open(dataset.train_labels());
    if (!images || !labels) {
        return tl::unexpected(!images ? images.error() : labels.error());
    }
    judge::ExamSettings settings;
    settings.batch = batch;
    settings.steps = kSteps;
    settings.variant.adam = adam;
    settings.seed = plan.seed;
    ExamPaper paper;
    paper.exam = judge::set_exam(network, judge::exam_optimizer(plan.optimizer, network),
                                 initial_weights(network, plan.seed),
                                 {images->values<std::uint8_t>(), labels->values<std::int32_t>()}, settings);
    return write_files(paper, *images, folder).map([&] { return std::move(paper); });
}

}  // namespace lockstep::pipeline
