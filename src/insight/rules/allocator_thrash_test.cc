// allocator-thrash: memory is asked from the driver, and given back, in steady state.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

void ProductsAllocatorThrash(Program& of, int) { of.Products(10); }

TEST(AllocatorThrash, CallsInEveryStep) {
  ExpectFound(
      "allocator-thrash", "cudaMalloc",
      [](Program& of, int) {
        for (int i = 0; i < 10; ++i) {
          of.Product();
          of.Synchronise("cudaFree");
          of.Call("cudaMalloc", 60);
        }
      },
      ProductsAllocatorThrash);
}

// empty_cache() waits for the device before it gives back, and where it gives back it would wait
// anyway: that is no wait of the program's (host-sync).
TEST(AllocatorThrash, TheWaitBeforeWhatIsGivenBackBelongsToIt) {
  const auto told = [](bool gives_back) {
    return TellOf([=](Program& of, int) {
      for (int i = 0; i < 9; ++i) {
        of.Product();
        of.Synchronise();
        if (gives_back) of.Call("cudaFree", 100);
      }
      for (int i = 0; gives_back && i < 9; ++i) of.Call("cudaMalloc", 60);
      of.Products(6);
    });
  };
  const Told thrashing = told(true);
  EXPECT_EQ(thrashing.first(), "allocator-thrash") << thrashing.all;
  EXPECT_FALSE(thrashing.Has("host-sync")) << thrashing.all;
  EXPECT_TRUE(told(false).Has("host-sync"));
}

// Pinned memory is no device's: expandable segments would not help.
TEST(AllocatorThrash, PinnedInTheLoop) {
  const Told told = TellOf([](Program& of, int) {
    of.Products(5);
    of.Synchronise();
    of.Call("cudaHostAlloc", 900);
    of.Products(5);
  });
  EXPECT_EQ(told.first(), "allocator-thrash") << told.all;
  EXPECT_NE(told.title.find("memory of the host is pinned once a step, 900 us in all"),
            std::string::npos)
      << told.title;
  EXPECT_NE(told.change.find("one pinned buffer"), std::string::npos) << told.change;
}

// What the first recorded step asks for may be kept from then on.
TEST(AllocatorThrash, CallsOfTheFirstStepAreAStart) {
  EXPECT_EQ(TellOf([](Program& of, int step) {
              of.Products(10);
              for (int i = 0; step == 0 && i < 10; ++i) of.Call("cudaMalloc", 60);
            }).ids,
            "");
}

// But not where it gives back as often as it asks, and is all that was recorded.
TEST(AllocatorThrash, OneStepThatGivesBackAsOftenAsItAsks) {
  const auto told = [](int frees, int asks) {
    return TellOf(
        [=](Program& of, int) {
          of.Products(10);
          for (int i = 0; i < frees; ++i) of.Synchronise("cudaFree");
          for (int i = 0; i < asks; ++i) of.Call("cudaMalloc", 200);
          of.Products(10);
        },
        1);
  };
  EXPECT_EQ(told(4, 5).first(), "allocator-thrash");
  EXPECT_FALSE(told(3, 3).Has("allocator-thrash"));  // by chance
  EXPECT_FALSE(told(4, 6).Has("allocator-thrash"));  // it grows
  EXPECT_FALSE(told(4, 6).Has("memory-pressure"));
}

// Seven ask for five that give back: 1.4, and not more.
TEST(AllocatorThrash, NotMuchMoreIsAskedForThanGivenBack) {
  const Told told = TellOf([](Program& of, int) {
    of.Product();
    for (int i = 0; i < 7; ++i) of.Call("cudaMalloc", 60);
    for (int i = 0; i < 5; ++i) of.Synchronise("cudaFree");
  });
  EXPECT_EQ(told.first(), "allocator-thrash") << told.ids;
  EXPECT_FALSE(told.Has("memory-pressure"));
}

// Who maps memory into segments that grow has set what is advised to others.
TEST(AllocatorThrash, ExpandableSegmentsAreNotAdvisedWhereTheyAre) {
  const auto told = [](const char* asks, const char* frees) {
    return TellOf([&](Program& of, int) {
      for (int i = 0; i < 10; ++i) {
        of.Product();
        of.Synchronise(frees);
        of.Call(asks, 60);
      }
    });
  };
  EXPECT_NE(told("cudaMalloc", "cudaFree").change.find("expandable_segments:True"),
            std::string::npos);
  const Told mapped = told("cuMemMap", "cuMemUnmap");
  EXPECT_EQ(mapped.first(), "allocator-thrash") << mapped.ids;
  EXPECT_EQ(mapped.change.find("expandable_segments:True"), std::string::npos) << mapped.change;
}

}  // namespace
}  // namespace rankscope
