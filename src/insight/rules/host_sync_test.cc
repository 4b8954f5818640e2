// host-sync: the host waits for its device again and again.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

Body Syncs(int count) {
  return [=](Program& of, int) {
    for (int i = 0; i < 10; ++i) {
      of.Product();
      if (i < count) of.Synchronise("cudaStreamSynchronize");
    }
  };
}

// Told at the op before the wait.
TEST(HostSync, WaitsBetweenProducts) { ExpectFound("host-sync", "aten::mm", Syncs(9), Syncs(0)); }

// The wait for the loss and one shortly before, for the norm of gradients; the same one earlier is
// not what a loop needs.
TEST(HostSync, TwoWaitsAtTheEndOfAStepAreOrdinary) {
  const auto waiting_behind = [](int product) {
    return [=](Program& of, int) {
      for (int i = 0; i < 5; ++i) {
        of.Product();
        if (i != product) continue;
        of.Synchronise("cudaStreamSynchronize");
        of.Call("cudaEventRecord", 20);
      }
    };
  };
  EXPECT_EQ(TellOf(waiting_behind(4)).ids, "");
  EXPECT_EQ(TellOf(waiting_behind(1)).ids, "host-sync ");
}

// What one step of six waits for is not done again and again.
TEST(HostSync, WaitsOfOneStepAreAnotherMatter) {
  const Told told = TellOf([](Program& of, int step) {
    for (int i = 0; i < 10; ++i) {
      of.Product();
      if (step == 3 && i < 9) of.Synchronise("cudaStreamSynchronize");
    }
  });
  EXPECT_FALSE(told.Has("host-sync")) << told.all;
}

// A cudaFree waits, too, which is allocator-thrash: the two waits at the end stay ordinary.
TEST(HostSync, WaitsOfTheAllocatorDoNotCount) {
  const Told told = TellOf([](Program& of, int) {
    for (int i = 0; i < 5; ++i) {
      of.Product();
      if (i == 0) of.Synchronise("cudaFree");
    }
    of.Synchronise("cudaStreamSynchronize");
    of.Call("cudaEventRecord", 20);
  });
  EXPECT_FALSE(told.Has("host-sync")) << told.ids;
}

}  // namespace
}  // namespace rankscope
