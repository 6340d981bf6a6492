// See the header.
#include "harness/launch/output_tail.hpp"

#include <fstream>
#include <iterator>
#include <vector>

namespace lockstep::launch {
namespace {

constexpr std::size_t kLongestLine = 400;     // a screen's width, a few times
constexpr std::streamoff kLastBytes = 65536;  // more than 20 cut lines ever need

// Length of the UTF-8 sequence at the begin of `text`; 0 when there is none (RFC 3629).
std::size_t sequence_length(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::size_t length = byte(0) < 0x80   ? 1
                               : byte(0) < 0xc2 ? 0
                               : byte(0) < 0xe0 ? 2
                               : byte(0) < 0xf0 ? 3
                               : byte(0) < 0xf5 ? 4
                                                : 0;
    if (length == 0 || length > text.size()) {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) {
            return 0;
        }
    }
    const bool overlong = (byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xf0 && byte(1) < 0x90);
    const bool outside = (byte(0) == 0xed && byte(1) > 0x9f) || (byte(0) == 0xf4 && byte(1) > 0x8f);
    return overlong || outside ? 0 : length;
}

// Length of the terminal's control sequence at the begin of `text` (ESC [ ... letter), 1 for a lone ESC.
std::size_t escape_length(std::string_view text)
{
    if (text.size() < 2 || text[1] != '[') {
        return 1;
    }
    std::size_t at = 2;
    while (at < text.size() && (text[at] < '@' || text[at] > '~')) {
        ++at;
    }
    return at < text.size() ? at + 1 : at;
}

std::string plain_line(std::string_view line, std::size_t longest)
{
    while (!line.empty() && line.back() == '\r') {
        line.remove_suffix(1);
    }
    line.remove_prefix(line.rfind('\r') == std::string_view::npos ? 0 : line.rfind('\r') + 1);
    std::string plain;
    while (!line.empty()) {
        std::size_t length = sequence_length(line);
        const char first = line.front();
        if (first == '\x1b') {
            length = escape_length(line);
        } else if (length == 0) {
            plain += '?';
            length = 1;
        } else if (first == '\t') {
            plain += ' ';
        } else if (length > 1 || (first >= ' ' && first != '\x7f')) {
            plain += line.substr(0, length);
        }
        if (plain.size() > longest) {
            plain.resize(plain.size() - length);
            return plain + "...";
        }
        line.remove_prefix(length);
    }
    return plain;
}

std::vector<std::string_view> lines_of(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.push_back(text.substr(0, end));
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    return lines;
}

}  // namespace

std::string plain_text(std::string_view text)
{
    std::string plain;
    for (const std::string_view line : lines_of(text)) {
        plain += (plain.empty() ? "" : "\n") + plain_line(line, kLongestLine);
    }
    return plain;
}

std::string one_line(std::string_view text, std::size_t longest)
{
    std::string joined;
    for (const std::string_view line : lines_of(text)) {
        joined += (joined.empty() || line.empty() ? "" : " ") + plain_line(line, longest);
    }
    return plain_line(joined, longest);
}

std::string tail_of(const std::filesystem::path& file, int lines)
{
    std::ifstream in(file, std::ios::binary);
    in.seekg(0, std::ios::end);
    const std::streamoff size = in.tellg();
    if (!in || size <= 0) {
        return {};
    }
    in.seekg(size > kLastBytes ? size - kLastBytes : 0);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    std::vector<std::string_view> all = lines_of(text);
    const std::size_t wanted = static_cast<std::size_t>(lines);
    const std::size_t first = all.size() > wanted ? all.size() - wanted : 0;
    std::string tail;
    for (std::size_t i = first; i < all.size(); ++i) {
        tail += (tail.empty() ? "" : "\n") + plain_line(all[i], kLongestLine);
    }
    return tail;
}

}  // namespace lockstep::launch
