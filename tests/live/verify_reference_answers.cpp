// Writes what the float64 reference answers to some questions, so that other programs can be asked the same:
//     verify_reference_answers FOLDER
// A folder a case, with case.json (network, optimizer, batch, steps, form, loss, losses) and .npy files in
// canonical layout: weights.<name>, images, labels, and in float64 logits, gradient.<name>, after.<name>.
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/base/atomic_file.hpp"
#include "harness/base/npy_file.hpp"
#include "harness/reference/observe.hpp"
#include "protocol/codec.hpp"
#include "tests/unit/reference/networks.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using namespace testing_networks;
using protocol::Padding;
using reference::AdamForm;
using reference::MomentumForm;
using reference::Question;
using reference::Variant;

struct Case {
    std::string name;
    Question question;
    std::string form;  // of the optimizer, beyond its kind
    Variant variant{};
};

protocol::Network every_kind(Padding padding)
{
    return network_of({15, 13, 3}, {convolution(6, padding), pool(), convolution(5, padding), pool(),
                                    flatten(), dense(9, true), dropout(0.5), dense(7, false)});
}

// Pixels without blank parts: equal patches would tie in max-pools, where any winner is right.
Question asked(const protocol::Network& network, std::int64_t batch, const std::string& optimizer,
               std::uint64_t seed)
{
    Question question = question_of(network, batch, 5, seed);
    Random random(seed, 1);
    for (float& pixel : question.images) {
        pixel = static_cast<float>(random.below(256)) / 255.0F;
    }
    question.optimizer.kind = optimizer;
    question.optimizer.learning_rate = optimizer == "sgd" ? 1e-2 : 1e-3;
    // With 1e-7, an element whose gradient is near 0 is moved by the sign of its rounding error.
    question.optimizer.epsilon = 1e-5;
    return question;
}

std::vector<Case> cases()
{
    const protocol::Network bare =
        network_of({9, 10, 1}, {convolution(4), convolution(3), flatten(), dense(2, false)});
    std::vector<Case> all{
        {"same", asked(every_kind(Padding::same), 6, "adam", 1), "epsilon_hat"},
        {"valid", asked(every_kind(Padding::valid), 5, "adam", 2), "epsilon_hat"},
        {"batch_of_one", asked(bare, 1, "adam", 3), "epsilon_hat"},
        {"cnn2", asked(cnn2(28, 1, 10), 8, "adam", 4), "epsilon_hat"},
        {"cnn3", asked(cnn3(27, 1, 10, Padding::valid), 4, "sgd", 5), "plain"},
        {"adam_classic", asked(every_kind(Padding::same), 6, "adam", 6), "classic"},
        {"momentum", asked(every_kind(Padding::same), 6, "sgd", 7), "plain"},
        {"nesterov", asked(every_kind(Padding::same), 6, "sgd", 8), "nesterov"},
        {"dampened", asked(every_kind(Padding::same), 6, "sgd", 9), "dampened"},
    };
    for (Case& one : all) {
        one.variant.adam = one.form == "classic" ? AdamForm::classic : AdamForm::epsilon_hat;
        one.variant.momentum = one.form == "nesterov"   ? MomentumForm::nesterov
                               : one.form == "dampened" ? MomentumForm::dampened
                                                        : MomentumForm::plain;
    }
    return all;
}

template <class T>
bool keep(const fs::path& file, const Shape& shape, const std::vector<T>& values)
{
    return write_npy<T>(file, shape, values).has_value();
}

bool write(const Case& one, const fs::path& folder)
{
    const Question& question = one.question;
    const record::ExactObservation seen = reference::observe(question, one.variant);
    fs::create_directories(folder);
    const std::int64_t images = question.batch * question.steps;
    Shape shape = question.network.input;
    shape.insert(shape.begin(), images);
    bool good = keep(folder / "images.npy", shape, question.images) &&
                keep(folder / "labels.npy", {images}, question.labels) &&
                keep(folder / "logits.npy", {question.batch, question.network.classes}, seen.logits);
    for (const protocol::Parameter& parameter : protocol::parameters_of(question.network)) {
        const std::string& name = parameter.name;
        good = good &&
               keep(folder / ("weights." + name + ".npy"), parameter.shape, question.weights.at(name)) &&
               keep(folder / ("gradient." + name + ".npy"), parameter.shape, seen.gradients.at(name)) &&
               keep(folder / ("after." + name + ".npy"), parameter.shape, seen.parameters.at(name));
    }
    protocol::Job job;
    job.network = question.network;
    job.optimizer = question.optimizer;
    const nlohmann::ordered_json described{{"job", protocol::to_json(job)},
                                           {"batch", question.batch},
                                           {"steps", question.steps},
                                           {"form", one.form},
                                           {"loss", seen.loss},
                                           {"losses", seen.losses}};
    return good && write_file(folder / "case.json", described.dump() + "\n").has_value();
}

}  // namespace
}  // namespace lockstep

int main(int count, char** words)
{
    if (count != 2) {
        std::fprintf(stderr, "Name the folder to write to.\n");
        return 2;
    }
    for (const lockstep::Case& one : lockstep::cases()) {
        if (!lockstep::write(one, std::filesystem::path(words[1]) / one.name)) {
            std::fprintf(stderr, "%s cannot be written.\n", one.name.c_str());
            return 1;
        }
    }
    return 0;
}
