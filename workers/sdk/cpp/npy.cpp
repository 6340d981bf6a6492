// A compact reader and writer: workers do not link the harness, which has its own.
#include "workers/sdk/cpp/npy.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string_view>

#include "workers/sdk/cpp/faults.hpp"

namespace lockstep::sdk {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic{"\x93NUMPY\x01\x00", 8};
constexpr std::size_t kHeaderStart = 10;  // magic, version, two bytes of length

template <class T>
constexpr std::string_view kType = "";
template <>
constexpr std::string_view kType<std::uint8_t> = "|u1";
template <>
constexpr std::string_view kType<std::int32_t> = "<i4";
template <>
constexpr std::string_view kType<std::int64_t> = "<i8";
template <>
constexpr std::string_view kType<float> = "<f4";

[[noreturn]] void refuse(const std::string& path, const std::string& why)
{
    throw BadRequest(path + ": " + why);
}

// What follows `key` and its colon in the header's dictionary.
std::string_view value_of(std::string_view header, std::string_view key, const std::string& path)
{
    const std::size_t at = header.find(key);
    const std::size_t start =
        at == std::string_view::npos ? at : header.find_first_not_of(": ", at + key.size());
    if (start == std::string_view::npos) {
        refuse(path, "the .npy header has no " + std::string(key));
    }
    return header.substr(start);
}

Shape parse_shape(std::string_view text, const std::string& path)
{
    Shape shape;
    std::int64_t product = 1;
    for (std::size_t at = 1; text.starts_with('(');) {
        at = text.find_first_not_of(", ", at);
        if (at == std::string_view::npos) {
            break;
        }
        if (text[at] == ')') {
            return shape;
        }
        std::int64_t size = 0;
        const auto [end, code] = std::from_chars(text.data() + at, text.data() + text.size(), size);
        if (code != std::errc() || size < 0 || __builtin_mul_overflow(product, size, &product) ||
            product > std::numeric_limits<std::int64_t>::max() / 16) {
            break;
        }
        shape.push_back(size);
        at = static_cast<std::size_t>(end - text.data());
    }
    refuse(path, "the .npy header has a broken shape");
}

struct Mapping {
    std::shared_ptr<const std::byte> memory;
    std::size_t size = 0;
};

Mapping map_file(const std::string& path)
{
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        refuse(path, std::strerror(errno));
    }
    struct stat status {};
    const bool regular = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    const std::size_t size = regular ? static_cast<std::size_t>(status.st_size) : 0;
    void* memory = size == 0 ? MAP_FAILED : ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
    ::close(file);
    if (memory == MAP_FAILED) {
        refuse(path, "it is not a file that can be mapped");
    }
    const auto unmap = [size](const std::byte* at) { ::munmap(const_cast<std::byte*>(at), size); };
    return {std::shared_ptr<const std::byte>(static_cast<const std::byte*>(memory), unmap), size};
}

template <class T>
std::string header_of(const Shape& shape)
{
    std::string text = "{'descr': '" + std::string(kType<T>) + "', 'fortran_order': False, 'shape': (";
    for (const std::int64_t size : shape) {
        text += std::to_string(size) + ",";
    }
    text += "), }";
    text.append(63 - (kHeaderStart + text.size()) % 64, ' ');  // values begin at a multiple of 64
    text += '\n';
    std::string header(kMagic);
    header += static_cast<char>(text.size() % 256);
    header += static_cast<char>(text.size() / 256);
    return header + text;
}

}  // namespace

std::int64_t elements_of(const Shape& shape)
{
    std::int64_t product = 1;
    for (const std::int64_t size : shape) {
        product *= size;
    }
    return product;
}

template <class T>
NpyView<T>::NpyView(const std::string& path)
{
    Mapping mapping = map_file(path);
    const std::string_view all(reinterpret_cast<const char*>(mapping.memory.get()), mapping.size);
    if (all.size() < kHeaderStart || !all.starts_with(kMagic)) {
        refuse(path, "it is not a .npy file of format 1.0");
    }
    const auto low = static_cast<unsigned char>(all[8]);
    const auto high = static_cast<unsigned char>(all[9]);
    const std::size_t start = kHeaderStart + low + 256u * high;
    if (start > all.size()) {
        refuse(path, "the .npy header is cut off");
    }
    const std::string_view header = all.substr(kHeaderStart, start - kHeaderStart);
    const std::string_view type = value_of(header, "'descr'", path);
    if (type.size() < 5 || type.substr(1, 3) != kType<T>) {
        refuse(path, "its values are not of type " + std::string(kType<T>));
    }
    if (!value_of(header, "'fortran_order'", path).starts_with("False")) {
        refuse(path, "its values are not in C order");
    }
    shape_ = parse_shape(value_of(header, "'shape'", path), path);
    const auto count = static_cast<std::size_t>(elements_of(shape_));
    if (start + count * sizeof(T) != all.size()) {
        refuse(path, "its length does not fit its shape");
    }
    values_ = {reinterpret_cast<const T*>(mapping.memory.get() + start), count};
    mapping_ = std::move(mapping.memory);
}

template <class T>
void write_npy(const std::string& path, const Shape& shape, std::span<const T> values)
{
    const std::string aside = path + ".part";
    const std::string header = header_of<T>(shape);
    std::FILE* file = std::fopen(aside.c_str(), "wbe");
    bool good =
        file != nullptr && std::fwrite(header.data(), 1, header.size(), file) == header.size() &&
        (values.empty() || std::fwrite(values.data(), sizeof(T), values.size(), file) == values.size());
    const int reason = errno;
    good = file != nullptr && std::fclose(file) == 0 && good;
    if (!good || std::rename(aside.c_str(), path.c_str()) != 0) {
        const std::string why = std::strerror(good || reason == 0 ? errno : reason);
        std::remove(aside.c_str());
        throw OutOfResources(path + " cannot be written: " + why);
    }
}

template class NpyView<std::uint8_t>;
template class NpyView<std::int32_t>;
template class NpyView<std::int64_t>;
template class NpyView<float>;
template void write_npy(const std::string&, const Shape&, std::span<const std::uint8_t>);
template void write_npy(const std::string&, const Shape&, std::span<const std::int32_t>);
template void write_npy(const std::string&, const Shape&, std::span<const std::int64_t>);
template void write_npy(const std::string&, const Shape&, std::span<const float>);

}  // namespace lockstep::sdk
