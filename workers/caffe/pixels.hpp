// Between lockstep's images (height x width x channels) and Caffe's (channels x height x width).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep::caffe_worker {

// The size of one image.
struct Picture {
    explicit Picture(const std::vector<std::int64_t>& size)
        : height(static_cast<int>(size[0])),
          width(static_cast<int>(size[1])),
          channels(static_cast<int>(size[2]))
    {
    }
    std::size_t pixels() const { return plane() * static_cast<std::size_t>(channels); }

    template <class From, class To>
    void to_planes(const From* from, To* to) const
    {
        const auto depth = static_cast<std::size_t>(channels);
        for (std::size_t at = 0; at < plane(); ++at) {
            for (std::size_t c = 0; c < depth; ++c) {
                to[c * plane() + at] = static_cast<To>(from[at * depth + c]);
            }
        }
    }
    void from_planes(const float* from, float* to) const
    {
        const auto depth = static_cast<std::size_t>(channels);
        for (std::size_t at = 0; at < plane(); ++at) {
            for (std::size_t c = 0; c < depth; ++c) {
                to[at * depth + c] = from[c * plane() + at];
            }
        }
    }

    int height;
    int width;
    int channels;

private:
    std::size_t plane() const { return static_cast<std::size_t>(height) * static_cast<std::size_t>(width); }
};

}  // namespace lockstep::caffe_worker
