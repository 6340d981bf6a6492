// The reference answers step by step, and the images of each step are chosen at that step's parameters.
#include "harness/judge/exam.hpp"

#include <algorithm>
#include <cmath>

#include "harness/base/random.hpp"
#include "harness/reference/observe.hpp"

namespace lockstep::judge {
namespace {

using reference::Pass;
using reference::Question;
using reference::Setting;
using reference::Weights;

// How rounding can change the class of largest logit: not when it leads by more than both logits err.
std::vector<bool> decided_rows(const std::vector<double>& logits, std::int64_t width, double error)
{
    std::vector<bool> decided;
    for (auto row = logits.begin(); row != logits.end(); row += width) {
        std::vector<double> sorted(row, row + width);
        std::sort(sorted.rbegin(), sorted.rend());
        decided.push_back(sorted.size() < 2 || sorted[0] - sorted[1] > 2.0 * kSpread * error);
    }
    return decided;
}

// The reference on its way through one question.
class Respondent {
public:
    Respondent(const Question& question, const reference::Variant& variant, int threads)
        : question_(question),
          variant_(variant),
          setting_{question.network, variant_, threads},
          weights_(reference::weights_of(question)),
          optimizer_(question.optimizer, variant_, threads),
          bounds_(setting_, optimizer_, weights_)
    {
        answer_.variant = variant;
    }
    Respondent(const Respondent&) = delete;
    Respondent& operator=(const Respondent&) = delete;

    // Doubtful units of each image at the parameters of now.
    std::vector<std::int64_t> doubtful_units(std::span<const float> images)
    {
        // Errors depend a little on the company that an image is in.
        constexpr double kCaution = 1.1;
        const Pass pass = reference::forward(setting_, weights_, images);
        bounds_.forward(pass);
        std::vector<std::int64_t> units(static_cast<std::size_t>(pass.batch));
        for (const Turn& turn : bounds_.doubtful(pass, kCaution)) {
            ++units[static_cast<std::size_t>(turn.image)];
        }
        return units;
    }

    void take_step(int step)
    {
        Pass pass = reference::forward(setting_, weights_, reference::images_of(question_, step));
        bounds_.forward(pass);
        reference::backward(setting_, weights_, reference::labels_of(question_, step), pass);
        bounds_.backward(pass, reference::labels_of(question_, step));
        record::ExactObservation& exact = answer_.exact;
        if (step == 0) {
            exact.logits = reference::shown_logits(variant_, pass);
            exact.loss = pass.loss;
            exact.gradients = reference::shown_gradients(variant_, weights_, pass);
            answer_.tolerances.logits = bounds_.logits();
            answer_.tolerances.loss = bounds_.loss();
            answer_.tolerances.gradients = bounds_.gradients();
            if (variant_.gradients_kept_from_check) {
                optimizer_.keep(pass.gradients);
            }
        }
        if (question_.steps > 0) {
            exact.losses.push_back(pass.loss);
            answer_.tolerances.losses.push_back(bounds_.loss());
            optimizer_.update(pass.gradients, weights_);
            bounds_.step();
        }
    }

    Answer finish()
    {
        const std::int64_t classes = question_.network.classes;
        if (!question_.prediction_images.empty()) {
            const Pass pass = reference::forward(setting_, weights_, question_.prediction_images);
            bounds_.forward(pass);
            answer_.exact.predictions = reference::largest_of_rows(pass.logits(), classes);
            answer_.tolerances.decided = decided_rows(pass.logits(), classes, bounds_.logits_error());
        }
        answer_.tolerances.doubtful = bounds_.doubtful_so_far();
        if (question_.steps > 0) {
            answer_.tolerances.parameters = bounds_.parameters();
            answer_.exact.parameters = std::move(weights_);
        }
        return std::move(answer_);
    }

private:
    const Question& question_;
    reference::Variant variant_;
    Setting setting_;
    Weights weights_;
    reference::OptimizerState optimizer_;
    ErrorBounds bounds_;
    Answer answer_;
};

void give_biases(const protocol::Network& network, std::uint64_t seed,
                 std::map<std::string, std::vector<float>>& weights)
{
    std::uint64_t purpose = 0;
    for (const protocol::Parameter& parameter : protocol::parameters_of(network)) {
        Random random(seed, ++purpose);
        std::vector<float>& values = weights.at(parameter.name);
        const bool all_zero = std::all_of(values.begin(), values.end(), [](float v) { return v == 0.0F; });
        if (parameter.shape.size() == 1 && all_zero) {
            for (float& value : values) {
                const double size = 0.02 + 0.08 * random.uniform();
                value = static_cast<float>(random.below(2) == 0 ? size : -size);
            }
        }
    }
}

std::vector<float> scaled(std::span<const std::uint8_t> bytes)
{
    std::vector<float> values(bytes.size());
    std::transform(bytes.begin(), bytes.end(), values.begin(),
                   [](std::uint8_t byte) { return static_cast<float>(byte) / 255.0F; });
    return values;
}

// Gives candidates in their order, again from the first after the last.
class Supply {
public:
    Supply(const Candidates& candidates, std::int64_t pixels, std::uint64_t seed)
        : candidates_(candidates), pixels_(pixels), seed_(seed)
    {
    }

    std::int64_t next() { return next_++ % static_cast<std::int64_t>(candidates_.labels.size()); }

    // The bytes of a candidate with its grain, which is the same each time.
    void append(std::int64_t index, std::vector<std::uint8_t>& images) const
    {
        // Apart from the purposes of give_biases(), which count up from 1.
        constexpr std::uint64_t kGrain = std::uint64_t{1} << 32;
        Random random(seed_, kGrain + static_cast<std::uint64_t>(index));
        for (const std::uint8_t pixel : candidates_.images.subspan(static_cast<std::size_t>(index * pixels_),
                                                                   static_cast<std::size_t>(pixels_))) {
            images.push_back(static_cast<std::uint8_t>(pixel * 3U / 4U + random.below(64)));
        }
    }

private:
    const Candidates& candidates_;
    std::int64_t pixels_;
    std::uint64_t seed_;
    std::int64_t next_ = 0;
};

// The candidates of one batch: clean ones, or in want of them the cleanest.
std::vector<std::int64_t> choose_batch(Respondent& respondent, Supply& supply, std::int64_t batch)
{
    // With this many batches looked at, a share of one clean image in twelve is enough.
    constexpr int kMost = 12;
    // Where two batches hold not one clean image, none is likely to come.
    constexpr int kHopeless = 2;
    std::vector<std::pair<std::int64_t, std::int64_t>> seen;  // doubtful units, candidate
    std::int64_t clean = 0;
    for (int round = 0; round < kMost && clean < batch && !(round >= kHopeless && clean == 0); ++round) {
        std::vector<std::uint8_t> images;
        std::vector<std::int64_t> indices;
        for (std::int64_t i = 0; i < batch; ++i) {
            indices.push_back(supply.next());
            supply.append(indices.back(), images);
        }
        const std::vector<std::int64_t> units = respondent.doubtful_units(scaled(images));
        for (std::size_t i = 0; i < units.size(); ++i) {
            seen.emplace_back(units[i], indices[i]);
            clean += units[i] == 0 ? 1 : 0;
        }
    }
    std::stable_sort(seen.begin(), seen.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::int64_t> chosen;
    for (std::int64_t i = 0; i < batch; ++i) {
        chosen.push_back(seen[static_cast<std::size_t>(i)].second);
    }
    return chosen;
}

}  // namespace

Exam set_exam(const protocol::Network& network, const protocol::Optimizer& optimizer,
              const std::map<std::string, std::vector<float>>& weights, const Candidates& candidates,
              const ExamSettings& settings)
{
    Exam exam;
    Question& question = exam.question;
    question.network = network;
    question.optimizer = optimizer;
    question.batch = settings.batch;
    question.steps = settings.steps;
    question.weights = weights;
    give_biases(network, settings.seed, question.weights);
    std::int64_t pixels = 1;
    for (const std::int64_t side : network.input) {
        pixels *= side;
    }
    const auto batches = static_cast<std::size_t>(std::max(1, settings.steps));
    question.images.resize(batches * static_cast<std::size_t>(settings.batch * pixels));
    question.labels.resize(batches * static_cast<std::size_t>(settings.batch));
    Supply supply(candidates, pixels, settings.seed);
    Respondent respondent(question, settings.variant, settings.threads);
    for (std::size_t step = 0; step < batches; ++step) {
        const std::size_t before = exam.images.size();
        std::size_t place = step * static_cast<std::size_t>(settings.batch);
        for (const std::int64_t index : choose_batch(respondent, supply, settings.batch)) {
            supply.append(index, exam.images);
            question.labels[place++] = candidates.labels[static_cast<std::size_t>(index)];
        }
        const std::vector<float> images = scaled(std::span(exam.images).subspan(before));
        std::copy(images.begin(), images.end(),
                  question.images.begin() + static_cast<std::ptrdiff_t>(before));
        respondent.take_step(static_cast<int>(step));
    }
    const auto count = static_cast<std::int64_t>(candidates.labels.size());
    const std::int64_t predictions = settings.predictions > 0 ? settings.predictions : settings.batch + 1;
    question.prediction_images =
        scaled(candidates.images.first(static_cast<std::size_t>(std::min(predictions, count) * pixels)));
    exam.answer = respondent.finish();
    return exam;
}

protocol::Optimizer exam_optimizer(protocol::Optimizer optimizer, const protocol::Network& network)
{
    if (optimizer.kind == "sgd") {
        optimizer.learning_rate = 1e-2;
        return optimizer;
    }
    std::int64_t longest = 1;
    for (const protocol::Layer& layer : network.layers) {
        if (layer.has_parameters()) {
            const std::int64_t area = std::max<std::int64_t>(1, layer.kernel_height * layer.kernel_width);
            longest = std::max(longest, area * layer.input.back());
        }
    }
    optimizer.learning_rate = std::min(3e-5, 0.2 / static_cast<double>(longest));
    optimizer.epsilon = 1e-5;
    return optimizer;
}

Answer answer(const Question& question, const reference::Variant& variant, int threads)
{
    Respondent respondent(question, variant, threads);
    for (int step = 0; step < std::max(1, question.steps); ++step) {
        respondent.take_step(step);
    }
    return respondent.finish();
}

}  // namespace lockstep::judge
