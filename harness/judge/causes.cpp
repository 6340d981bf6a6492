// Order matters where two causes give the same numbers: the more usual one stands first.
#include "harness/judge/causes.hpp"

#include <algorithm>

namespace lockstep::judge {
namespace {

using reference::AdamForm;
using reference::LossForm;
using reference::MomentumForm;
using reference::Variant;

template <class Change>
Variant with(const Change& change)
{
    Variant variant;
    change(variant);
    return variant;
}

template <class Change>
Variant backwards(const Change& change)
{
    Variant variant = with(change);
    variant.misread_backwards = true;
    return variant;
}

Variant loss(LossForm form)
{
    return with([&](Variant& v) { v.loss = form; });
}

Variant adam(AdamForm form)
{
    return with([&](Variant& v) { v.adam = form; });
}

Variant momentum(MomentumForm form)
{
    return with([&](Variant& v) { v.momentum = form; });
}

std::vector<KnownCause> layout_causes()
{
    return {
        {{"pool-ceil", "Max-pooling rounds its output size up where the contract rounds down."},
         Stage::pass,
         {with([](Variant& v) { v.pool_ceil = true; })}},
        {{"padding-side", "Convolution puts its padding on one side only instead of half on each."},
         Stage::pass,
         {with([](Variant& v) { v.padding_side = 'a'; }), with([](Variant& v) { v.padding_side = 'b'; })}},
        {{"flatten-order",
          "Flattened images are taken in channel, height, width order where the weights are in height, "
          "width, "
          "channel order, or the other way round."},
         Stage::pass,
         {with([](Variant& v) { v.flatten_chw = true; }),
          backwards([](Variant& v) { v.flatten_chw = true; })}},
        {{"flipped-kernel",
          "Convolution kernels are turned by 180 degrees: the framework convolves where the "
          "contract correlates, or the other way round."},
         Stage::pass,
         {with([](Variant& v) { v.flipped_kernel = true; })}},
        {{"kernel-layout", "Convolution kernels are read in another layout than they are handed over in."},
         Stage::pass,
         {with([](Variant& v) { v.kernel_oihw = true; }),
          backwards([](Variant& v) { v.kernel_oihw = true; })}},
        {{"transposed-dense",
          "Dense kernels are read transposed: as outputs x inputs where they are handed over as inputs x "
          "outputs, or the other way round."},
         Stage::pass,
         {with([](Variant& v) { v.dense_transposed = true; }),
          backwards([](Variant& v) { v.dense_transposed = true; })}},
    };
}

std::vector<KnownCause> input_causes(const reference::Question& question)
{
    std::vector<KnownCause> causes{
        {{"pixel-scale", "Pixels are not divided by 255, or divided twice."},
         Stage::pass,
         {with([](Variant& v) { v.pixel_factor = 255.0; }),
          with([](Variant& v) { v.pixel_factor = 1.0 / 255.0; })}},
        {{"label-shift", "Labels are shifted by one class."},
         Stage::pass,
         {with([](Variant& v) { v.label_shift = 1; }), with([](Variant& v) { v.label_shift = -1; })}},
        {{"one-hot-labels", "One-hot labels are taken for class numbers."},
         Stage::pass,
         {with([](Variant& v) { v.labels_one_hot = true; })}},
    };
    if (question.network.input.back() > 1) {
        causes.push_back({{"channel-order", "Colour channels are taken in reversed order (BGR for RGB)."},
                          Stage::pass,
                          {with([](Variant& v) { v.channels_reversed = true; })}});
    }
    return causes;
}

std::vector<KnownCause> loss_causes()
{
    return {
        {{"sum-loss", "The loss is summed over the batch instead of averaged."},
         Stage::pass,
         {loss(LossForm::sum)}},
        {{"per-example-loss", "The gradients are those of a loss per example, added up instead of averaged."},
         Stage::pass,
         {loss(LossForm::per_example)}},
        {{"softmax-twice", "Softmax is applied twice: the loss takes probabilities for logits."},
         Stage::pass,
         {loss(LossForm::softmax_twice), loss(LossForm::softmax_twice_hidden),
          with([](Variant& v) { v.probabilities_shown = true; })}},
        {{"per-class-loss",
          "The loss is a sigmoid cross-entropy for each class instead of softmax cross-entropy."},
         Stage::pass,
         {loss(LossForm::per_class)}},
    };
}

std::vector<KnownCause> noise_causes(const protocol::Network& network)
{
    std::vector<KnownCause> causes{
        {{"tf32", "Products are computed in TF32 (10 fraction bits) where float32 is asked for."},
         Stage::noise,
         {with([](Variant& v) { v.operand_bits = 10; })}},
        {{"bfloat16", "Products are computed in bfloat16 (7 fraction bits) where float32 is asked for."},
         Stage::noise,
         {with([](Variant& v) { v.operand_bits = 7; })}},
    };
    const bool drops = std::any_of(
        network.layers.begin(), network.layers.end(),
        [](const protocol::Layer& l) { return l.kind == protocol::LayerKind::dropout && l.rate > 0.0; });
    if (drops) {
        causes.push_back({{"dropout-on", "Dropout is on where it is asked to be off."},
                          Stage::noise,
                          {with([](Variant& v) { v.dropout_seed = 1; })}});
    }
    return causes;
}

std::vector<KnownCause> optimizer_causes(const protocol::Optimizer& optimizer, AdamForm declared)
{
    std::vector<KnownCause> causes;
    if (optimizer.kind == "sgd") {
        causes.push_back(
            {{"dampening", "Momentum is dampened: the velocity takes up only a part of each gradient."},
             Stage::steps,
             {momentum(MomentumForm::dampened), momentum(MomentumForm::dampened_from_the_start)}});
        causes.push_back(
            {{"nesterov", "Momentum is Nesterov's."}, Stage::steps, {momentum(MomentumForm::nesterov)}});
        causes.push_back({{"no-momentum", "SGD runs without its momentum."},
                          Stage::steps,
                          {momentum(MomentumForm::none)}});
    } else if (declared == AdamForm::classic) {
        causes.push_back(
            {{"adam-declared",
              "The worker declares its own form of Adam, with epsilon outside of the root's bias "
              "correction, and computes the contract's form or adds epsilon inside of the root."},
             Stage::steps,
             {adam(AdamForm::epsilon_hat), adam(AdamForm::inside_root)}});
    } else {
        causes.push_back({{"adam-epsilon",
                           "Adam adds its epsilon outside of the root's bias correction "
                           "(m_hat / (sqrt(v_hat) + epsilon)) or inside of the root."},
                          Stage::steps,
                          {adam(AdamForm::classic), adam(AdamForm::inside_root)}});
    }
    if (optimizer.kind != "sgd") {
        causes.push_back({{"no-bias-correction", "Adam runs without bias correction."},
                          Stage::steps,
                          {adam(AdamForm::uncorrected)}});
        causes.push_back({{"no-momentum", "Adam runs without its first moment (beta1 is 0)."},
                          Stage::steps,
                          {adam(AdamForm::no_momentum)}});
    }
    return causes;
}

// Of what reaches the optimizer, whatever its form.
std::vector<KnownCause> update_causes()
{
    KnownCause kept{{"gradients-kept", "Gradients of earlier steps are not cleared but added up."},
                    Stage::steps,
                    {with([](Variant& v) { v.gradients_kept = true; }),
                     with([](Variant& v) { v.gradients_kept_from_check = true; })}};
    KnownCause decay{decay_cause(), Stage::steps, {}};
    for (const double value : {5e-4, 1e-4, 1e-3, 1e-2, 5e-3, 1e-5}) {
        decay.variants.push_back(with([&](Variant& v) { v.weight_decay = value; }));
    }
    for (const double value : {1e-2, 4e-3, 1e-3, 5e-2, 1e-1}) {
        decay.variants.push_back(with([&](Variant& v) {
            v.weight_decay = value;
            v.decay_decoupled = true;
        }));
    }
    return {std::move(kept), std::move(decay)};
}

}  // namespace

const Cause& decay_cause()
{
    static const Cause cause{"weight-decay", "Weight decay (L2) is left on."};
    return cause;
}

std::vector<KnownCause> causes_for(const reference::Question& question, const Variant& declared)
{
    std::vector<KnownCause> causes = layout_causes();
    const auto append = [&](std::vector<KnownCause> more) {
        causes.insert(causes.end(), std::make_move_iterator(more.begin()),
                      std::make_move_iterator(more.end()));
    };
    append(input_causes(question));
    append(loss_causes());
    for (const protocol::Layer& layer : question.network.layers) {
        if (layer.has_parameters()) {
            causes.push_back({{"missing-bias", "Layer " + layer.name + " has no bias."},
                              Stage::pass,
                              {with([&](Variant& v) { v.missing_bias = layer.name; })}});
        }
    }
    append(noise_causes(question.network));
    append(update_causes());
    for (KnownCause& known : causes) {
        for (Variant& variant : known.variants) {
            variant.adam = declared.adam;
        }
    }
    append(optimizer_causes(question.optimizer, declared.adam));
    return causes;
}

}  // namespace lockstep::judge
