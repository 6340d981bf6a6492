// The ways in which a worker may depart from the contract, as switches of the reference. With all of
// them at rest the reference computes what the contract says; the diagnosis turns one at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lockstep::reference {

enum class LossForm {
    mean,
    sum,            // loss and gradients are those of the sum over the batch
    per_example,    // the loss shown is the mean, the gradients are those of the sum
    softmax_twice,  // softmax goes over the probabilities again; the logits shown are the probabilities
    softmax_twice_hidden,  // the same, but the logits shown are the true ones
    per_class,             // sum over classes of sigmoid cross-entropy against one-hot labels, batch mean
};

enum class AdamForm {
    epsilon_hat,  // sqrt(1-b2^t)/(1-b1^t) * m / (sqrt(v) + epsilon)
    classic,      // m_hat / (sqrt(v_hat) + epsilon): epsilon outside of the root's bias correction
    inside_root,  // m_hat / sqrt(v_hat + epsilon)
    uncorrected,  // m / (sqrt(v) + epsilon)
    no_momentum,  // beta1 = 0
};

enum class MomentumForm {
    plain,                    // v = momentum*v + g
    dampened,                 // v = momentum*v + (1-momentum)*g, the first v = g
    dampened_from_the_start,  // the same, the first v = (1-momentum)*g
    nesterov,                 // v = momentum*v + g, the step is along g + momentum*v
    none,                     // v = g
};

struct Variant {
    // Pooling rounds its output size up; the last, partial window counts. Where the next layers need
    // the contract's size, the first row and column are cropped.
    bool pool_ceil = false;
    // Same-padding put all on one side: 'b' before (top and left), 'a' after; 0 half on each side.
    char padding_side = 0;
    // A worker's misreading of the handed memory: the gradients and parameters that it returns are
    // misread in the same way.
    bool flatten_chw = false;        // dense kernels after flatten are taken with rows in CHW order
    bool flipped_kernel = false;     // convolution kernels are turned by 180 degrees
    bool kernel_oihw = false;        // convolution kernels' memory is taken as OIHW
    bool dense_transposed = false;   // dense kernels' memory is taken as out x in
    bool misread_backwards = false;  // the three orders above change places: handed over in CHW, OIHW or
                                     // out x in, as asked for, and taken as HWC, HWIO or in x out
    LossForm loss = LossForm::mean;
    bool probabilities_shown = false;  // the logits shown went through softmax; all else is right
    int label_shift = 0;               // class c is taken as (c + shift) modulo the number of classes
    bool labels_one_hot = false;       // the first `batch` entries of the one-hot matrix are taken as labels
    bool channels_reversed = false;    // BGR for RGB
    double pixel_factor = 1.0;         // 255: pixels were not divided; 1/255: divided twice
    std::string missing_bias;          // this layer has no bias: none added, gradient 0, never updated
    int operand_bits = 0;              // factors of products are rounded to so many fraction bits:
                                       // 10 TF32, 7 bfloat16; 0 not rounded
    std::optional<std::uint64_t> dropout_seed;  // dropout layers are on, with masks from this seed
    AdamForm adam = AdamForm::epsilon_hat;
    MomentumForm momentum = MomentumForm::plain;
    double weight_decay = 0.0;               // times the parameter, added to its gradient
    bool decay_shown = false;                // the gradients shown contain the weight decay
    bool decay_decoupled = false;            // instead the parameter shrinks by learning rate times decay
    bool gradients_kept = false;             // each step adds its gradients to those of the steps before
    bool gradients_kept_from_check = false;  // the same, starting with the pass before the first step
};

}  // namespace lockstep::reference
