// The arena keeps apart what is alive together and shares what is not.
#include "workers/onednn/arena.hpp"

#include <gtest/gtest.h>

#include <random>

namespace lockstep::onednn {
namespace {

TEST(Arena, GivesSlotsThatMeetBytesOfTheirOwn)
{
    std::mt19937 random(3);
    Arena arena;
    std::vector<Arena::Slot> slots;
    std::vector<Arena::Lifetime> lives;
    std::vector<std::int64_t> sizes;
    for (int i = 0; i < 60; ++i) {
        const int first = static_cast<int>(random() % 20);
        lives.push_back({first, first + static_cast<int>(random() % 6)});
        sizes.push_back(static_cast<std::int64_t>(random() % 5000));
        slots.push_back(arena.request(sizes.back(), lives.back()));
    }
    arena.allocate();
    for (std::size_t a = 0; a < slots.size(); ++a) {
        EXPECT_EQ(arena.offset(slots[a]) % 64, 0);
        EXPECT_LE(arena.offset(slots[a]) + sizes[a], arena.bytes());
        for (std::size_t b = 0; b < a; ++b) {
            const bool together = lives[a].first <= lives[b].last && lives[b].first <= lives[a].last;
            const bool apart = arena.offset(slots[a]) + sizes[a] <= arena.offset(slots[b]) ||
                               arena.offset(slots[b]) + sizes[b] <= arena.offset(slots[a]);
            EXPECT_TRUE(!together || apart) << a << " " << b;
        }
    }
}

TEST(Arena, SharesBytesBetweenSlotsThatNeverMeet)
{
    Arena arena;
    const Arena::Slot early = arena.request(4096, {0, 2});
    const Arena::Slot late = arena.request(4096, {3, 5});
    arena.allocate();
    EXPECT_EQ(arena.offset(early), arena.offset(late));
    EXPECT_EQ(arena.bytes(), 4096);
}

TEST(Arena, GivesNothingForASlotThatWasNeverAsked)
{
    Arena arena;
    arena.allocate();
    EXPECT_EQ(arena.at({}), nullptr);
}

}  // namespace
}  // namespace lockstep::onednn
