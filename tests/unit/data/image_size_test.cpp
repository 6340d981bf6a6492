// Sizes and shapes as users write them.
#include "harness/data/image_size.hpp"

#include <gtest/gtest.h>

namespace lockstep::data {
namespace {

TEST(ImageSize, sizes_and_shapes_are_read)
{
    EXPECT_EQ(parse_image_size("224x112").value(), (ImageSize{224, 112}));
    EXPECT_EQ(parse_image_shape("32x16x3").value(), (ImageShape{32, 16, 3}));
    EXPECT_EQ(parse_image_shape("32X16").value(), (ImageShape{32, 16, 1}));
}

TEST(ImageSize, anything_else_is_refused_with_what_was_given)
{
    for (const char* text : {"", "224", "x", "224x", "x224", "0x1", "-1x1", "1x1x1", "1.5x2", "1 x1",
                             "16385x1", "99999999999999999999x1"}) {
        const auto size = parse_image_size(text);
        ASSERT_FALSE(size) << text;
        EXPECT_NE(size.error().what.find('"' + std::string(text) + '"'), std::string::npos);
    }
    for (const char* text : {"", "32", "32x32x0", "32x32x5", "32x32x3x1", "32x32x"}) {
        EXPECT_FALSE(parse_image_shape(text)) << text;
    }
}

}  // namespace
}  // namespace lockstep::data
