// Makes oneDNN's primitives. Winograd is asked for first and exists only where oneDNN has it (AVX-512, and
// releases before 3); then direct in the engine's own format, which needs no reorder of activations. The two
// makers are long because each direction has its own types in oneDNN, with the same few lines.
#include "workers/onednn/library.hpp"

#include <iterator>
#include <utility>

namespace lockstep::onednn {

namespace {

using dnnl::algorithm;
using dnnl::memory;
using Tag = memory::format_tag;

memory::desc plain(const memory::dims& dims, Tag tag)
{
    return {dims, memory::data_type::f32, tag};
}

dnnl::primitive_attr attributes(bool relu)
{
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    if (relu) {
        dnnl::post_ops after;
        after.append_eltwise(1.0f, algorithm::eltwise_relu, 0.0f, 0.0f);
        attributes.set_post_ops(after);
    }
    return attributes;
}

bool is_reference(const std::string& name)
{
    return name.find("ref") != std::string::npos;
}

}  // namespace

std::optional<LibraryCall> LibraryCall::convolution(Library& library, const ConvolutionShape& s,
                                                    Direction direction, bool relu)
{
    const memory::dims x{s.count, s.inputs, s.height, s.width},
        y{s.count, s.outputs, s.out_height, s.out_width};
    const memory::dims w{s.outputs, s.inputs, s.kernel_height, s.kernel_width};
    const memory::dims ones{1, 1}, pad{s.pad_height, s.pad_width};
    const memory::desc plain_x = plain(x, Tag::nhwc), plain_y = plain(y, Tag::nhwc);
    const memory::desc plain_w = plain(w, Tag::hwio), plain_b = plain({s.outputs}, Tag::x);

    for (const auto& [how, tag] : {std::pair{algorithm::convolution_winograd, Tag::any},
                                   std::pair{algorithm::convolution_direct, Tag::nhwc},
                                   std::pair{algorithm::convolution_direct, Tag::any}}) {
        try {
            const memory::desc any_x = plain(x, tag), any_y = plain(y, tag), any_w = plain(w, Tag::any);
            const bool forward = direction == Direction::forward;
            const dnnl::convolution_forward::primitive_desc f(
                {dnnl::prop_kind::forward_training, how, any_x, any_w, plain_b, any_y, ones, pad, pad},
                attributes(forward && relu), library.engine);
            LibraryCall call;
            if (forward) {
                call.primitive_ = dnnl::convolution_forward(f);
                call.name_ = f.impl_info_str();
                call.scratch_ = f.scratchpad_desc();
                call.ports_ = {{DNNL_ARG_SRC, plain_x, f.src_desc(), false, {}},
                               {DNNL_ARG_WEIGHTS, plain_w, f.weights_desc(), false, {}},
                               {DNNL_ARG_BIAS, plain_b, plain_b, false, {}},
                               {DNNL_ARG_DST, plain_y, f.dst_desc(), true, {}}};
            } else if (direction == Direction::backward_data) {
                const dnnl::convolution_backward_data::primitive_desc b(
                    {how, any_x, any_w, any_y, ones, pad, pad}, attributes(false), library.engine, f);
                call.primitive_ = dnnl::convolution_backward_data(b);
                call.name_ = b.impl_info_str();
                call.scratch_ = b.scratchpad_desc();
                call.ports_ = {{DNNL_ARG_DIFF_DST, plain_y, b.diff_dst_desc(), false, {}},
                               {DNNL_ARG_WEIGHTS, plain_w, b.weights_desc(), false, {}},
                               {DNNL_ARG_DIFF_SRC, plain_x, b.diff_src_desc(), true, {}}};
            } else {
                const dnnl::convolution_backward_weights::primitive_desc b(
                    {how, any_x, any_w, any_y, ones, pad, pad}, attributes(false), library.engine, f);
                call.primitive_ = dnnl::convolution_backward_weights(b);
                call.name_ = b.impl_info_str();
                call.scratch_ = b.scratchpad_desc();
                call.ports_ = {{DNNL_ARG_SRC, plain_x, b.src_desc(), false, {}},
                               {DNNL_ARG_DIFF_DST, plain_y, b.diff_dst_desc(), false, {}},
                               {DNNL_ARG_DIFF_WEIGHTS, plain_w, b.diff_weights_desc(), true, {}}};
            }
            if (!is_reference(call.name_)) {
                return call;
            }
        } catch (const dnnl::error& problem) {
            // The way does not exist on this processor or in this release; the next one may.
            if (problem.status != dnnl_unimplemented) {
                throw;
            }
        }
    }
    return std::nullopt;
}

std::optional<LibraryCall> LibraryCall::dense(Library& library, const DenseShape& s, Direction direction,
                                              bool relu)
{
    // Fixed plain formats: with `any` the three passes would disagree and reorder the kernel every step.
    const memory::desc x = plain({s.count, s.inputs}, Tag::nc), y = plain({s.count, s.outputs}, Tag::nc);
    const memory::desc w = plain({s.outputs, s.inputs}, Tag::io), b = plain({s.outputs}, Tag::x);
    try {
        const bool forward = direction == Direction::forward;
        const dnnl::inner_product_forward::primitive_desc f({dnnl::prop_kind::forward_training, x, w, b, y},
                                                            attributes(forward && relu), library.engine);
        LibraryCall call;
        if (forward) {
            call.primitive_ = dnnl::inner_product_forward(f);
            call.name_ = f.impl_info_str();
            call.scratch_ = f.scratchpad_desc();
            call.ports_ = {{DNNL_ARG_SRC, x, x, false, {}},
                           {DNNL_ARG_WEIGHTS, w, w, false, {}},
                           {DNNL_ARG_BIAS, b, b, false, {}},
                           {DNNL_ARG_DST, y, y, true, {}}};
        } else if (direction == Direction::backward_data) {
            const dnnl::inner_product_backward_data::primitive_desc p({x, w, y}, attributes(false),
                                                                      library.engine, f);
            call.primitive_ = dnnl::inner_product_backward_data(p);
            call.name_ = p.impl_info_str();
            call.scratch_ = p.scratchpad_desc();
            call.ports_ = {{DNNL_ARG_DIFF_DST, y, y, false, {}},
                           {DNNL_ARG_WEIGHTS, w, w, false, {}},
                           {DNNL_ARG_DIFF_SRC, x, x, true, {}}};
        } else {
            const dnnl::inner_product_backward_weights::primitive_desc p({x, w, y}, attributes(false),
                                                                         library.engine, f);
            call.primitive_ = dnnl::inner_product_backward_weights(p);
            call.name_ = p.impl_info_str();
            call.scratch_ = p.scratchpad_desc();
            call.ports_ = {{DNNL_ARG_SRC, x, x, false, {}},
                           {DNNL_ARG_DIFF_DST, y, y, false, {}},
                           {DNNL_ARG_DIFF_WEIGHTS, w, w, true, {}}};
        }
        if (!is_reference(call.name_)) {
            return call;
        }
    } catch (const dnnl::error& problem) {
        if (problem.status != dnnl_unimplemented) {
            throw;
        }
    }
    return std::nullopt;
}

void LibraryCall::request(Arena& arena, Arena::Lifetime now)
{
    scratch_slot_ = arena.request(static_cast<std::int64_t>(scratch_.get_size()), now);
    for (Port& port : ports_) {
        if (port.wanted != port.plain) {
            port.copy = arena.request(static_cast<std::int64_t>(port.wanted.get_size()), now);
        }
    }
}

void LibraryCall::bind(Library& library, const Arena& arena, const std::vector<float*>& tensors)
{
    Run main{primitive_, {{DNNL_ARG_SCRATCHPAD, {scratch_, library.engine, arena.at(scratch_slot_)}}}};
    std::vector<Run> after;
    runs_.clear();
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        const Port& port = ports_[i];
        memory outside(port.plain, library.engine, tensors[i]);
        if (!port.copy.exists()) {
            main.arguments.insert({port.argument, outside});
            continue;
        }
        memory inside(port.wanted, library.engine, arena.at(port.copy));
        main.arguments.insert({port.argument, inside});
        const memory& from = port.written ? inside : outside;
        const memory& to = port.written ? outside : inside;
        (port.written ? after : runs_)
            .push_back({dnnl::reorder(from, to), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}});
    }
    runs_.push_back(std::move(main));
    std::move(after.begin(), after.end(), std::back_inserter(runs_));
}

void LibraryCall::run(Library& library)
{
    for (const Run& each : runs_) {
        each.primitive.execute(library.stream, each.arguments);
    }
    library.stream.wait();
}

}  // namespace lockstep::onednn
