// The members of the SDK's Trainer, in Caffe's words.
#include "workers/caffe/trainer.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "workers/caffe/database.hpp"

extern "C" {
int openblas_get_num_threads(void);
char* openblas_get_config(void);
char* openblas_get_corename(void);
}

namespace lockstep::caffe_worker {
namespace {

using Blob = caffe::Blob<float>;

std::vector<std::int64_t> shape_of(const Blob& blob)
{
    return {blob.shape().begin(), blob.shape().end()};
}

std::int64_t iter_size_of(const protocol::Job& job)
{
    const auto option = job.options.find("iter_size");
    if (option == job.options.end()) {
        return 1;
    }
    const std::string& text = option->second;
    std::int64_t size = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (code != std::errc() || end != text.data() + text.size() || size < 1 || job.batch % size != 0) {
        throw sdk::Unsupported("iter_size = \"" + text + "\" does not divide the batch of " +
                               std::to_string(job.batch));
    }
    return size;
}

// The second word of "OpenBLAS 0.3.21 ...".
std::string openblas_version()
{
    const std::string text = openblas_get_config();
    const std::size_t begin = text.find(' ') + 1;
    return text.substr(begin, text.find(' ', begin) - begin);
}

std::string cropped_pools(const protocol::Network& network)
{
    std::string names;
    for (const protocol::Layer& layer : network.layers) {
        if (layer.kind == protocol::LayerKind::max_pool &&
            (layer.input[0] % layer.window != 0 || layer.input[1] % layer.window != 0)) {
            names += (names.empty() ? "" : " ") + layer.name;
        }
    }
    return names.empty() ? "none" : names;
}

}  // namespace

sdk::Identity CaffeTrainer::identity()
{
    sdk::Identity identity;
    identity.name = "caffe";
    identity.versions = {{"caffe", "1.0.0"},
                         {"openblas", openblas_version()},
                         {"protobuf", google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION)}};
    identity.layouts = {"OIHW", false, "out_in", "CHW"};
    identity.layers = {"convolution", "max_pool", "flatten", "dense", "dropout"};
    identity.inputs = {"locked", "native"};
    identity.options = {"iter_size"};
    return identity;
}

sdk::Built CaffeTrainer::build(const protocol::Job& job)
{
    if (job.world != 1 || job.replicas != 1) {
        throw sdk::Unsupported("caffe trains on one device in one process here");
    }
    job_ = job;
    iter_size_ = iter_size_of(job);
    caffe::Caffe::set_mode(caffe::Caffe::CPU);
    caffe::NetParameter net =
        parse_net(net_prototxt(job.network, {Source::Kind::input, job.batch, "", 0.0F}, false));
    net.mutable_state()->set_phase(caffe::TEST);
    predictor_ = std::make_unique<caffe::Net<float>>(net);
    sdk::Built built;
    for (const protocol::Layer& layer : job.network.layers) {
        if (!layer.has_parameters()) {
            continue;
        }
        const auto& blobs = predictor_->layer_by_name(layer.name)->blobs();
        parameters_.emplace_back(layer.name + ".kernel", blobs[0]);
        parameters_.emplace_back(layer.name + ".bias", blobs[1]);
    }
    for (const auto& [name, blob] : parameters_) {
        built.parameters.push_back({name, shape_of(*blob), {}});
    }
    predictor_->Forward();
    labels_.resize(static_cast<std::size_t>(job.batch));
    if (job.network.input[2] > 1) {
        images_.resize(static_cast<std::size_t>(job.batch) * Picture(job.network.input).pixels());
    }
    if (job.input == "locked") {
        fed();
    }
    const int threads = openblas_get_num_threads();
    built.facts = {{"threads", std::to_string(threads)},
                   {"threaded", "gemm alone"},
                   {"openblas_core", openblas_get_corename()},
                   {"iter_size", std::to_string(iter_size_)},
                   {"pools_cropped_to_floor", cropped_pools(job.network)}};
    if (threads != job.threads) {
        built.warnings.push_back("OpenBLAS uses " + std::to_string(threads) + " threads, not " +
                                 std::to_string(job.threads));
    }
    return built;
}

// With all memory that a step needs: Caffe allocates a blob when it is first touched.
std::unique_ptr<Learner> CaffeTrainer::learner(const Source& source)
{
    std::unique_ptr<Learner> learner =
        make_learner(solver_prototxt(job_, iter_size_), net_prototxt(job_.network, source, job_.dropout));
    learner->net().ShareTrainedLayersWith(predictor_.get());
    learner->restart();
    return learner;
}

Source CaffeTrainer::memory_source() const
{
    return {Source::Kind::memory, job_.batch / iter_size_, "", 0.0F};
}

Learner& CaffeTrainer::fed()
{
    if (!fed_) {
        fed_ = learner(memory_source());
        const std::vector<float> black(static_cast<std::size_t>(job_.batch) *
                                       Picture(job_.network.input).pixels());
        const std::vector<std::int32_t> labels(static_cast<std::size_t>(job_.batch));
        feed({black, labels, job_.batch});
        fed_->net().ForwardBackward();
    }
    return *fed_;
}

void CaffeTrainer::load(std::span<const sdk::Tensor> weights)
{
    for (const auto& [name, blob] : parameters_) {
        const auto given = std::find_if(weights.begin(), weights.end(),
                                        [&](const sdk::Tensor& tensor) { return tensor.name == name; });
        if (given == weights.end()) {
            throw std::runtime_error("no values were given for " + name);
        }
        std::copy(given->values.begin(), given->values.end(), blob->mutable_cpu_data());
    }
    for (Learner* learner : {fed_.get(), native_.get()}) {
        if (learner != nullptr) {
            learner->restart();
        }
    }
}

std::vector<sdk::Tensor> CaffeTrainer::weights()
{
    std::vector<sdk::Tensor> tensors;
    for (const auto& [name, blob] : parameters_) {
        tensors.push_back({name, shape_of(*blob), {blob->cpu_data(), blob->cpu_data() + blob->count()}});
    }
    return tensors;
}

// MemoryData hands its pointer to the net, without a copy; Caffe's labels are floats.
void CaffeTrainer::feed(const sdk::Batch& batch)
{
    std::copy(batch.labels.begin(), batch.labels.end(), labels_.begin());
    auto* images = const_cast<float*>(batch.images.data());
    if (!images_.empty()) {
        const Picture picture(job_.network.input);
        for (std::size_t n = 0; n < static_cast<std::size_t>(batch.count); ++n) {
            picture.to_planes(images + n * picture.pixels(), images_.data() + n * picture.pixels());
        }
        images = images_.data();
    }
    auto& layer = dynamic_cast<caffe::MemoryDataLayer<float>&>(*fed_->net().layers().front());
    layer.Reset(images, labels_.data(), static_cast<int>(batch.count));
}

// Not from Step(), after which a parameter's diff holds the update.
sdk::Gradients CaffeTrainer::gradients(const sdk::Batch& batch)
{
    caffe::Net<float>& net = fed().net();
    feed(batch);
    net.ClearParamDiffs();
    sdk::Gradients result;
    const boost::shared_ptr<Blob> logits = net.blob_by_name(job_.network.layers.back().name);
    for (std::int64_t part = 0; part < iter_size_; ++part) {
        float loss = 0.0F;
        net.Forward(&loss);
        net.Backward();
        result.loss += static_cast<double>(loss) / static_cast<double>(iter_size_);
        result.logits.insert(result.logits.end(), logits->cpu_data(), logits->cpu_data() + logits->count());
    }
    const float share = 1.0F / static_cast<float>(iter_size_);
    for (const auto& [name, blob] : parameters_) {
        const std::string layer = name.substr(0, name.rfind('.'));
        const Blob& trained = *net.layer_by_name(layer)->blobs()[name.ends_with(".bias") ? 1 : 0];
        sdk::Tensor tensor{name, shape_of(trained), {}};
        tensor.values.resize(static_cast<std::size_t>(trained.count()));
        std::transform(trained.cpu_diff(), trained.cpu_diff() + trained.count(), tensor.values.begin(),
                       [&](float value) { return value * share; });
        result.tensors.push_back(std::move(tensor));
    }
    return result;
}

float CaffeTrainer::step(const sdk::Batch& batch)
{
    Learner& learner = fed();
    feed(batch);
    return learner.step();
}

void CaffeTrainer::predict(const sdk::Batch& batch, std::span<float> logits)
{
    const Picture picture(job_.network.input);
    Blob& input = *predictor_->input_blobs().front();
    input.Reshape({static_cast<int>(batch.count), picture.channels, picture.height, picture.width});
    float* to = input.mutable_cpu_data();
    for (std::size_t n = 0; n < static_cast<std::size_t>(batch.count); ++n) {
        picture.to_planes(batch.images.data() + n * picture.pixels(), to + n * picture.pixels());
    }
    predictor_->Forward();
    const Blob& result = *predictor_->blob_by_name(job_.network.layers.back().name);
    std::copy_n(result.cpu_data(), logits.size(), logits.begin());
}

// The database may go as soon as the layer has it open: its pages stay, and nothing is left of them
// however this process ends.
void CaffeTrainer::take_native(const sdk::TrainingSet& set)
{
    native_.reset();
    const Database database(set, set.count, job_.seed);
    native_ = learner({Source::Kind::database, job_.batch / iter_size_, database.folder(), set.scale});
    native_->net().ForwardBackward();
}

float CaffeTrainer::native_step()
{
    return native_->step();
}

void CaffeTrainer::native_pixels(const sdk::TrainingSet& set, std::span<float> images)
{
    const Picture picture(set.size);
    const auto count = static_cast<std::int64_t>(images.size() / picture.pixels());
    const Database database(set, count, std::nullopt);
    protocol::Network network;
    network.input = set.size;
    caffe::NetParameter parameter =
        parse_net(source_layers(network, {Source::Kind::database, count, database.folder(), set.scale}));
    parameter.mutable_state()->set_phase(caffe::TEST);
    caffe::Net<float> net(parameter);
    net.Forward();
    const float* from = net.blob_by_name("data")->cpu_data();
    for (std::size_t n = 0; n < static_cast<std::size_t>(count); ++n) {
        picture.from_planes(from + n * picture.pixels(), images.data() + n * picture.pixels());
    }
}

}  // namespace lockstep::caffe_worker
