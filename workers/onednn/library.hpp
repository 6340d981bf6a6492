// oneDNN behind one small type: a primitive with its tensors, and the reorders that it needs when its own
// formats differ from the engine's plain ones. Reference kernels are refused where the primitive is made.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dnnl.hpp"
#include "workers/onednn/arena.hpp"

namespace lockstep::onednn {

// The processor as oneDNN sees it; one for a built network.
struct Library {
    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};
};

// A convolution (stride 1) of plain tensors: count x height x width x channels, kernels HWIO, all channels
// padded.
struct ConvolutionShape {
    std::int64_t count = 0, height = 0, width = 0, inputs = 0, outputs = 0;
    std::int64_t out_height = 0, out_width = 0;
    std::int64_t kernel_height = 0, kernel_width = 0, pad_height = 0, pad_width = 0;
};
// A dense layer of plain tensors: count x inputs, kernel inputs x outputs, padded.
struct DenseShape {
    std::int64_t count = 0, inputs = 0, outputs = 0;
};

enum class Direction { forward, backward_data, backward_weights };

class LibraryCall {
public:
    // Absent when oneDNN has nothing but a reference kernel for it. Forward includes bias and, if asked,
    // ReLU; backward_weights leaves the bias alone.
    static std::optional<LibraryCall> convolution(Library& library, const ConvolutionShape& shape,
                                                  Direction direction, bool relu);
    static std::optional<LibraryCall> dense(Library& library, const DenseShape& shape, Direction direction,
                                            bool relu);

    // oneDNN's own name for the kernel: "jit:avx2", "x64:gemm:jit", "jit_wino_4x3:avx512_core".
    const std::string& name() const { return name_; }

    // Asks for what the call needs beyond its tensors, alive at `now`.
    void request(Arena& arena, Arena::Lifetime now);
    // The tensors in the order of the direction: forward {x, kernel, bias, y}; backward_data {y gradient,
    // kernel, x gradient}; backward_weights {x, y gradient, kernel gradient}.
    void bind(Library& library, const Arena& arena, const std::vector<float*>& tensors);
    void run(Library& library);

private:
    struct Port {
        int argument = 0;
        dnnl::memory::desc plain, wanted;
        bool written = false;
        Arena::Slot copy;  // in the wanted format, when that is not the plain one
    };
    struct Run {
        dnnl::primitive primitive;
        std::unordered_map<int, dnnl::memory> arguments;
    };

    dnnl::primitive primitive_;
    dnnl::memory::desc scratch_;
    Arena::Slot scratch_slot_;
    std::vector<Port> ports_;
    std::vector<Run> runs_;
    std::string name_;
};

}  // namespace lockstep::onednn
