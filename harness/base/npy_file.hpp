// NumPy's .npy files (format 1.0 and 2.0, little endian, C order): written whole, read by mapping.
// Format: NumPy Enhancement Proposal 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/base/error.hpp"

namespace lockstep {

enum class NpyType { u8, i32, i64, f32, f64 };

std::size_t bytes_of(NpyType type);
template <class T>
NpyType npy_type_of();

using Shape = std::vector<std::int64_t>;
std::int64_t elements_of(const Shape& shape);  // product; 1 for a scalar

// A read-only mapping of a .npy file. Movable, not copyable; the file may be deleted meanwhile.
class NpyFile {
public:
    // Fails when the file is missing, is not .npy, has Fortran order or another byte order, holds a
    // type outside NpyType, or is shorter or longer than its header says.
    static Result<NpyFile> open(const std::filesystem::path& path);

    NpyType type() const { return type_; }
    const Shape& shape() const { return shape_; }
    std::int64_t elements() const { return elements_of(shape_); }
    const std::byte* bytes() const { return data_; }

    // Requires: T is the file's type; aborts otherwise (a defect of the caller, not of the file).
    template <class T>
    std::span<const T> values() const;

private:
    std::shared_ptr<const std::byte> mapping_;
    const std::byte* data_ = nullptr;
    NpyType type_ = NpyType::u8;
    Shape shape_;
};

// Writes header and values aside and renames, so that the file is whole or absent. Fails on a full
// disk or an unwritable folder. Requires: values.size() == elements_of(shape).
template <class T>
Result<void> write_npy(const std::filesystem::path& path, const Shape& shape, std::span<const T> values);

// The bytes of a header for `shape`, padded so that data starts at a multiple of 64. For writers that
// stream their values.
std::string npy_header(NpyType type, const Shape& shape);

}  // namespace lockstep
