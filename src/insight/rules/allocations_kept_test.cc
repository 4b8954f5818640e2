// allocations-kept: what one place allocates on a device is never freed.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"
#include "schemas/findings.h"

namespace rankscope {
namespace {

using snoop_file::SnoopWindow;

// Rank 0's: log_loss keeps 5 MB in each of ten seconds, live bytes grow alike.
SnoopWindow Growing() {
  SnoopWindow window;
  window.rank = 0;
  window.begin_unix_ns = 1'000'000;  // where traces begin
  window.window_ns = 10'000'000'000;
  snoop_file::NeverFreed kept;
  kept.level = "CUDA runtime";
  kept.memory = "device";
  kept.call = "cudaMalloc";
  kept.count = 10;
  kept.bytes = 50'000'000;
  kept.in_all_quarters = true;
  kept.stack = {{.function = "train", .file = "train.py", .line = 33, .language = "python"},
                {.function = "log_loss", .file = "train.py", .line = 19, .language = "python"},
                {.function = "cudaMalloc", .file = "libcudart.so.12", .line = {}, .language = ""}};
  window.never_freed = {kept};
  snoop_file::Timeline level;
  level.level = kept.level;
  level.memory = kept.memory;
  level.part_ns = 2'500'000'000;
  level.highest_bytes = level.last_bytes = {12'500'000, 25'000'000, 37'500'000, 50'000'000};
  window.timelines = {level};
  return window;
}

// What is told of a job of two ranks with this window beside its traces.
std::string TitleWith(const SnoopWindow& window) {
  JobForTest job;
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    Program program;
    for (int step = 0; step < 6; ++step) program.Step(step, [](Program& of) { of.Products(10); });
    job.Add(rank, program.Build(-1));
  }
  auto telemetry = std::make_shared<Telemetry>();
  telemetry->windows().snoop.push_back(window);
  job.With(std::move(telemetry));
  const Table findings = job.Run(FindingsAnalysis());
  const ViewOf<Findings> rows(findings);
  const auto& columns = SchemaOf<Findings>();
  for (std::size_t row = 0; row < rows.row_count(); ++row) {
    if (rows.String(row, columns.id) == "allocations-kept")
      return std::string(rows.String(row, columns.title));
  }
  return "";
}

TEST(AllocationsKept, IsToldWithItsLine) {
  EXPECT_EQ(TitleWith(Growing()),
            "device memory grows by 5 MB a second from log_loss (train.py:19), called by train "
            "(train.py:33), on rank 0: 10 "
            "allocations by cudaMalloc in 10 s, none of them freed");
}

TEST(AllocationsKept, WhatOneQuarterAddedIsNone) {
  SnoopWindow window = Growing();
  window.never_freed[0].in_all_quarters = false;
  EXPECT_EQ(TitleWith(window), "");
}

// Others give back as much: the device does not fill.
TEST(AllocationsKept, TheLevelGrows) {
  SnoopWindow window = Growing();
  window.timelines[0].last_bytes = {48'000'000, 49'000'000, 50'000'000, 50'000'000};
  EXPECT_EQ(TitleWith(window), "");
  window.timelines.clear();
  EXPECT_EQ(TitleWith(window), "");
}

TEST(AllocationsKept, LittleIsNone) {
  SnoopWindow window = Growing();
  window.never_freed[0].bytes = 9'000'000;  // 0.9 MB a second
  EXPECT_EQ(TitleWith(window), "");
}

// The row of the level above tells it.
TEST(AllocationsKept, IsToldOnce) {
  SnoopWindow window = Growing();
  window.never_freed[0].inside_a_level_above = true;
  EXPECT_EQ(TitleWith(window), "");
}

TEST(AllocationsKept, MemoryOfTheHostIsNone) {
  SnoopWindow window = Growing();
  window.never_freed[0].memory = window.timelines[0].memory = "pinned host";
  EXPECT_EQ(TitleWith(window), "");
}

// A job that loads grows as well: no steps were recorded near by.
TEST(AllocationsKept, FarFromTheRecording) {
  SnoopWindow window = Growing();
  window.begin_unix_ns += 61'000'000'000;
  EXPECT_EQ(TitleWith(window), "");
}

TEST(AllocationsKept, AWindowThatIsTooShort) {
  SnoopWindow window = Growing();
  window.window_ns = 1'900'000'000;
  EXPECT_EQ(TitleWith(window), "");
}

// Of a process that says no rank nobody knows where it belongs.
TEST(AllocationsKept, OfAnUnknownRank) {
  SnoopWindow window = Growing();
  window.rank.reset();
  EXPECT_EQ(TitleWith(window), "");
  window.rank = 7;
  EXPECT_EQ(TitleWith(window), "");
}

}  // namespace
}  // namespace rankscope
