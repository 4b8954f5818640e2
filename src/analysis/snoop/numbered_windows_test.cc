#include "analysis/snoop/numbered_windows.h"

#include <gtest/gtest.h>

#include "analysis/snoop/analyses.h"
#include "stage/job_for_test.h"
#include "telemetry/telemetry.h"

namespace rankscope {
namespace {

using snoop_file::OffCpuWindow;
using snoop_file::SnoopWindow;

SnoopWindow WindowAt(std::int64_t begin_ns, std::string_view host, std::int64_t pid) {
  SnoopWindow window;
  window.begin_unix_ns = begin_ns;
  window.window_ns = 1'000'000'000;
  window.host = host;
  window.pid = pid;
  return window;
}

JobContext JobWith(std::shared_ptr<Telemetry> telemetry) {
  JobContext job;
  Capture capture;
  capture.rank = 5;
  capture.host = "node2";
  capture.pid = 77;
  job.captures.push_back(capture);
  job.origin_ns = 1000;
  job.telemetry = std::move(telemetry);
  return job;
}

TEST(NumberedWindows, AreByBeginHostAndProcess) {
  auto telemetry = std::make_shared<Telemetry>();
  telemetry->windows().snoop = {WindowAt(3000, "b", 1), WindowAt(500, "b", 1)};
  OffCpuWindow other;
  other.begin_unix_ns = 3000;
  other.window_ns = 1;
  other.host = "a";
  telemetry->windows().offcpu = {other};
  const JobContext job = JobWith(telemetry);
  const std::vector<NumberedWindow> windows = WindowsOf(job);
  ASSERT_EQ(windows.size(), 3u);
  EXPECT_EQ(windows[0].begin_ns, -500);
  EXPECT_EQ(windows[1].offcpu, &telemetry->windows().offcpu[0]);
  EXPECT_EQ(windows[2].number, 2);
  EXPECT_EQ(windows[2].begin_ns, 2000);
  EXPECT_TRUE(WindowsOf(JobWith(nullptr)).empty());
}

// What the process says goes before what its trace does.
TEST(NumberedWindows, BelongToRanks) {
  auto telemetry = std::make_shared<Telemetry>();
  telemetry->windows().snoop = {WindowAt(1, "node2", 77), WindowAt(2, "node1", 77),
                                WindowAt(3, "node2", 77), WindowAt(4, "", 77)};
  telemetry->windows().snoop[2].rank = 9;
  const JobContext job = JobWith(telemetry);
  const std::vector<NumberedWindow> windows = WindowsOf(job);
  EXPECT_EQ(windows[0].rank, Value(std::int64_t{5}));
  EXPECT_EQ(windows[1].rank, Value(kNull));
  EXPECT_EQ(windows[2].rank, Value(std::int64_t{9}));
  EXPECT_EQ(windows[3].rank, Value(kNull));
}

TEST(Stacks, AreTextsWhosePartsNothingElseParts) {
  const snoop_file::Stack stack = {
      {.function = "main;x", .file = "/a/b.py", .line = 3, .language = "python"},
      {.function = "", .file = "", .line = {}, .language = "native"},
      {.function = "f\ng", .file = "/lib/libc.so.6", .line = {}, .language = "native"}};
  EXPECT_EQ(StackText(stack), "main:x (b.py:3);?;f:g (libc.so.6)");
  EXPECT_EQ(PlaceText(stack), "main:x (b.py:3)");
  EXPECT_EQ(PlaceText({stack[1], stack[2]}), "?");
  EXPECT_EQ(PlaceText({stack[2]}), "f:g (libc.so.6)");
  EXPECT_EQ(StackText({}) + PlaceText({}), "");
}

// Numbers that a file may have and no process has: no sum goes beyond what holds it.
TEST(SnoopTables, TakeTheLargestNumbers) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  auto telemetry = std::make_shared<Telemetry>();
  SnoopWindow window = WindowAt(kMost, "a", kMost);
  window.window_ns = kMost;
  window.probes = {.lost_events = kMost, .lost_stacks = kMost, .lost_sums = kMost};
  window.timelines.emplace_back();
  window.timelines[0].part_ns = kMost;
  window.timelines[0].highest_bytes = window.timelines[0].last_bytes = {kMost, kMost, kMost};
  window.rates.push_back({.begin_ns = kMost, .end_ns = 0, .calls = kMost});
  telemetry->windows().snoop = {window};
  const JobContext job = JobWith(telemetry);
  for (const Analysis* analysis : {&SnoopWindowsAnalysis(), &SnoopMemoryOverTimeAnalysis(),
                                   &SnoopRatesAnalysis(), &SnoopAllocationsAnalysis()}) {
    const auto table = analysis->derive(InputTables(std::vector<const Table*>{}), job, {});
    ASSERT_TRUE(table.ok()) << analysis->name;
  }
}

}  // namespace
}  // namespace rankscope
