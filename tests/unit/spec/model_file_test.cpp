// The networks of the contract, and what is wrong with a model file that does not fit.
#include "harness/spec/model_file.hpp"

#include <gtest/gtest.h>

namespace lockstep::spec {
namespace {

const std::vector<std::filesystem::path> kFolders{std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "models"};

struct Count {
    const char* model;
    const char* padding;
    std::int64_t side;
    std::int64_t parameters;
};

class ParameterCount : public ::testing::TestWithParam<Count> {};

TEST_P(ParameterCount, equals_the_contract)
{
    const Count& expected = GetParam();
    const auto model = find_model(expected.model, kFolders, expected.padding);
    ASSERT_TRUE(model) << model.error().what;
    const auto network = resolve(*model, expected.side, expected.side, 1, 10);
    ASSERT_TRUE(network) << network.error().what;
    EXPECT_EQ(protocol::parameter_count(*network), expected.parameters);
}

// CONTRACT, section 1; the valid variant at 224 follows from the layer list: (224-2)/2 = 111, (111-2)/2 = 54,
// (54-2)/2 = 26.
INSTANTIATE_TEST_SUITE_P(
    Contract, ParameterCount,
    ::testing::Values(Count{"cnn2", "same", 224, 25'710'346}, Count{"cnn2", "same", 28, 421'642},
                      Count{"cnn2", "valid", 28, 225'034}, Count{"cnn3", "same", 224, 103'264'522},
                      Count{"cnn3", "same", 28, 1'683'722}, Count{"cnn3", "valid", 28, 635'146},
                      Count{"cnn2", "valid", 224, 320 + 18496 + (54 * 54 * 64 + 1) * 128 + 1290},
                      Count{"cnn3", "valid", 224,
                            640 + 73856 + 295168 + (26 * 26 * 256 + 1) * 512 + 131328 + 2570}));

TEST(ModelFile, is_found_by_its_long_name_too)
{
    EXPECT_EQ(find_model("cnn2d_2layer_full_connected_2layer", kFolders)->short_name, "cnn2");
    EXPECT_EQ(find_model("cnn3", kFolders)->id, "cnn2d_3layer_fullconnected_3layer");
}

TEST(ModelFile, an_unknown_name_suggests_the_nearest)
{
    const auto model = find_model("cnn4", kFolders);
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().what, "There is no model \"cnn4\".");
    EXPECT_EQ(model.error().remedy.rfind("Did you mean cnn2?", 0), 0u) << model.error().remedy;
}

TEST(ModelFile, pooling_rounds_odd_sizes_down)
{
    const auto network = resolve(*find_model("cnn3", kFolders), 28, 28, 1, 10).value();
    EXPECT_EQ(network.layers[5].name, "pool3");
    EXPECT_EQ(network.layers[5].input, (std::vector<std::int64_t>{7, 7, 256}));
    EXPECT_EQ(network.layers[5].output, (std::vector<std::int64_t>{3, 3, 256}));
}

constexpr const char* kHead = "id = \"mine\"\n";
constexpr const char* kLast = "[[layer]]\nkind = \"dense\"\nunits = \"classes\"\nactivation = \"softmax\"\n";

std::string mistake_in(const std::string& text, std::int64_t side = 8)
{
    const auto model = parse_model(text, "mine.toml");
    if (!model) {
        return model.error().what;
    }
    const auto network = resolve(*model, side, side, 1, 3);
    return network ? "" : network.error().what;
}

TEST(ModelFile, a_model_of_the_users_own_is_read)
{
    EXPECT_EQ(mistake_in(std::string(kHead) + "[[layer]]\nkind = \"flatten\"\n" + kLast), "");
}

TEST(ModelFile, mistakes_are_named_with_their_line)
{
    EXPECT_EQ(mistake_in(std::string(kHead) + "[[layer]]\nkind = \"convolutoin\"\n"),
              "mine.toml, line 3: \"convolutoin\" is not a value of kind.");
    EXPECT_EQ(
        mistake_in(std::string(kHead) + "[[layer]]\nkind = \"convolution\"\nkernel = [2, 2]\nfilters = 4\n"),
        "mine.toml, line 4: a kernel has two odd sides from 1 to 31.");
    EXPECT_EQ(
        mistake_in(std::string(kHead) + "[[layer]]\nkind = \"dense\"\nunits = 5\nactivaton = \"relu\"\n"),
        "mine.toml, line 5: \"activaton\" is not a known key.");
    EXPECT_EQ(mistake_in(std::string(kHead) + "[[layer]]\nkind = \"dropout\"\nrate = 1.0\n"),
              "mine.toml, line 4: \"rate\" is not a number from 0 to 0.95.");
}

TEST(ModelFile, layers_that_do_not_fit_each_other_are_named)
{
    EXPECT_EQ(mistake_in(std::string(kHead) + kLast), "mine, layer dense1: a dense layer needs a vector.");
    EXPECT_EQ(
        mistake_in(std::string(kHead) +
                       "[[layer]]\nkind = \"max_pool\"\nwindow = 2\n[[layer]]\nkind = \"flatten\"\n" + kLast,
                   1),
        "mine, layer pool1: nothing is left of an image of 1x1.");
    EXPECT_EQ(mistake_in(std::string(kHead) + "[[layer]]\nkind = \"flatten\"\n"),
              "mine does not end in a dense softmax layer with one output for each of the 3 classes.");
    EXPECT_EQ(mistake_in(std::string(kHead) +
                         "[[layer]]\nkind = \"flatten\"\n[[layer]]\nkind = \"dense\"\nunits = 4\n"),
              "mine does not end in a dense softmax layer with one output for each of the 3 classes.");
}

}  // namespace
}  // namespace lockstep::spec
