// Reading "HxW" and "HxWxC".
#include "harness/data/image_size.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <vector>

namespace lockstep::data {
namespace {

std::optional<std::vector<std::int64_t>> numbers_between_crosses(std::string_view text)
{
    std::vector<std::int64_t> numbers;
    while (true) {
        std::int64_t number = 0;
        const char* last = text.data() + text.size();
        const auto [end, code] = std::from_chars(text.data(), last, number);
        if (code != std::errc() || end == text.data() || number < 1) {
            return {};
        }
        numbers.push_back(number);
        if (end == last) {
            return numbers;
        }
        if (*end != 'x' && *end != 'X') {
            return {};
        }
        text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
    }
}

bool sides_fit(const std::vector<std::int64_t>& numbers)
{
    return numbers[0] <= kLargestSide && numbers[1] <= kLargestSide;
}

}  // namespace

Result<ImageSize> parse_image_size(std::string_view text)
{
    const auto numbers = numbers_between_crosses(text);
    if (!numbers || numbers->size() != 2 || !sides_fit(*numbers)) {
        return fail(fmt::format("\"{}\" is not an image size.", text),
                    fmt::format("Give height x width, each from 1 to {}, such as 224x224.", kLargestSide));
    }
    return ImageSize{numbers->at(0), numbers->at(1)};
}

Result<ImageShape> parse_image_shape(std::string_view text)
{
    const auto numbers = numbers_between_crosses(text);
    if (!numbers || numbers->size() < 2 || numbers->size() > 3 || !sides_fit(*numbers) ||
        numbers->back() < 1 || (numbers->size() == 3 && numbers->back() > 4)) {
        return fail(fmt::format("\"{}\" is not an image shape.", text),
                    fmt::format("Give height x width x channels, such as 32x32x3; sides go from 1 to {}, "
                                "channels from 1 to 4.",
                                kLargestSide));
    }
    return ImageShape{numbers->at(0), numbers->at(1), numbers->size() == 3 ? numbers->at(2) : 1};
}

}  // namespace lockstep::data
