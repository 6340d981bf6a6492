// Parts of a question as the reference takes them.
#include "harness/reference/question.hpp"

#include <algorithm>

namespace lockstep::reference {

std::span<const float> images_of(const Question& question, std::int64_t batch)
{
    const std::size_t size = question.images.size() / static_cast<std::size_t>(std::max(1, question.steps));
    return std::span(question.images).subspan(static_cast<std::size_t>(batch) * size, size);
}

std::span<const std::int32_t> labels_of(const Question& question, std::int64_t batch)
{
    const auto size = static_cast<std::size_t>(question.batch);
    return std::span(question.labels).subspan(static_cast<std::size_t>(batch) * size, size);
}

std::map<std::string, std::vector<double>> weights_of(const Question& question)
{
    std::map<std::string, std::vector<double>> weights;
    for (const auto& [name, values] : question.weights) {
        weights[name] = std::vector<double>(values.begin(), values.end());
    }
    return weights;
}

}  // namespace lockstep::reference
