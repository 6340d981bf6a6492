// Every known departure, as a worker that has it: refused always, and the right cause named nearly always.
#include "harness/judge/diagnosis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "harness/reference/observe.hpp"
#include "tests/unit/judge/agreement_worker.hpp"
#include "tests/unit/reference/networks.hpp"

namespace lockstep::judge {
namespace {

using namespace testing_networks;
using reference::AdamForm;
using reference::LossForm;
using reference::MomentumForm;
using reference::Variant;

constexpr std::uint64_t kSeed = 20260316;
constexpr int kNetworks = 8;

// Odd sizes, so that pooling's rounding matters; three channels; dropout between the dense layers.
protocol::Network telling_network(int number)
{
    Random random(kSeed, static_cast<std::uint64_t>(number));
    const auto some = [&](std::uint64_t low, std::uint64_t high) {
        return static_cast<std::int64_t>(low + random.below(high - low + 1));
    };
    const std::int64_t side = 2 * some(4, 7) + 1;
    return network_of({side, side, 3},
                      {convolution(some(3, 8)), pool(), convolution(some(3, 8)), pool(), flatten(),
                       dense(some(8, 20), true), dropout(0.5), dense(some(3, 12), false)});
}

Exam exam_of(const protocol::Network& network, const protocol::Optimizer& optimizer, int number)
{
    Random random(kSeed, static_cast<std::uint64_t>(1000 + number));
    std::vector<std::uint8_t> images;
    std::vector<std::int32_t> labels;
    for (int i = 0; i < 120; ++i) {
        const std::vector<std::uint8_t> image = picture(network.input, random);
        images.insert(images.end(), image.begin(), image.end());
        labels.push_back(
            static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(network.classes))));
    }
    ExamSettings settings;
    settings.batch = 16;
    settings.threads = 1;
    return set_exam(network, exam_optimizer(optimizer, network), random_weights(network, 0.0, random),
                    {images, labels}, settings);
}

// Float32 values with normally distributed noise of the size that rounding has.
std::vector<float> with_noise(const std::vector<double>& exact, double size, Random& random)
{
    std::vector<float> noisy;
    for (const double value : exact) {
        const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform()));
        noisy.push_back(
            static_cast<float>(value + size * radius * std::cos(2.0 * std::numbers::pi * random.uniform())));
    }
    return noisy;
}

record::Observation worker_of(const Variant& variant, const Exam& exam, int number)
{
    Random random(kSeed, static_cast<std::uint64_t>(2000 + number));
    const Answer answer = judge::answer(exam.question, variant, 1);
    constexpr double kShare = 0.1;  // of the limit: about what a float32 worker shows
    record::Observation seen;
    seen.logits = with_noise(answer.exact.logits, kShare * answer.tolerances.logits.rms, random);
    seen.loss = answer.exact.loss;
    seen.losses = answer.exact.losses;
    seen.predictions = answer.exact.predictions;
    for (const auto& [name, values] : answer.exact.gradients) {
        seen.gradients[name] = with_noise(values, kShare * answer.tolerances.gradients.at(name).rms, random);
    }
    for (const auto& [name, values] : answer.exact.parameters) {
        seen.parameters[name] =
            with_noise(values, kShare * answer.tolerances.parameters.at(name).rms, random);
    }
    return seen;
}

struct Saboteur {
    std::string cause;
    std::string what;
    Variant variant;
    std::string optimizer = "adam";
};

template <class Change>
Saboteur saboteur(std::string cause, std::string what, const Change& change, std::string optimizer = "adam")
{
    Saboteur result{std::move(cause), std::move(what), {}, std::move(optimizer)};
    change(result.variant);
    return result;
}

std::vector<Saboteur> saboteurs()
{
    return {
        saboteur("pool-ceil", "pooling by ceil", [](Variant& v) { v.pool_ceil = true; }),
        saboteur("padding-side", "padding before", [](Variant& v) { v.padding_side = 'b'; }),
        saboteur("padding-side", "padding after", [](Variant& v) { v.padding_side = 'a'; }),
        saboteur("flatten-order", "flatten CHW", [](Variant& v) { v.flatten_chw = true; }),
        saboteur("flipped-kernel", "flipped kernel", [](Variant& v) { v.flipped_kernel = true; }),
        saboteur("kernel-layout", "kernel as OIHW", [](Variant& v) { v.kernel_oihw = true; }),
        saboteur("transposed-dense", "dense transposed", [](Variant& v) { v.dense_transposed = true; }),
        saboteur("flatten-order", "flatten HWC where CHW is declared",
                 [](Variant& v) { v.flatten_chw = v.misread_backwards = true; }),
        saboteur("kernel-layout", "kernel as HWIO where OIHW is declared",
                 [](Variant& v) { v.kernel_oihw = v.misread_backwards = true; }),
        saboteur("transposed-dense", "dense in x out where out x in is declared",
                 [](Variant& v) { v.dense_transposed = v.misread_backwards = true; }),
        saboteur("sum-loss", "sum loss", [](Variant& v) { v.loss = LossForm::sum; }),
        saboteur("per-example-loss", "per-example loss", [](Variant& v) { v.loss = LossForm::per_example; }),
        saboteur("softmax-twice", "softmax twice", [](Variant& v) { v.loss = LossForm::softmax_twice; }),
        saboteur("softmax-twice", "softmax twice, logits shown",
                 [](Variant& v) { v.loss = LossForm::softmax_twice_hidden; }),
        saboteur("softmax-twice", "probabilities for logits",
                 [](Variant& v) { v.probabilities_shown = true; }),
        saboteur("per-class-loss", "sigmoid loss", [](Variant& v) { v.loss = LossForm::per_class; }),
        saboteur("pixel-scale", "not divided by 255", [](Variant& v) { v.pixel_factor = 255.0; }),
        saboteur("pixel-scale", "divided twice", [](Variant& v) { v.pixel_factor = 1.0 / 255.0; }),
        saboteur("label-shift", "labels + 1", [](Variant& v) { v.label_shift = 1; }),
        saboteur("label-shift", "labels - 1", [](Variant& v) { v.label_shift = -1; }),
        saboteur("one-hot-labels", "one-hot labels", [](Variant& v) { v.labels_one_hot = true; }),
        saboteur("channel-order", "BGR", [](Variant& v) { v.channels_reversed = true; }),
        saboteur("missing-bias", "no bias in conv2", [](Variant& v) { v.missing_bias = "conv2"; }),
        saboteur("missing-bias", "no bias in dense2", [](Variant& v) { v.missing_bias = "dense2"; }),
        saboteur("tf32", "TF32", [](Variant& v) { v.operand_bits = 10; }),
        saboteur("bfloat16", "bfloat16", [](Variant& v) { v.operand_bits = 7; }),
        saboteur("dropout-on", "dropout", [](Variant& v) { v.dropout_seed = 12345; }),
        saboteur("weight-decay", "decay 3e-4 in the gradients",
                 [](Variant& v) {
                     v.weight_decay = 3e-4;
                     v.decay_shown = true;
                 }),
        saboteur("weight-decay", "decay 5e-4", [](Variant& v) { v.weight_decay = 5e-4; }),
        saboteur("weight-decay", "decay 3e-4, no usual value", [](Variant& v) { v.weight_decay = 3e-4; }),
        saboteur(
            "weight-decay", "decay 5e-4, SGD", [](Variant& v) { v.weight_decay = 5e-4; }, "sgd"),
        saboteur("weight-decay", "decoupled decay 1e-2",
                 [](Variant& v) {
                     v.weight_decay = 1e-2;
                     v.decay_decoupled = true;
                 }),
        saboteur("adam-epsilon", "epsilon outside", [](Variant& v) { v.adam = AdamForm::classic; }),
        saboteur("adam-epsilon", "epsilon inside the root",
                 [](Variant& v) { v.adam = AdamForm::inside_root; }),
        saboteur("no-bias-correction", "no bias correction",
                 [](Variant& v) { v.adam = AdamForm::uncorrected; }),
        saboteur("no-momentum", "beta1 = 0", [](Variant& v) { v.adam = AdamForm::no_momentum; }),
        saboteur(
            "dampening", "dampening", [](Variant& v) { v.momentum = MomentumForm::dampened; }, "sgd"),
        saboteur(
            "dampening", "dampening from the start",
            [](Variant& v) { v.momentum = MomentumForm::dampened_from_the_start; }, "sgd"),
        saboteur(
            "nesterov", "Nesterov", [](Variant& v) { v.momentum = MomentumForm::nesterov; }, "sgd"),
        saboteur(
            "no-momentum", "no momentum", [](Variant& v) { v.momentum = MomentumForm::none; }, "sgd"),
        saboteur("gradients-kept", "gradients kept", [](Variant& v) { v.gradients_kept = true; }),
        saboteur(
            "gradients-kept", "gradients kept, SGD", [](Variant& v) { v.gradients_kept = true; }, "sgd"),
        saboteur(
            "gradients-kept", "gradients kept from the check",
            [](Variant& v) { v.gradients_kept_from_check = true; }, "sgd"),
    };
}

TEST(Saboteurs, are_all_refused_and_nine_in_ten_named)
{
    std::printf("seed %llu\n", static_cast<unsigned long long>(kSeed));
    std::map<std::string, std::pair<int, int>> right;  // named, of how many
    int named = 0;
    int all = 0;
    for (int number = 0; number < kNetworks; ++number) {
        const protocol::Network network = telling_network(number);
        std::map<std::string, Exam> exams;
        for (const std::string kind : {"adam", "sgd"}) {
            protocol::Optimizer optimizer;
            optimizer.kind = kind;
            exams[kind] = exam_of(network, optimizer, number);
        }
        for (const Saboteur& saboteur : saboteurs()) {
            const Exam& exam = exams.at(saboteur.optimizer);
            const record::Observation seen = worker_of(saboteur.variant, exam, number);
            const Agreement agreement = compare(seen, exam.question, exam.answer);
            EXPECT_FALSE(agreement.agrees) << saboteur.what << ", network " << number;
            if (agreement.agrees) {
                continue;
            }
            const Diagnosis diagnosis = diagnose(seen, exam.question, exam.answer, agreement, 1);
            const std::string found = diagnosis.cause ? diagnosis.cause->id : "none";
            const bool hit = found == saboteur.cause;
            if (!hit) {
                std::printf("  %s, network %d: named %s\n", saboteur.what.c_str(), number, found.c_str());
            }
            right[saboteur.what].first += hit ? 1 : 0;
            right[saboteur.what].second += 1;
            named += hit ? 1 : 0;
            ++all;
        }
    }
    for (const auto& [what, count] : right) {
        std::printf("  %-32s named %d of %d\n", what.c_str(), count.first, count.second);
    }
    EXPECT_GE(named, all * 9 / 10) << named << " of " << all;
}

// What a worker shows that answers right when asked for gradients and departs when it trains.
record::Observation only_in_training(const Variant& variant, const Exam& exam)
{
    record::Observation seen = worker_of({}, exam, 0);
    const record::Observation wrong = worker_of(variant, exam, 0);
    seen.losses = wrong.losses;
    seen.parameters = wrong.parameters;
    seen.predictions = wrong.predictions;
    return seen;
}

std::string cause_of(const record::Observation& seen, const Exam& exam)
{
    const Agreement agreement = compare(seen, exam.question, exam.answer);
    EXPECT_FALSE(agreement.agrees);
    const Diagnosis diagnosis = diagnose(seen, exam.question, exam.answer, agreement, 1);
    EXPECT_FALSE(diagnosis.grounds.empty());
    return diagnosis.cause ? diagnosis.cause->id : "none";
}

TEST(Diagnosis, finds_what_departs_in_training_only)
{
    const Exam exam = exam_of(telling_network(0), {}, 0);
    Variant shifted;
    shifted.label_shift = 1;
    EXPECT_EQ(cause_of(only_in_training(shifted, exam), exam), "label-shift");
}

TEST(Diagnosis, finds_dropout_that_is_on_in_training_only)
{
    for (int number = 0; number < kNetworks; ++number) {
        for (const std::string kind : {"adam", "sgd"}) {
            protocol::Optimizer optimizer;
            optimizer.kind = kind;
            const Exam exam = exam_of(telling_network(number), optimizer, number);
            Variant drops;
            drops.dropout_seed = 12345;
            EXPECT_EQ(cause_of(only_in_training(drops, exam), exam), "dropout-on") << number << " " << kind;
        }
    }
}

TEST(Diagnosis, holds_a_worker_to_the_form_of_Adam_that_it_declares)
{
    Variant classic;
    classic.adam = AdamForm::classic;
    Exam exam = exam_of(telling_network(0), {}, 0);
    const record::Observation contract = worker_of({}, exam, 0);
    const record::Observation own = worker_of(classic, exam, 0);
    EXPECT_EQ(cause_of(own, exam), "adam-epsilon");
    exam.answer = judge::answer(exam.question, classic, 1);
    EXPECT_TRUE(compare(own, exam.question, exam.answer).agrees);
    EXPECT_EQ(cause_of(contract, exam), "adam-declared");
    Variant decays = classic;
    decays.weight_decay = 3e-4;
    EXPECT_EQ(cause_of(worker_of(decays, exam, 0), exam), "weight-decay");
}

TEST(Diagnosis, knows_ceil_by_the_size_of_the_dense_kernel)
{
    const Exam exam = exam_of(telling_network(1), {}, 1);
    const protocol::Network& network = exam.question.network;
    const std::int64_t side = ((network.input[0] + 1) / 2 + 1) / 2;
    record::Observation seen = worker_of({}, exam, 1);
    seen.gradients.at("dense1.kernel")
        .resize(static_cast<std::size_t>(side * side * network.layers[2].output[2] *
                                         network.layers[5].output[0]));
    EXPECT_EQ(cause_of(seen, exam), "pool-ceil");
}

TEST(Diagnosis, names_nothing_where_nothing_known_fits)
{
    const Exam exam = exam_of(telling_network(2), {}, 2);
    record::Observation garbage = worker_of({}, exam, 2);
    Random random(kSeed);
    for (auto& [name, values] : garbage.gradients) {
        values = with_noise(std::vector<double>(values.size(), 0.0), 1e3, random);
    }
    EXPECT_EQ(cause_of(garbage, exam), "none");
    garbage.logits[0] = std::nanf("");
    EXPECT_EQ(cause_of(garbage, exam), "none");
}

}  // namespace
}  // namespace lockstep::judge
