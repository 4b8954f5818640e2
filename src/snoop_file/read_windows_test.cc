#include "snoop_file/read_windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/fields.h"

namespace rankscope::snoop_file {
namespace {

using ::testing::HasSubstr;

SnoopWindow WindowOfSnoop() {
  SnoopWindow window;
  window.format = kSnoopFormat;
  window.pid = 7;
  window.host = "node1";
  window.rank = 3;
  window.begin_unix_ns = 1'700'000'000'000'000'001;
  window.window_ns = 10'000'000'000;
  window.libraries = {"/lib/libcudart.so.12"};
  NeverFreed leak;
  leak.level = "CUDA runtime";
  leak.memory = "device";
  leak.call = "cudaMalloc";
  leak.count = 2;
  leak.bytes = 100;
  leak.in_all_quarters = true;
  leak.stack = {{.function = "train", .file = "train.py", .line = 12, .language = "python"},
                {.function = "cudaMalloc", .file = "libcudart.so.12", .language = "native"}};
  window.never_freed.push_back(leak);
  Timeline timeline;
  timeline.part_ns = 5;
  timeline.highest_bytes = {1, 2, 3};
  timeline.last_bytes = {1, 2};
  window.timelines.push_back(timeline);
  return window;
}

std::string MessageOf(std::string_view text) {
  Windows windows;
  const Status added = AddWindow(text, windows);
  EXPECT_FALSE(added.ok()) << text;
  EXPECT_TRUE(windows.empty());
  return std::string(added.message());
}

TEST(Windows, AreReadAsTheyWereWritten) {
  Windows windows;
  ASSERT_TRUE(AddWindow(json::ToJson(WindowOfSnoop()), windows).ok());
  ASSERT_EQ(windows.snoop.size(), 1u);
  const SnoopWindow& read = windows.snoop[0];
  EXPECT_EQ(read.rank, 3);
  EXPECT_EQ(read.begin_unix_ns, 1'700'000'000'000'000'001);
  ASSERT_EQ(read.never_freed.size(), 1u);
  EXPECT_EQ(read.never_freed[0].level, "CUDA runtime");
  EXPECT_TRUE(read.never_freed[0].in_all_quarters);
  ASSERT_EQ(read.never_freed[0].stack.size(), 2u);
  EXPECT_EQ(read.never_freed[0].stack[0].line, 12);
  EXPECT_EQ(read.never_freed[0].stack[1].line, std::nullopt);
  // Parts of which one end is missing are none.
  EXPECT_EQ(read.timelines[0].highest_bytes.size(), 2u);
}

TEST(Windows, OfOffCpuAreReadBesideThem) {
  OffCpuWindow window;
  window.format = kOffCpuFormat;
  window.begin_unix_ns = window.window_ns = 1;
  window.waits.push_back({.reason = "sleeping", .what = "a lock (futex)", .total_ns = 5});
  const std::string text = json::ToJson(window);
  EXPECT_THAT(text, HasSubstr(R"js("for":"a lock (futex)")js"));
  Windows windows;
  ASSERT_TRUE(AddWindow(text, windows).ok());
  ASSERT_EQ(windows.offcpu.size(), 1u);
  EXPECT_EQ(windows.offcpu[0].waits[0].total_ns, 5);
}

TEST(Windows, ThatAreNoneSayWhy) {
  EXPECT_THAT(MessageOf("{}"), HasSubstr("no window of snoop or offcpu"));
  EXPECT_THAT(MessageOf(R"({"format":"rankscope-snoop-"})"), HasSubstr("no window"));
  EXPECT_THAT(MessageOf(R"({"format":"rankscope-snoop-2","begin_unix_ns":1,"window_ns":1})"),
              HasSubstr("a newer rankscope-agent wrote it"));
  EXPECT_THAT(MessageOf(R"({"format":"rankscope-snoop-1"})"), HasSubstr("begin_unix_ns"));
  EXPECT_THAT(MessageOf(R"({"format":"rankscope-offcpu-1","begin_unix_ns":1,"window_ns":-5})"),
              HasSubstr("window_ns"));
  const std::string whole = json::ToJson(WindowOfSnoop());
  MessageOf(whole.substr(0, whole.size() / 2));
}

TEST(Windows, WithValuesOfAnotherKindKeepTheRest) {
  Windows windows;
  ASSERT_TRUE(
      AddWindow(R"({"format":"rankscope-snoop-1","begin_unix_ns":1,"window_ns":2,"rank":"three",)"
                R"("memory":[{"level":"HIP","live_bytes":-1},7],"timelines":[{"part_ns":0}]})",
                windows)
          .ok());
  EXPECT_EQ(windows.snoop[0].rank, std::nullopt);
  ASSERT_EQ(windows.snoop[0].memory.size(), 1u);
  EXPECT_EQ(windows.snoop[0].memory[0].live_bytes, 0);
  EXPECT_TRUE(windows.snoop[0].timelines.empty());
}

TEST(Windows, AreKnownByTheirNames) {
  EXPECT_TRUE(IsWindowName("a/rank0-node1-7.snoop.json"));
  EXPECT_TRUE(IsWindowName("x.offcpu.json"));
  EXPECT_FALSE(IsWindowName("snoop.json"));
}

}  // namespace
}  // namespace rankscope::snoop_file
