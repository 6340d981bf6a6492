// The one interface that the author of a C++ worker fills in. The SDK owns the protocol loop, the
// stamps, the files and the errors; the trainer owns its framework.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "protocol/job.hpp"

namespace lockstep::sdk {

// Thrown by a trainer for what its framework cannot do (a layer kind, an option, a device). The run is
// skipped with this reason; any other exception is a failure of the worker.
struct Unsupported : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// What this worker is; the answer to the handshake. Must not need a built network.
struct Identity {
    std::string name;                             // as in worker.toml
    std::map<std::string, std::string> versions;  // "onednn": "2.6.3"; the framework's own first
    protocol::Layouts layouts;
    std::vector<std::string> layers;  // "convolution", "max_pool", "flatten", "dense", "dropout"
    std::vector<std::string> optimizers{"adam", "sgd"};
    std::vector<std::string> precisions{"float32"};
    std::vector<std::string> inputs{"locked"};
    std::vector<std::string> devices{"cpu"};
    std::vector<std::string> options;  // names of options that build() understands
};

// A parameter as this worker keeps it, in the layout that it declared.
struct Tensor {
    std::string name;                 // canonical: "conv1.kernel", "dense2.bias"
    std::vector<std::int64_t> shape;  // in the declared layout
    std::vector<float> values;
};

// What build() really made, for the record: the parameters in the declared layout (values empty), and
// anything worth knowing ("threads" -> "2", "conv1" -> "jit:avx2").
struct Built {
    std::vector<Tensor> parameters;
    std::map<std::string, std::string> facts;
    std::vector<std::string> warnings;
};

// Images in memory: count x height x width x channels, float32 in 0..1; one label an image.
struct Batch {
    std::span<const float> images;
    std::span<const std::int32_t> labels;
    std::int64_t count = 0;
};

// The whole training set as it lies on disk, for a trainer that feeds itself. The spans stay valid as long
// as the trainer, or until the next take_native().
struct TrainingSet {
    std::span<const std::uint8_t> images;  // count x height x width x channels
    std::span<const std::int32_t> labels;  // one an image
    std::vector<std::int64_t> size;        // {height, width, channels}
    std::int64_t count = 0;
    float scale = 0.0F;  // a pixel is float32(byte) * scale
};

struct Gradients {
    std::vector<float> logits;    // count x classes
    double loss = 0.0;            // mean over the batch
    std::vector<Tensor> tensors;  // of the mean loss, in the declared layout
};

class Trainer {
public:
    virtual ~Trainer() = default;

    virtual Identity identity() = 0;
    // Builds and compiles everything that a step needs for job.batch images, so that the first step does
    // no work of preparation. Called once.
    virtual Built build(const protocol::Job& job) = 0;
    // Assigns every parameter and puts the optimizer back to its start (step 1, no moments). May be called
    // again at any time.
    virtual void load(std::span<const Tensor> weights) = 0;
    virtual std::vector<Tensor> weights() = 0;
    // Forward and backward on a batch of job.batch images, no update. Only asked for when job.dropout is off.
    virtual Gradients gradients(const Batch& batch) = 0;
    // One training step on exactly job.batch images: forward, backward, update. Returns the mean loss,
    // when all work is done. Timed: allocate, print and copy nothing here that training does not need.
    virtual float step(const Batch& batch) = 0;
    // Logits of batch.count images (1..job.batch; labels may be empty), dropout off, into
    // `logits` (count x classes).
    virtual void predict(const Batch& batch, std::span<float> logits) = 0;
    // Figures of the framework's own allocator under their own names, in bytes. Empty when it has none.
    virtual std::map<std::string, std::int64_t> allocator_bytes() { return {}; }

    // Native input, for a worker whose identity().inputs names it. With job.input "native" the SDK calls
    // take_native() once the network and the data are both there, then in each epoch begin_native_epoch()
    // and as many native_step() as the epoch has steps. The agreement check uses gradients() and step() in
    // native jobs too, so both must work there.

    // Makes what the framework's users make ahead of training (a database, a cache, a loader), as part of
    // the phase load_data. The set's images are of the network's size, its labels below its classes. Comes
    // again when other data come.
    virtual void take_native(const TrainingSet&) { throw Unsupported("this worker has no native input"); }
    // Lies within the epoch, outside every step: an iterator over the next epoch, where the framework has
    // one.
    virtual void begin_native_epoch() {}
    // step() on the next whole batch of the framework's own pipeline: fetching it is part of the step.
    virtual float native_step() { throw Unsupported("this worker has no native input"); }
    // The first images of the set, as many as `pixels` has room for, as native input gives them to the
    // network: count x height x width x channels. May be asked for before build().
    virtual void native_pixels(const TrainingSet&, std::span<float>)
    {
        throw Unsupported("this worker has no native input");
    }

    // False for a worker that never looks at its images (the null worker): the SDK then gathers none.
    virtual bool reads_images() const { return true; }
};

// Runs the protocol loop on the descriptors that the harness passed until shut-down. The whole main()
// of a worker: `return lockstep::sdk::serve(argc, argv, trainer);`
int serve(int argc, char** argv, Trainer& trainer);

}  // namespace lockstep::sdk
