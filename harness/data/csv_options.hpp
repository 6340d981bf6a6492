// What a user may say about a table that does not explain itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/data/image_size.hpp"

namespace lockstep::data {

// Columns are named by their header, case counting only where names differ in nothing else, or by
// position as "#1", "#2", ...
struct CsvOptions {
    std::optional<char> delimiter;  // absent: the one of , ; tab | that the first line has most of
    std::optional<bool> header;     // is the first line a header? absent: seen from its fields
    // Empty: the column named label, labels, class, target, y or category; without a header the first
    // column, or the last if only that holds words. One: that column; "first" and "last" also name a
    // place. Several: one-hot columns, named after their classes, in class order.
    std::vector<std::string> label;
    bool unlabelled = false;            // there is no label column, even where one seems to be
    std::vector<std::string> ignore;    // columns that are neither label nor pixel, such as ids
    std::optional<std::string> pixels;  // one column that holds all pixels of an image
    std::optional<char> separator;      // between the values in that column; absent: runs of spaces
    std::optional<ImageShape> shape;    // absent: a square image of one channel, or what names like 3x5 say
    bool channels_first = false;        // values come channel by channel (CHW), not pixel by pixel (HWC)
};

}  // namespace lockstep::data
