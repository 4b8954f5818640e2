// memory-pressure: allocations fail and are tried again.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

// Two that ask for one that gives back.
TEST(MemoryPressure, MoreIsAskedForThanGivenBack) {
  ExpectFound(
      "memory-pressure", "cudaMalloc",
      [](Program& of, int) {
        for (int i = 0; i < 10; ++i) {
          of.Product();
          of.Call("cudaMalloc", 60);
          of.Synchronise("cudaFree");
          of.Call("cudaMalloc", 60);
        }
      },
      [](Program& of, int) { of.Products(10); });
}

Told Calls(int ask, int give_back) {
  return TellOf([=](Program& of, int) {
    of.Product();
    for (int i = 0; i < ask; ++i) of.Call("cudaMalloc", 60);
    for (int i = 0; i < give_back; ++i) of.Synchronise("cudaFree");
  });
}

TEST(MemoryPressure, BeginsAbove14ThatAskForTenThatGiveBack) {
  EXPECT_EQ(Calls(8, 5).first(), "memory-pressure");
  EXPECT_FALSE(Calls(7, 5).Has("memory-pressure"));
}

// Nothing is given back: no allocation failed.
TEST(MemoryPressure, IsNotToldOfCallsThatAskOnly) {
  EXPECT_FALSE(Calls(10, 0).Has("memory-pressure"));
}

}  // namespace
}  // namespace rankscope
