// allocator-thrash: memory is asked from the driver, and given back, in steady state.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

void Products(Program& of, int) { of.Products(10); }

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
      Products);
}

// What the first recorded step asks for may be kept from then on.
TEST(AllocatorThrash, CallsOfTheFirstStepAreAStart) {
  EXPECT_EQ(TellOf([](Program& of, int step) {
              of.Products(10);
              for (int i = 0; step == 0 && i < 10; ++i) of.Call("cudaMalloc", 60);
            }).ids,
            "");
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

}  // namespace
}  // namespace rankscope
