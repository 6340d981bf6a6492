// Correct workers are never refused.
#include <gtest/gtest.h>

#include <cstdlib>

#include "harness/judge/agreement.hpp"
#include "tests/unit/judge/agreement_worker.hpp"
#include "tests/unit/reference/networks.hpp"

namespace lockstep::judge {
namespace {

using namespace testing_networks;

TEST(Explore, all)
{
    const std::uint64_t seed = 20260315;
    const int count = std::getenv("COUNT") ? std::atoi(std::getenv("COUNT")) : 40;
    const double lr = std::getenv("LR") ? std::atof(std::getenv("LR")) : 1e-3;
    const char* kind = std::getenv("KIND");
    std::map<Part, std::pair<double, double>> worst;
    int doubtful = 0, refused = 0;
    std::int64_t units = 0;
    for (int i = 0; i < count; ++i) {
        Random random(seed, i);
        const protocol::Network network = random_network(random);
        std::vector<std::uint8_t> images;
        std::vector<std::int32_t> labels;
        for (int n = 0; n < 200; ++n) {
            const auto one = picture(network.input, random);
            images.insert(images.end(), one.begin(), one.end());
            labels.push_back(static_cast<std::int32_t>(random.below(network.classes)));
        }
        protocol::Optimizer optimizer;
        if (kind) optimizer.kind = kind;
        optimizer.learning_rate = lr;
        const Exam exam = set_exam(network, optimizer, random_weights(network, 0.0, random), {images, labels},
                                   {.batch = 1 + static_cast<std::int64_t>(random.below(16)), .threads = 1});
        const Agreement agreement = compare(Float32Worker(exam.question).answer(), exam.question, exam.answer);
        units += exam.answer.tolerances.doubtful;
        doubtful += exam.answer.tolerances.doubtful > 0;
        refused += !agreement.agrees;
        if (!agreement.agrees) printf("%d: %s doubt %ld\n", i, sentence(agreement).c_str(), exam.answer.tolerances.doubtful);
        for (const Departure& d : agreement.table) {
            auto& w = worst[d.part];
            w.first = std::max(w.first, d.excess);
            w.second += d.excess;
        }
    }
    printf("refused %d doubtful %d (%ld units)\n", refused, doubtful, units);
    for (auto& [part, w] : worst) printf("part %d worst %.3g\n", int(part), w.first);
}

}  // namespace
}  // namespace lockstep::judge
