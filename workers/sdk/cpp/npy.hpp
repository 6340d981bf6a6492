// .npy files (format 1.0, C order, little endian) for workers: read by mapping, written whole.
// T is one of std::uint8_t, std::int32_t, std::int64_t, float.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lockstep::sdk {

using Shape = std::vector<std::int64_t>;
std::int64_t elements_of(const Shape& shape);

template <class T>
class NpyView {
public:
    // Throws BadRequest when the file cannot be read, is not of this format or holds another type. The
    // mapping lives as long as the last copy of the view.
    explicit NpyView(const std::string& path);

    const Shape& shape() const { return shape_; }
    std::span<const T> values() const { return values_; }

private:
    std::shared_ptr<const std::byte> mapping_;
    Shape shape_;
    std::span<const T> values_;
};

// Written aside and renamed: whole or absent. Throws OutOfResources when it cannot be written.
// Requires: values.size() == elements_of(shape).
template <class T>
void write_npy(const std::string& path, const Shape& shape, std::span<const T> values);

}  // namespace lockstep::sdk
