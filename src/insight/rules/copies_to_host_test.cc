// copies-to-host: tensors are copied to pageable memory, and the host waits.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

// Three times a step two products, and a copy for which the host waits.
Body HostCopies(std::string_view name, std::int64_t us) {
  return [=](Program& of, int) {
    for (int i = 0; i < 3; ++i) {
      of.Products(2);
      if (us == 0) continue;
      of.Copy(name, us);
      of.Synchronise("cudaStreamSynchronize");
    }
  };
}

TEST(CopiesToHost, GainTheCopiesAndTheWaits) {
  const Told told = TellOf(HostCopies("Memcpy DtoH (Device -> Pageable)", 700));
  EXPECT_EQ(told.first(), "copies-to-host") << told.ids;
  EXPECT_NE(told.title.find("3 copies a step to pageable memory of the host take 2.10 ms"),
            std::string::npos)
      << told.title;
  EXPECT_FALSE(told.Has("host-sync")) << told.all;
  // Of the wait's call 6 us remain, three times.
  EXPECT_NEAR(told.gain, 100 * (1 - TellOf(HostCopies("", 0)).mean_step / told.mean_step), 1);
}

// A value takes a few microseconds, however long the host waits for it.
TEST(CopiesToHost, ValuesAreHostSync) {
  const Told told = TellOf(HostCopies("Memcpy DtoH (Device -> Pageable)", 49));
  EXPECT_FALSE(told.Has("copies-to-host")) << told.all;
  EXPECT_TRUE(told.Has("host-sync")) << told.all;
}

TEST(CopiesToHost, IntoPinnedMemoryAreNone) {
  EXPECT_FALSE(TellOf(HostCopies("Memcpy DtoH (Device -> Pinned)", 700)).Has("copies-to-host"));
}

}  // namespace
}  // namespace rankscope
