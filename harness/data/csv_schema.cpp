// Finding the columns. One concern in five steps, kept in one file of more than 400 lines because each
// step's refusals lean on what the earlier ones found: header or not; the columns that options name; the
// label; the pixels; the shape.
#include "harness/data/csv_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>

#include "harness/base/nearest_word.hpp"
#include "harness/data/csv_value.hpp"
#include "harness/data/pixel_name.hpp"

namespace lockstep::data {
namespace {

using Fields = std::vector<std::string_view>;

// From three consecutive numbers on, a counting row is taken for names, or asked about.
constexpr std::size_t kShortestCount = 3;

std::string lower(std::string_view text)
{
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return result;
}

bool is_label_name(std::string_view name)
{
    static constexpr std::array<std::string_view, 6> kNames{"label",  "labels", "class",
                                                            "target", "y",      "category"};
    return std::find(kNames.begin(), kNames.end(), lower(trimmed(name))) != kNames.end();
}

// The numbers 0, 1, 2 ... or 1, 2, 3 ... without a gap, leaving some fields out.
bool counts_up(const Fields& fields, const std::vector<std::size_t>& except)
{
    std::optional<std::int64_t> next;
    std::size_t counted = 0;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (std::binary_search(except.begin(), except.end(), i)) {
            continue;
        }
        const auto number = whole_number(fields[i]);
        if (!number || (next && *number != *next) || (!next && *number != 0 && *number != 1)) {
            return false;
        }
        next = *number + 1;
        ++counted;
    }
    return counted >= kShortestCount;
}

std::optional<std::int64_t> side_of_square(std::int64_t pixels)
{
    const auto side = static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(pixels))));
    return side > 0 && side * side == pixels ? std::optional(side) : std::nullopt;
}

// A damaged number is no word: the last field of a headerless row is a label only when it looks like one.
bool begins_with_letter(std::string_view field)
{
    field = trimmed(field);
    const unsigned char first = field.empty() ? '\0' : static_cast<unsigned char>(field.front());
    return first >= 0x80 || std::isalpha(first) != 0;
}

class Finder {
public:
    Finder(const Fields& fields, const CsvQuestion& question) : fields_(fields), ask_(question) {}

    Result<CsvSchema> find()
    {
        drop_trailing();
        return find_header()
            .and_then([&] { return assign_named(); })
            .and_then([&] { return schema_.header ? find_label_by_name() : find_label_by_place(); })
            .and_then([&] { return find_pixels(); })
            .map([&] { return std::move(schema_); });
    }

private:
    tl::unexpected<Error> refuse(std::string what, std::string remedy) const
    {
        return fail(fmt::format("{}, line {}: {}", ask_.file, ask_.line, what), std::move(remedy));
    }

    std::string column(std::size_t i) const
    {
        return schema_.header ? fmt::format("column {} ({})", i + 1, quoted(trimmed(fields_[i])))
                              : fmt::format("column {}", i + 1);
    }

    std::string reference(std::size_t i) const
    {
        const std::string_view name = trimmed(fields_[i]);
        return schema_.header && !name.empty() ? fmt::format("'{}'", name) : fmt::format("#{}", i + 1);
    }

    void drop_trailing()
    {
        if (fields_.size() > 1 && fields_.back().empty()) {
            fields_.pop_back();
            schema_.trailing_delimiter = true;
        }
    }

    bool names_a_field(const std::vector<std::string>& names) const
    {
        return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
            return !whole_number(name) &&
                   std::any_of(fields_.begin(), fields_.end(),
                               [&](std::string_view field) { return trimmed(field) == name; });
        });
    }

    Result<void> find_header()
    {
        schema_.roles.assign(fields_.size(), ColumnRole::pixel);
        schema_.places.assign(fields_.size(), -1);
        assigned_.assign(fields_.size(), false);
        std::vector<std::string> packed;
        if (ask_.options.pixels) {
            packed.push_back(*ask_.options.pixels);
        }
        if (ask_.options.header) {
            schema_.header = *ask_.options.header;
        } else if (names_a_field(ask_.options.label) || names_a_field(ask_.options.ignore) ||
                   names_a_field(packed)) {
            schema_.header = true;
        } else if (!packed.empty()) {
            schema_.header = std::none_of(fields_.begin(), fields_.end(), [](std::string_view field) {
                return whole_number(field) || field.find(' ') != std::string_view::npos;
            });
        } else if (Result<void> seen = see_header(); !seen) {
            return seen;
        }
        for (const std::string_view field : fields_) {
            schema_.names.emplace_back(schema_.header ? trimmed(field) : std::string_view());
        }
        return {};
    }

    // By the fields: names and numbers look different, except that names may be numbers and labels words.
    Result<void> see_header()
    {
        std::vector<std::size_t> words;
        for (std::size_t i = 0; i < fields_.size(); ++i) {
            if (!is_number_like(fields_[i])) {
                words.push_back(i);
            }
        }
        const std::size_t numbers = fields_.size() - words.size();
        const bool counting =
            counts_up(fields_, words) ||
            (words.empty() && (counts_up(fields_, {0}) || counts_up(fields_, {fields_.size() - 1})));
        const bool label_named =
            std::any_of(words.begin(), words.end(), [&](std::size_t i) { return is_label_name(fields_[i]); });
        if (counting && (fields_.size() > 257 || label_named)) {
            schema_.header = true;  // pixels do not count beyond 255
        } else if (counting) {
            return refuse("the numbers count up, so that they may be column names or the pixels of an image.",
                          "Say which it is: --header yes or --header no.");
        } else if (fields_.size() <= 2 && !words.empty()) {
            schema_.header =
                words.size() == fields_.size() || std::any_of(words.begin(), words.end(), [&](std::size_t i) {
                    return is_label_name(fields_[i]) || pixel_name(fields_[i]);
                });
        } else {
            schema_.header = words.size() > 1 && words.size() > numbers;
        }
        return {};
    }

    // The column that a user's name means: exactly, else the only one that differs in case alone.
    Result<std::optional<std::size_t>> column_named(const std::string& name) const
    {
        if (const auto position = name.starts_with('#') ? whole_number(name.substr(1)) : std::nullopt) {
            if (*position < 1 || *position > static_cast<std::int64_t>(fields_.size())) {
                return refuse(
                    fmt::format("there is no column {}; the line has {} columns.", name, fields_.size()),
                    "Count columns from #1.");
            }
            return static_cast<std::size_t>(*position - 1);
        }
        std::optional<std::size_t> found;
        for (const bool exact : {true, false}) {
            for (std::size_t i = 0; i < fields_.size() && schema_.header; ++i) {
                const std::string_view field = trimmed(fields_[i]);
                if (exact ? field == name : lower(field) == lower(name)) {
                    if (found) {
                        return refuse(fmt::format("two columns, {} and {}, are named {}.", *found + 1, i + 1,
                                                  quoted(name)),
                                      "Name one of them by its position, such as #1.");
                    }
                    found = i;
                }
            }
            if (found) {
                break;
            }
        }
        return found;
    }

    tl::unexpected<Error> no_such_column(const char* option, const std::string& name) const
    {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < fields_.size() && schema_.header; ++i) {
            names.emplace_back(trimmed(fields_[i]));
        }
        const auto near = nearest_word(name, names);
        return refuse(fmt::format("no column is named {} ({}).", quoted(name), option),
                      near ? fmt::format("Perhaps you mean '{}'.", *near)
                           : std::string("Give a name of the header, or a position such as #1."));
    }

    void assign(std::size_t i, ColumnRole role)
    {
        schema_.roles[i] = role;
        assigned_[i] = true;
    }

    // Columns that options name, but for the label.
    Result<void> assign_named()
    {
        for (const std::string& name : ask_.options.ignore) {
            bool used = false;
            if (schema_.header && !name.starts_with('#')) {
                for (std::size_t i = 0; i < fields_.size(); ++i) {
                    if (trimmed(fields_[i]) == name) {
                        assign(i, ColumnRole::ignored);
                        used = true;
                    }
                }
            }
            const auto found = used ? Result<std::optional<std::size_t>>(std::nullopt) : column_named(name);
            if (!found) {
                return tl::unexpected(found.error());
            }
            if (*found) {
                assign(**found, ColumnRole::ignored);
                used = true;
            }
            if (used) {
                schema_.ignores_used.push_back(name);
            }
        }
        if (ask_.options.pixels) {
            const auto found = column_named(*ask_.options.pixels);
            if (!found) {
                return tl::unexpected(found.error());
            }
            if (!*found) {
                return no_such_column("--pixels", *ask_.options.pixels);
            }
            assign(**found, ColumnRole::packed_pixels);
            schema_.packed = **found;
        }
        return {};
    }

    Result<std::optional<std::size_t>> told_label(const std::string& name) const
    {
        if (name == "first" || name == "last") {
            const auto named =
                schema_.header ? column_named(name) : Result<std::optional<std::size_t>>(std::nullopt);
            if (!named || *named) {
                return named;
            }
            std::vector<std::size_t> open;
            for (std::size_t i = 0; i < fields_.size(); ++i) {
                if (!assigned_[i]) {
                    open.push_back(i);
                }
            }
            return open.empty() ? std::optional<std::size_t>() : name == "first" ? open.front() : open.back();
        }
        return column_named(name);
    }

    Result<void> assign_told_labels()
    {
        const std::vector<std::string>& told = ask_.options.label;
        std::vector<std::size_t> found;
        std::string missing;
        for (const std::string& name : told) {
            const auto column_found = told_label(name);
            if (!column_found) {
                return tl::unexpected(column_found.error());
            }
            if (*column_found) {
                found.push_back(**column_found);
            } else {
                missing = name;
            }
        }
        if (found.empty() && ask_.part == Part::test) {
            return {};
        }
        if (!missing.empty()) {
            return no_such_column("--label", missing);
        }
        for (const std::size_t i : found) {
            if (assigned_[i]) {
                return refuse(fmt::format("{} is named for two purposes.", column(i)),
                              "Name each column once.");
            }
            assign(i, told.size() == 1 ? ColumnRole::label : ColumnRole::one_hot);
        }
        if (told.size() == 1) {
            schema_.label = found.front();
        } else {
            schema_.one_hot = found;
            for (std::size_t k = 0; k < found.size(); ++k) {
                schema_.one_hot_names.push_back(schema_.header ? schema_.names[found[k]] : told[k]);
            }
        }
        return {};
    }

    Result<void> find_label_by_name()
    {
        if (ask_.options.unlabelled) {
            return {};
        }
        if (!ask_.options.label.empty()) {
            return assign_told_labels();
        }
        for (std::size_t i = 0; i < fields_.size(); ++i) {
            if (!assigned_[i] && is_label_name(fields_[i])) {
                if (schema_.label) {
                    return refuse(
                        fmt::format("{} and {} may both be the label.", column(*schema_.label), column(i)),
                        "Say which with --label, and leave the other out with --ignore.");
                }
                assign(i, ColumnRole::label);
                schema_.label = i;
            }
        }
        if (!schema_.label && ask_.part == Part::train) {
            return refuse(fmt::format("no column is named label; the first is {}.", column(0)),
                          "Name the column that holds the class with --label NAME.");
        }
        return {};
    }

    Result<void> find_label_by_place()
    {
        if (ask_.options.unlabelled) {
            return {};
        }
        if (!ask_.options.label.empty()) {
            return assign_told_labels();
        }
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < fields_.size(); ++i) {
            if (!assigned_[i]) {
                open.push_back(i);
            }
        }
        const auto count = static_cast<std::int64_t>(open.size());
        const auto is_image = [&](std::int64_t pixels) {
            return ask_.known           ? pixels == ask_.known->pixels()
                   : ask_.options.shape ? pixels == ask_.options.shape->pixels()
                                        : side_of_square(pixels).has_value();
        };
        const bool whole = !schema_.packed && is_image(count);
        if (whole && ask_.part == Part::test) {
            return {};
        }
        if (open.empty() || whole) {
            return refuse(fmt::format("the {} columns are an image without a label.", fields_.size()),
                          "Training images need labels: add a column, or import the file as --test.");
        }
        const std::string_view first = fields_[open.front()];
        const bool first_is_word = !is_number_like(first);
        const bool last_is_word = !first_is_word && begins_with_letter(fields_[open.back()]);
        schema_.label = last_is_word ? open.back() : open.front();
        schema_.guess = first_is_word || last_is_word ? LabelGuess::word : LabelGuess::numbers;
        assign(*schema_.label, ColumnRole::label);
        return {};
    }

    Result<void> find_pixels()
    {
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < fields_.size(); ++i) {
            if (!assigned_[i]) {
                open.push_back(i);
            }
        }
        if (schema_.packed) {
            if (!open.empty()) {
                return unexplained(open.front());
            }
            schema_.shape = ask_.options.shape ? ask_.options.shape : ask_.known;
            return {};
        }
        if (open.empty()) {
            return refuse("no column is left for pixels.",
                          "Check the file, its delimiter, and the options that name columns.");
        }
        return schema_.header ? find_pixels_by_name(open) : find_pixels_by_place(open);
    }

    tl::unexpected<Error> unexplained(std::size_t i) const
    {
        const std::string what = fmt::format("{} is neither a label nor a pixel.", column(i));
        const std::string name = reference(i);
        return refuse(
            what,
            ask_.part == Part::train && !schema_.label && schema_.one_hot.empty()
                ? fmt::format("Say --ignore {0} or --label {0}; pixels are named like pixel0, pixel1 or 1x1.",
                              name)
                : fmt::format("Leave it out with --ignore {}; pixels are named like pixel0, pixel1 or 1x1.",
                              name));
    }

    Result<void> find_pixels_by_place(const std::vector<std::size_t>& open)
    {
        const auto shape = shape_of(static_cast<std::int64_t>(open.size()), ask_);
        if (!shape) {
            return tl::unexpected(shape.error());
        }
        schema_.shape = *shape;
        for (std::size_t k = 0; k < open.size(); ++k) {
            schema_.places[open[k]] =
                place_of(static_cast<std::int64_t>(k), *shape, ask_.options.channels_first);
        }
        return {};
    }

    Result<void> find_pixels_by_name(const std::vector<std::size_t>& open)
    {
        // Names of one kind (prefix and form); the kind with most columns is the pixels'.
        std::map<std::pair<std::string_view, std::size_t>, std::vector<std::size_t>> kinds;
        std::vector<PixelName> names(fields_.size());
        for (const std::size_t i : open) {
            if (const auto name = pixel_name(fields_[i])) {
                kinds[{name->prefix, name->kind}].push_back(i);
                names[i] = *name;
            }
        }
        if (kinds.empty()) {
            return unexplained(open.front());
        }
        const auto& [kind, pixels] =
            *std::max_element(kinds.begin(), kinds.end(),
                              [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
        for (const std::size_t i : open) {
            if (!std::binary_search(pixels.begin(), pixels.end(), i)) {
                return unexplained(i);
            }
        }
        return kind.second == 1 ? number_pixels(pixels, names, kind.first) : grid_pixels(pixels, names);
    }

    // Names with one number: 0..N-1 or 1..N, each once, in any order.
    Result<void> number_pixels(const std::vector<std::size_t>& pixels, const std::vector<PixelName>& names,
                               std::string_view prefix)
    {
        const auto count = static_cast<std::int64_t>(pixels.size());
        std::int64_t least = names[pixels.front()].numbers[0];
        for (const std::size_t i : pixels) {
            least = std::min(least, names[i].numbers[0]);
        }
        if (least > 1) {
            return refuse(fmt::format("pixel columns begin with {}{}, not with {}0 or {}1.", prefix, least,
                                      prefix, prefix),
                          "Add the missing columns, or name them from 0 or 1.");
        }
        std::vector<std::optional<std::size_t>> holder(pixels.size());
        std::optional<std::int64_t> beyond;
        for (const std::size_t i : pixels) {
            const std::int64_t k = names[i].numbers[0] - least;
            if (k >= count) {
                beyond = k;
                continue;
            }
            auto& taken = holder[static_cast<std::size_t>(k)];
            if (taken) {
                return refuse(fmt::format("columns {} and {} are both pixel {}{}.", *taken + 1, i + 1, prefix,
                                          k + least),
                              "Name each pixel once.");
            }
            taken = i;
        }
        for (std::size_t k = 0; k < holder.size(); ++k) {
            if (!holder[k]) {
                return refuse(
                    fmt::format("there is a column {}{}, but no column {}{}.", prefix,
                                beyond.value_or(0) + least, prefix, static_cast<std::int64_t>(k) + least),
                    "Add the missing column, or correct its name.");
            }
        }
        const auto shape = shape_of(count, ask_);
        if (!shape) {
            return tl::unexpected(shape.error());
        }
        schema_.shape = *shape;
        for (const std::size_t i : pixels) {
            schema_.places[i] = place_of(names[i].numbers[0] - least, *shape, ask_.options.channels_first);
        }
        return {};
    }

    // Names with row, column and perhaps channel, all from 0 or all from 1.
    Result<void> grid_pixels(const std::vector<std::size_t>& pixels, const std::vector<PixelName>& names)
    {
        std::vector<std::int64_t> least(3, kLargestSide + 1);
        std::vector<std::int64_t> most(3, 0);
        for (const std::size_t i : pixels) {
            const auto& numbers = names[i].numbers;  // no channel named: channel 0
            for (std::size_t d = 0; d < 3; ++d) {
                if (numbers[d] > kLargestSide) {
                    return refuse(fmt::format("{} lies outside the largest image.", column(i)),
                                  "Correct the name.");
                }
                least[d] = std::min(least[d], numbers[d]);
                most[d] = std::max(most[d], numbers[d]);
            }
        }
        const ImageShape shape{most[0] - least[0] + 1, most[1] - least[1] + 1, most[2] - least[2] + 1};
        if (least[0] > 1 || least[1] != least[0] || shape.channels > 4 ||
            shape.pixels() > 4 * static_cast<std::int64_t>(pixels.size()) + 4096) {
            return refuse(
                fmt::format(
                    "the pixel names span rows {} to {} and columns {} to {}, which {} columns do not fill.",
                    least[0], most[0], least[1], most[1], pixels.size()),
                "Name pixels ROWxCOLUMN, both from 0 or both from 1.");
        }
        for (const auto& known : {ask_.options.shape, ask_.known}) {
            if (known && *known != shape) {
                return refuse(
                    fmt::format("the pixel names make images of {}x{}x{}, not {}x{}x{}.", shape.height,
                                shape.width, shape.channels, known->height, known->width, known->channels),
                    "Correct --shape or the names; every part must have the same shape.");
            }
        }
        std::vector<std::optional<std::size_t>> holder(static_cast<std::size_t>(shape.pixels()));
        for (const std::size_t i : pixels) {
            const auto& n = names[i].numbers;
            schema_.places[i] =
                ((n[0] - least[0]) * shape.width + n[1] - least[1]) * shape.channels + n[2] - least[2];
            auto& taken = holder[static_cast<std::size_t>(schema_.places[i])];
            if (taken) {
                return refuse(fmt::format("{} and {} are the same pixel.", column(*taken), column(i)),
                              "Name each pixel once.");
            }
            taken = i;
        }
        const auto gap = std::find(holder.begin(), holder.end(), std::nullopt);
        if (gap != holder.end()) {
            const std::int64_t place = (gap - holder.begin()) / shape.channels;
            return refuse(fmt::format("there is no column for the pixel {}x{}.",
                                      place / shape.width + least[0], place % shape.width + least[1]),
                          "Add the missing column, or correct its name.");
        }
        schema_.shape = shape;
        return {};
    }

    Fields fields_;
    const CsvQuestion& ask_;
    CsvSchema schema_;
    std::vector<bool> assigned_;
};

}  // namespace

Result<CsvSchema> schema_of(const Fields& first_line, const CsvQuestion& question)
{
    return Finder(first_line, question).find();
}

std::optional<char> delimiter_of(std::string_view line)
{
    constexpr std::string_view kCandidates = ",;\t|";
    std::array<std::size_t, kCandidates.size()> counts{};
    bool inside = false;
    for (const char c : line) {
        inside = inside != (c == '"');
        const std::size_t which = kCandidates.find(c);
        if (!inside && which != std::string_view::npos) {
            ++counts[which];
        }
    }
    const auto most = std::max_element(counts.begin(), counts.end());
    if (*most == 0 || std::count(counts.begin(), counts.end(), *most) > 1) {
        return {};
    }
    return kCandidates[static_cast<std::size_t>(most - counts.begin())];
}

Result<ImageShape> shape_of(std::int64_t pixels, const CsvQuestion& question)
{
    for (const auto& told : {question.options.shape, question.known}) {
        if (told && told->pixels() != pixels) {
            return fail(fmt::format("{}, line {}: there are {} pixels, but an image of {}x{}x{} has {}.",
                                    question.file, question.line, pixels, told->height, told->width,
                                    told->channels, told->pixels()),
                        "Check --shape, and the columns that are neither label nor pixel (--ignore).");
        }
        if (told) {
            return *told;
        }
    }
    if (const auto side = side_of_square(pixels); side && *side <= kLargestSide) {
        return ImageShape{*side, *side, 1};
    }
    const auto coloured = pixels % 3 == 0 ? side_of_square(pixels / 3) : std::nullopt;
    return fail(fmt::format("{}, line {}: {} pixels are not a square image of one channel.", question.file,
                            question.line, pixels),
                coloured
                    ? fmt::format("If they are {0}x{0} with three channels, say --shape {0}x{0}x3; leave out "
                                  "ids with --ignore.",
                                  *coloured)
                    : std::string("Give the shape with --shape HxWxC, or leave columns out with --ignore."));
}

std::int64_t place_of(std::int64_t k, const ImageShape& shape, bool channels_first)
{
    if (!channels_first) {
        return k;
    }
    const std::int64_t positions = shape.height * shape.width;
    return k % positions * shape.channels + k / positions;
}

}  // namespace lockstep::data
