// Reading and writing .npy; see the header for what is accepted.
#include "harness/base/npy_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string_view>

#include "harness/base/atomic_file.hpp"

namespace lockstep {
namespace {

struct TypeName {
    NpyType type;
    std::string_view descr;
    std::size_t bytes;
};
constexpr std::array<TypeName, 5> kTypes{{{NpyType::u8, "|u1", 1},
                                          {NpyType::i32, "<i4", 4},
                                          {NpyType::i64, "<i8", 8},
                                          {NpyType::f32, "<f4", 4},
                                          {NpyType::f64, "<f8", 8}}};

const TypeName& name_of(NpyType type)
{
    return kTypes[static_cast<std::size_t>(type)];
}

struct Header {
    NpyType type;
    Shape shape;
};

// The text between `key`: and the next comma or bracket that ends the value, e.g. 'descr': '<f4'.
std::optional<std::string_view> value_after(std::string_view text, std::string_view key)
{
    const std::size_t at = text.find(key);
    if (at == std::string_view::npos) {
        return {};
    }
    std::size_t start = text.find(':', at + key.size());
    if (start == std::string_view::npos) {
        return {};
    }
    start = text.find_first_not_of(' ', start + 1);
    return start == std::string_view::npos ? std::nullopt : std::optional(text.substr(start));
}

std::optional<Shape> parse_shape(std::string_view text)
{
    if (!text.starts_with('(')) {
        return {};
    }
    Shape shape;
    text.remove_prefix(1);
    std::int64_t product = 1;
    while (!text.empty()) {
        const std::size_t digit = text.find_first_not_of(" ,");
        if (digit == std::string_view::npos) {
            return {};
        }
        text.remove_prefix(digit);
        if (text.front() == ')') {
            return shape;
        }
        std::int64_t size = 0;
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), size);
        if (code != std::errc() || size < 0 || __builtin_mul_overflow(product, size, &product) ||
            product > std::numeric_limits<std::int64_t>::max() / 8) {
            return {};
        }
        shape.push_back(size);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    }
    return {};
}

std::optional<Header> parse_header(std::string_view text)
{
    const auto descr = value_after(text, "'descr'");
    const auto order = value_after(text, "'fortran_order'");
    const auto shape = value_after(text, "'shape'");
    if (!descr || !order || !shape || !order->starts_with("False") || descr->size() < 5) {
        return {};
    }
    const std::optional<Shape> sizes = parse_shape(*shape);
    if (!sizes) {
        return {};
    }
    for (const TypeName& known : kTypes) {
        if (descr->substr(1, 3) == known.descr) {
            return Header{known.type, *sizes};
        }
    }
    return {};
}

tl::unexpected<Error> unreadable(const std::filesystem::path& path, const char* why)
{
    return fail(fmt::format("{} is not a readable .npy file: {}.", path.string(), why),
                "Import the data again, or write the file anew with numpy.save.");
}

}  // namespace

std::size_t bytes_of(NpyType type)
{
    return name_of(type).bytes;
}
template <>
NpyType npy_type_of<std::uint8_t>()
{
    return NpyType::u8;
}
template <>
NpyType npy_type_of<std::int32_t>()
{
    return NpyType::i32;
}
template <>
NpyType npy_type_of<std::int64_t>()
{
    return NpyType::i64;
}
template <>
NpyType npy_type_of<float>()
{
    return NpyType::f32;
}
template <>
NpyType npy_type_of<double>()
{
    return NpyType::f64;
}

std::int64_t elements_of(const Shape& shape)
{
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

Result<NpyFile> NpyFile::open(const std::filesystem::path& path)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (fd < 0 || ::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        if (fd >= 0) {
            ::close(fd);
        }
        return fail(fmt::format("{} cannot be read.", path.string()),
                    "Check that the file exists and that you may read it.");
    }
    const std::size_t size = static_cast<std::size_t>(status.st_size);
    void* mapped = size == 0 ? MAP_FAILED : ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
    ::close(fd);
    if (mapped == MAP_FAILED) {
        return unreadable(path, "it is empty or cannot be mapped");
    }
    NpyFile file;
    const auto* bytes = static_cast<const std::byte*>(mapped);
    file.mapping_ = std::shared_ptr<const std::byte>(
        bytes, [size](const std::byte* at) { ::munmap(const_cast<std::byte*>(at), size); });
    const std::string_view all(reinterpret_cast<const char*>(bytes), size);
    if (size < 12 || !all.starts_with(std::string_view("\x93NUMPY", 6))) {
        return unreadable(path, "its first bytes are not those of the format");
    }
    const auto byte = [&](std::size_t i) {
        return static_cast<std::size_t>(static_cast<unsigned char>(all[i]));
    };
    const bool long_form = byte(6) >= 2;
    const std::size_t length =
        long_form ? byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24 : byte(8) | byte(9) << 8;
    const std::size_t start = (long_form ? 12 : 10) + length;
    const std::optional<Header> header =
        start <= size ? parse_header(all.substr(long_form ? 12 : 10, length)) : std::nullopt;
    if (!header) {
        return unreadable(path, "its header is broken, or its type or order is not one that lockstep reads");
    }
    file.type_ = header->type;
    file.shape_ = header->shape;
    file.data_ = bytes + start;
    if (start + static_cast<std::size_t>(file.elements()) * bytes_of(file.type_) != size) {
        return unreadable(path, "its length does not fit its header");
    }
    return file;
}

template <class T>
std::span<const T> NpyFile::values() const
{
    if (npy_type_of<T>() != type_) {
        std::fputs("lockstep: a .npy file was read as a type that it does not hold\n", stderr);
        std::abort();
    }
    return {reinterpret_cast<const T*>(data_), static_cast<std::size_t>(elements())};
}

std::string npy_header(NpyType type, const Shape& shape)
{
    std::string dictionary =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", name_of(type).descr,
                    fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
    const std::size_t unpadded = 10 + dictionary.size() + 1;
    dictionary.append((64 - unpadded % 64) % 64, ' ');
    dictionary.push_back('\n');
    std::string header("\x93NUMPY\x01\x00", 8);
    header.push_back(static_cast<char>(dictionary.size() & 0xff));
    header.push_back(static_cast<char>(dictionary.size() >> 8));
    return header + dictionary;
}

template <class T>
Result<void> write_npy(const std::filesystem::path& path, const Shape& shape, std::span<const T> values)
{
    if (static_cast<std::int64_t>(values.size()) != elements_of(shape)) {
        std::fputs("lockstep: a .npy file was written with a shape that does not fit its values\n", stderr);
        std::abort();
    }
    Result<AtomicFile> file = AtomicFile::create(path);
    if (!file) {
        return tl::unexpected(file.error());
    }
    return file->write(npy_header(npy_type_of<T>(), shape))
        .and_then([&] { return file->write(values.data(), values.size_bytes()); })
        .and_then([&] { return file->commit(); });
}

#define LOCKSTEP_NPY(T)                                     \
    template std::span<const T> NpyFile::values<T>() const; \
    template Result<void> write_npy<T>(const std::filesystem::path&, const Shape&, std::span<const T>);
LOCKSTEP_NPY(std::uint8_t)
LOCKSTEP_NPY(std::int32_t)
LOCKSTEP_NPY(std::int64_t)
LOCKSTEP_NPY(float)
LOCKSTEP_NPY(double)
#undef LOCKSTEP_NPY

}  // namespace lockstep
