// The questions of the agreement check and their right answers. Images are chosen so that rounding cannot
// change which way a ReLU or a max-pool goes, since then every order of summation is right and float32
// results differ by rounding alone.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/judge/tolerance.hpp"
#include "harness/record/observation.hpp"
#include "harness/reference/question.hpp"
#include "harness/reference/variant.hpp"

namespace lockstep::judge {

struct Answer {
    record::ExactObservation exact;
    Tolerances tolerances;
    reference::Variant variant{};  // of the reference that gave it
};

struct Exam {
    reference::Question question;
    Answer answer;
    std::vector<std::uint8_t> images;  // question.images as bytes
};

// Where images come from: count x height x width x channels as stored, and a label each.
struct Candidates {
    std::span<const std::uint8_t> images;
    std::span<const std::int32_t> labels;
};

struct ExamSettings {
    std::int64_t batch = 64;
    int steps = 5;
    std::int64_t predictions = 0;  // images whose class is asked, the first candidates; 0: one batch and
                                   // one image more, so that the last batch is a partial one
    reference::Variant variant{};  // what the worker declares to do otherwise; {} for the contract
    std::uint64_t seed = 42;       // for the biases and the grain
    int threads = 0;               // 0: all cores
};

// Chooses the images and answers. Every pixel p of a candidate becomes 3/4 p + r with a random r of 0..63
// (the grain). In flat parts of a picture neighbouring patches are equal, so a max-pool meets several equal
// largest values; which of them passes the gradient on, the first, the last or each, is a convention of
// frameworks, and no answer is wrong. With 64 levels a pixel no two patches are equal, and what differs does
// so by far more than rounding. Predictions are asked on the candidates as they are. Candidates are tried in
// their order; at each step those without a doubtful unit (see tolerance.hpp) at the parameters of that step
// are taken, and when too few are left, those with the fewest, whose doubt then enters the tolerances. Biases
// that are zero are replaced by values of 0.02..0.1 of either sign: with zero biases a blank patch of an
// image gives exactly 0 before ReLU, where frameworks take its derivative as 0 or as one half, and rounding
// decides for those whose convolution is not exact on zeros; and a missing or misplaced bias would not show
// in the logits. Requires: at least one candidate, weights for every parameter.
Exam set_exam(const protocol::Network& network, const protocol::Optimizer& optimizer,
              const std::map<std::string, std::vector<float>>& weights, const Candidates& candidates,
              const ExamSettings& settings);

// The optimizer of an exam: the campaign's, with the figures at which float32 shows its form best. The form
// and the momentum coefficients are what is examined; a worker takes learning rate and epsilon from its job,
// and one that does not is refused here. Adam, epsilon 1e-5: with the usual 1e-7 an element whose gradient is
// near 0 moves by as much as any other and in a direction that rounding decides, and 1e-5 makes the place of
// epsilon show in all elements. Learning rate 3e-5: five steps move a parameter by 1.5e-4, 10^4 times what
// rounding does to it, and change no layer's output by so much that rounding grows from step to step, as it
// does with 1e-3; for the same reason it is 0.2 over the number of products in the network's longest sum
// where that is above 6,667. SGD has no such growth: 1e-2.
protocol::Optimizer exam_optimizer(protocol::Optimizer optimizer, const protocol::Network& network);

// The answer to a given question, for workers of a variant.
Answer answer(const reference::Question& question, const reference::Variant& variant = {}, int threads = 0);

}  // namespace lockstep::judge
