// The table that ends a campaign.
#include "harness/report/standing_table.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/report/progress_line.hpp"

namespace lockstep::report {
namespace {

record::StandingTable a_table()
{
    record::Standing best;
    best.arm = "own";
    best.word = "faster";
    best.runs = 6;
    best.images_per_second = 14500;
    best.ratio = record::Ratio{0.83, 0.81, 0.86};
    best.memory_peak_mb = 210;
    best.accuracy_pct = 91.2;
    record::Standing bad;
    bad.arm = "other";
    bad.word = "unranked";
    bad.note = "pool3 departs first.";
    return {"long_id", "cnn3 28x28, batch 64, 2 threads", "base", {best, bad}, {"own is the fastest here."}};
}

TEST(StandingTable, absent_values_are_blank_and_notes_stand_below_their_row)
{
    const std::string text = table_text(a_table(), false);
    EXPECT_NE(text.find("own                              faster      14,500  0.83x [0.81, 0.86]      210    "
                        "       91.2 %\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("other                            unranked\n    pool3 departs first.\n"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find('\033'), std::string::npos);
    EXPECT_NE(table_text(a_table(), true).find("\033[32m"), std::string::npos);
}

TEST(StandingTable, json_leaves_absent_values_out)
{
    const auto json = nlohmann::json::parse(tables_json({a_table()}));
    EXPECT_EQ(json[0]["arms"][0]["ratio_low"], 0.81);
    EXPECT_FALSE(json[0]["arms"][1].contains("ratio"));
    EXPECT_FALSE(json[0]["arms"][1].contains("images_per_sec"));
}

TEST(Duration, is_said_as_people_say_it)
{
    EXPECT_EQ(duration_words(12.4), "12 s");
    EXPECT_EQ(duration_words(250), "4 min 10 s");
    EXPECT_EQ(duration_words(3900), "1 h 05 min");
    EXPECT_EQ(duration_words(-3), "0 s");
}

}  // namespace
}  // namespace lockstep::report
