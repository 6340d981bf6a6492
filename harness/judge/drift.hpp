// How far rounding can carry one parameter away over the steps of an optimizer; the derivation stands in
// tolerance.hpp.
#pragma once

#include <string>
#include <vector>

#include "harness/judge/size.hpp"
#include "harness/reference/optimizer.hpp"
#include "harness/reference/variant.hpp"

namespace lockstep::judge {

inline constexpr double kUnit = 0x1p-24;
inline constexpr double kSpread = 6.0;
inline constexpr double kTurn = 3.0;  // the errors are upper bounds already, three times the usual

// Absolute, for the distances of one tensor's elements from the reference.
struct Limit {
    double rms = 0.0;      // for their root mean square
    double largest = 0.0;  // for the largest
};

// The errors of one gradient's elements, [...][in][out]: rms in[i] * rounding[o] + turned[o], at most
// kSpread * in[i] * rounding[o] + turned_largest[o], and 0 where in[i] is 0.
struct GradientError {
    std::vector<double> in;
    std::vector<double> rounding, turned, turned_largest;
};

void multiply(GradientError& error, double factor);

// Of one parameter.
class Drift {
public:
    // `common`: relative error that all updates of a step share.
    Drift(reference::AdamForm form, double common, int threads)
        : form_(form), common_(common), threads_(threads)
    {
    }

    // After the optimizer's update of the parameter `name` with a gradient of this error.
    void step(const GradientError& error, const reference::OptimizerState& optimizer,
              const std::string& name);
    // The parameter itself is rounded once in each step.
    void round_parameter(const Size& parameter);

    double error() const { return moved_; }  // rms, without the common part
    Limit limit(double elements) const;

private:
    struct Errors {  // of Adam's moments of one element
        double m = 0.0, s = 0.0, m_largest = 0.0, s_largest = 0.0;
    };
    struct Part;  // sums over a block of elements
    void adam(const reference::OptimizerState& optimizer, const std::string& name);
    void momentum(const protocol::Optimizer& optimizer);
    Errors errors_of(std::size_t in, std::size_t out, const protocol::Optimizer& optimizer) const;

    reference::AdamForm form_;
    double common_;
    int threads_;
    std::vector<GradientError> gradients_;  // of each step so far
    double moved_ = 0.0, moved_largest_ = 0.0;
    double common_moved_ = 0.0, common_largest_ = 0.0;
};

}  // namespace lockstep::judge
