// How far a float32 result may lie from the float64 reference, when rounding is the only cause.
//
// Derivation. u = 2^-24 is the largest relative error of one float32 operation. Errors are followed as root
// mean squares (rms) over a tensor, once forward and once backward, from what the reference's own tensors
// are; nothing is fitted to any framework.
//
// A sum of n products x*w. Its natural size is S = max(rms of the sums, sqrt(n) * rms(x) * rms(w)): the
// second is what is left when signs are random, the first when they are not. Summed one after the other, the
// partial sums grow like sqrt(k) (random signs) or like k (one sign), each addition errs by at most
// u * partial sum, about 0.4 u of it on average, and independent errors add as squares: 0.4 * sqrt(n/2) * u *
// S or 0.4 * sqrt(n/3) * u * S. Other orders (blocks, trees, several threads) err less; convolution by small
// transforms (Winograd, F(4x4,3x3)) up to three times more. sqrt(n) * u * S is taken for all. Errors that x
// and w already carry pass on in proportion: with r(x) = error / rms,
//     error of the sums = S * sqrt(r(x)^2 + r(w)^2 + n u^2).
// The same rule serves a layer's output (n = its fan-in), its input's gradient (n = its fan-out), its
// kernel's gradient (n = batch * output pixels) and its bias's (the same n, with w = 1).
//
// Softmax. p = softmax(l) moves by p_i * (d_i - sum_j p_j d_j) for errors d of l; the exponential's argument
// is rounded too, so p_i errs by u * (4 + |l_i - max l|) of itself. The mean loss moves by at most the
// gradient's length times the logits' error in each image.
//
// ReLU and max-pool pass errors on as long as rounding does not turn them: a unit within kTurn times its
// error of turning is doubtful, since then its gradient may go one way or the other, or to another pixel.
// (Equal inputs of a pool come from equal patches of the image; whichever wins, the same patch and the same
// gradient meet.) Exams are set with images that have no doubtful unit. Where none exist, as with millions of
// units an image, the reference goes back a second time with all doubtful units turned; the difference of the
// gradients, times kSpread / 2 since a worker turns some and not others, is added to what follows from
// rounding.
//
// Optimizer. Adam moves a parameter by lr * c_t * U, U = m / (s + epsilon), s = sqrt(v). With gradient errors
// d_t, m errs by at most dm = sum (1-b1) b1^(t-i) d_i, and s, being a length, by ds = sqrt(sum (1-b2)
// b2^(t-i) d_i^2); U errs by at most (dm + |U| ds) / (max(s - ds, 0) + epsilon), and never by more than 2
// * 1.02 / c_t, since c_t |U| <= 1.02 in the first steps (Cauchy-Schwarz). This is taken element by element.
// A gradient that is 0 in float64 in all steps is a sum with a zero factor in each product, and 0 in float32
// too. beta2 in float32 and its powers put a relative error of at most u/(1-b2) + u/(1-b1) on all of a step's
// updates together; what it does to a layer's output is bounded by what all updates did: lr * t * n * rms(x),
// and rms now + rms then. SGD: the velocity errs by sum momentum^(t-i) d_i. Each step rounds the parameter
// itself: u * rms.
//
// Limits. For the rms over N elements: the error times (1 + kSpread / sqrt(N)). For the largest: kSpread
// times the error, times largest / natural size, since elements of larger sums err more. kSpread = 6: of 10^8
// normally distributed errors the largest is 5.7 standard deviations.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/judge/doubt.hpp"
#include "harness/judge/drift.hpp"
#include "harness/reference/optimizer.hpp"
#include "harness/reference/pass.hpp"

namespace lockstep::judge {

struct Tolerances {
    Limit logits;
    double loss = 0.0;
    std::map<std::string, Limit> gradients;
    std::vector<double> losses;               // one a step
    std::map<std::string, Limit> parameters;  // after the steps
    std::vector<bool> decided;                // which predictions rounding cannot change
    std::int64_t doubtful = 0;                // units of all steps' passes that rounding could turn
};

// Follows the errors through the passes and steps of one exam. Calls come in the order forward,
// [doubtful,] backward, step, forward ...; forward may be repeated.
class ErrorBounds {
public:
    // All three must outlive this object.
    ErrorBounds(const reference::Setting& setting, const reference::OptimizerState& optimizer,
                const reference::Weights& weights);

    void forward(const reference::Pass& pass);
    // Of all layers; `caution` widens what counts as doubtful.
    std::vector<Turn> doubtful(const reference::Pass& pass, double caution) const;
    // `pass` has gone backward with these labels.
    void backward(const reference::Pass& pass, std::span<const std::int32_t> labels);
    // After the optimizer's update with the gradients of the last backward().
    void step();

    double logits_error() const { return input_.back(); }  // rms, of the last forward()
    Limit logits() const { return logits_; }               // of the last backward()
    double loss() const { return loss_; }
    const std::map<std::string, Limit>& gradients() const { return gradients_; }
    std::map<std::string, Limit> parameters() const;            // after the last step()
    std::int64_t doubtful_so_far() const { return doubtful_; }  // in all backward() so far

private:
    double common_error() const;
    double weight_error(const std::string& name) const;
    void forward_layer(const reference::Pass& pass, std::size_t l);
    void backward_loss(const reference::Pass& pass);
    void backward_layer(const reference::Pass& pass, std::size_t l);
    void kernel_and_bias(const reference::Pass& pass, std::size_t l);
    void add_turned(const reference::Pass& pass, std::span<const std::int32_t> labels);

    const reference::Setting& setting_;
    const reference::OptimizerState& optimizer_;
    const reference::Weights& weights_;
    std::vector<double> input_;  // errors of pass.input, rms
    std::vector<double> first_;  // rms of the outputs before ReLU with the weights of the start
    std::vector<double> above_;  // of the gradients, rms
    std::vector<double> at_;
    Limit logits_;
    double loss_ = 0.0;
    std::map<std::string, Limit> gradients_;
    std::map<std::string, GradientError> errors_;  // of the last backward()
    std::map<std::string, Drift> drifts_;
    std::int64_t doubtful_ = 0;
};

}  // namespace lockstep::judge
