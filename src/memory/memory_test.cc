#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "memory/analysis.h"
#include "memory/tables.h"
#include "schemas/snapshot.h"

namespace rankscope::memory {
namespace {

using snapshot::Action;
using snapshot::BlockState;
using snapshot::CategoryTimeline;
using snapshot::Event;
using snapshot::Frame;
using snapshot::Snapshot;

// A snapshot of device 0, written event by event at 1 ms each.
class Draft {
 public:
  Draft() { snapshot_.streams = {0, 7}; }

  std::uint32_t Stack(const std::vector<std::pair<std::string, std::string>>& frames) {
    std::vector<std::uint32_t> ids;
    for (const auto& [name, file] : frames)
      ids.push_back(snapshot_.stacks.InternFrame(
          {snapshot_.texts.Intern(name), snapshot_.texts.Intern(file), 10}));
    return snapshot_.stacks.InternStack(ids);
  }
  Draft& On(Action action, std::uint64_t address, std::uint64_t bytes, std::uint32_t stack = 0,
            std::uint32_t stream = 0) {
    Event event;
    event.time_us = 1'000'000 + static_cast<std::int64_t>(events_) * 1000;
    event.address = address;
    event.bytes = bytes;
    event.stack = stack;
    event.stream = stream;
    event.action = action;
    snapshot_.events.Put(events_++, event);
    return *this;
  }
  Draft& Free(std::uint64_t address, std::uint64_t bytes) {
    return On(Action::kFreeRequested, address, bytes).On(Action::kFreeCompleted, address, bytes);
  }
  struct Piece {
    std::uint64_t bytes;
    std::uint64_t requested;  // 0: unused
    BlockState state = BlockState::kAllocated;
    std::uint32_t stack = 0;
  };
  Draft& Segment(std::uint64_t address, const std::vector<Piece>& pieces,
                 std::uint32_t stream = 0) {
    snapshot::Segment segment;
    segment.address = address;
    segment.stream = stream;
    segment.type = snapshot_.texts.Intern("large");
    segment.first_block = static_cast<std::uint32_t>(snapshot_.blocks.size());
    segment.block_count = static_cast<std::uint32_t>(pieces.size());
    for (const Piece& piece : pieces) {
      const bool is_used = piece.requested > 0;
      snapshot_.blocks.push_back({address + segment.bytes, piece.bytes, piece.requested,
                                  piece.stack, is_used ? piece.state : BlockState::kInactive});
      segment.bytes += piece.bytes;
    }
    snapshot_.segments.push_back(segment);
    return *this;
  }
  const Snapshot& Finish() {
    snapshot_.devices = {{0, 0, events_}};
    return snapshot_;
  }
  Snapshot& snapshot() { return snapshot_; }

 private:
  Snapshot snapshot_;
  std::uint64_t events_ = 0;
};

// 1000 bytes at 0 of before, freed as event 0 and 1; 600 at 2048 as event 2; 300 at 4096 as event
// 3, given back as 4 and never completed. 500 at 8192 of before live on.
void DrawSmall(Draft& draft) {
  draft.Free(0, 1000)
      .On(Action::kAlloc, 2048, 600)
      .On(Action::kAlloc, 4096, 300)
      .On(Action::kFreeRequested, 4096, 300)
      .Segment(0, {{2048, 0}, {2048, 600}, {4096, 300, BlockState::kPendingFree}, {2048, 500}});
}

TEST(History, LevelsAreToldBackwardsFromTheEnd) {
  Draft draft;
  DrawSmall(draft);
  const Analysis analysis(draft.Finish());
  const History& history = analysis.histories().at(0);
  EXPECT_EQ(history.before().allocated, 1500);
  EXPECT_EQ(history.before().active, 1500);
  EXPECT_EQ(history.before().reserved, 10240);
  EXPECT_EQ(history.end().allocated, 1100);
  EXPECT_EQ(history.end().active, 1400);
  EXPECT_EQ(history.disagreeing_bytes(), 0);
  // 1500 of before is the most: 500, 1100 and 1400 follow.
  EXPECT_EQ(history.peak().active, 1500);
  EXPECT_EQ(history.peak_event(), kBefore);

  const TableOf<SnapshotTimeline> table(TimelineTable(analysis));
  const auto& columns = SchemaOf<SnapshotTimeline>();
  std::vector<std::int64_t> allocated, active;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    allocated.push_back(table.Int(row, columns.allocated_bytes));
    active.push_back(table.Int(row, columns.active_bytes));
  }
  EXPECT_EQ(allocated, (std::vector<std::int64_t>{1500, 500, 500, 1100, 1400, 1100}));
  EXPECT_EQ(active, (std::vector<std::int64_t>{1500, 1500, 500, 1100, 1400, 1400}));
  EXPECT_TRUE(table.IsNull(0, columns.time_ns));
  EXPECT_EQ(table.Int(3, columns.time_ns), 2'000'000);
}

TEST(History, SegmentsThatComeAndGoChangeWhatWasReserved) {
  Draft draft;
  draft.On(Action::kSegmentAlloc, 1 << 20, 4096)
      .On(Action::kSegmentFree, 1 << 21, 10000)
      .On(Action::kSegmentMap, 1 << 22, 100)
      .Segment(1 << 20, {{4096, 0}})
      .Segment(1 << 22, {{100, 0}});
  const Analysis analysis(draft.Finish());
  EXPECT_EQ(analysis.histories()[0].before().reserved, 10000);
  EXPECT_EQ(analysis.histories()[0].peak_reserved(), 14096);
  EXPECT_EQ(analysis.histories()[0].end().reserved, 4196);
}

TEST(History, AFreeThatWasLostEndsWhereTheAddressIsUsedAgain) {
  Draft draft;
  draft.On(Action::kAlloc, 0, 700).On(Action::kAlloc, 0, 400).Segment(0, {{512, 400}});
  const Analysis analysis(draft.Finish());
  const History& history = analysis.histories()[0];
  EXPECT_EQ(history.peak().active, 700);
  EXPECT_EQ(history.end().active, 400);
  EXPECT_EQ(history.allocations()[0].end, 1);
}

TEST(History, WhatTheSegmentsDoNotHoldIsSaid) {
  Draft draft;
  // 700 bytes that the segment does not have, and 300 that it has as 200.
  draft.On(Action::kAlloc, 0, 700)
      .On(Action::kAlloc, 1024, 300)
      .Segment(0, {{1024, 0}, {512, 200}});
  const Analysis analysis(draft.Finish());
  EXPECT_EQ(analysis.histories()[0].disagreeing_bytes(), 800);
  EXPECT_EQ(TableOf<SnapshotSummary>(SummaryTable(analysis))
                .Int(0, SchemaOf<SnapshotSummary>().disagreeing_bytes),
            800);
}

TEST(History, OlderSnapshotsHaveNoClockAndNoHistoryIsNoPeak) {
  Draft draft;
  draft.Segment(0, {{512, 400}});
  const auto& columns = SchemaOf<SnapshotSummary>();
  const TableOf<SnapshotSummary> table(SummaryTable(Analysis(draft.Finish())));
  EXPECT_TRUE(table.IsNull(0, columns.peak_active_bytes));
  EXPECT_TRUE(table.IsNull(0, columns.duration_ns));
  EXPECT_EQ(table.Int(0, columns.active_bytes), 400);
  EXPECT_EQ(table.Int(0, columns.rounding_bytes), 112);

  Draft without_clock;
  without_clock.On(Action::kAlloc, 0, 400).Segment(0, {{512, 400}});
  Event event = without_clock.snapshot().events[0];
  event.time_us = snapshot::kNoTime;
  without_clock.snapshot().events.Put(0, event);
  const TableOf<SnapshotSummary> clockless(SummaryTable(Analysis(without_clock.Finish())));
  EXPECT_EQ(clockless.Int(0, columns.peak_active_bytes), 400);
  EXPECT_TRUE(clockless.IsNull(0, columns.peak_ns));
  EXPECT_TRUE(clockless.IsNull(0, columns.begin_us));
}

TEST(Stacks, SumsByStackAndCategoryAddUpToThePeak) {
  Draft draft;
  const auto forward = draft.Stack({{"forward", "/home/me/model.py"}, {"main", "/home/me/a.py"}});
  const auto step =
      draft.Stack({{"step", "/x/site-packages/torch/optim/adam.py"}, {"main", "/home/me/a.py"}});
  draft.On(Action::kAlloc, 0, 512, forward)
      .On(Action::kAlloc, 512, 1024, step)
      .Free(0, 512)
      .On(Action::kAlloc, 0, 256, forward)
      .Segment(0, {{512, 256, BlockState::kAllocated, forward},
                   {1024, 1024, BlockState::kAllocated, step},
                   {512, 0}});
  const Analysis analysis(draft.Finish());
  const TableOf<SnapshotStacks> stacks(StacksTable(analysis));
  const auto& columns = SchemaOf<SnapshotStacks>();
  ASSERT_EQ(stacks.row_count(), 2u);
  EXPECT_EQ(stacks.String(0, columns.place), "main (a.py:10)");
  EXPECT_EQ(stacks.String(0, columns.category), "optimizer");
  EXPECT_EQ(stacks.Int(0, columns.peak_bytes), 1024);
  EXPECT_EQ(stacks.String(1, columns.place), "forward (model.py:10)");
  EXPECT_EQ(stacks.String(1, columns.stack), "forward (model.py:10) <- main (a.py:10)");
  EXPECT_EQ(stacks.Int(1, columns.peak_bytes), 512);
  EXPECT_EQ(stacks.Int(1, columns.end_bytes), 256);
  EXPECT_EQ(stacks.Int(1, columns.allocated_bytes), 768);
  EXPECT_EQ(stacks.Int(1, columns.allocations), 2);
  EXPECT_EQ(stacks.Int(1, columns.before_bytes), 0);

  const TableOf<SnapshotPeak> peak(PeakTable(analysis));
  const auto& of_peak = SchemaOf<SnapshotPeak>();
  EXPECT_EQ(peak.Int(0, of_peak.bytes), 1024);
  EXPECT_EQ(peak.Int(0, of_peak.since_ns), 1'000'000);
  EXPECT_TRUE(peak.IsNull(0, of_peak.until_ns));
  EXPECT_TRUE(peak.IsNull(0, of_peak.lifetime_ns));
  // From event 0 to event 3.
  EXPECT_EQ(peak.Int(1, of_peak.lifetime_ns), 3'000'000);
  EXPECT_DOUBLE_EQ(peak.Double(1, of_peak.of_peak_pct), 100.0 / 3);
}

TEST(Places, TheInnermostTellingFrameDecides) {
  Draft draft;
  const std::string nn = "/x/site-packages/torch/nn/modules/module.py";
  struct Case {
    std::vector<std::pair<std::string, std::string>> frames;
    std::string category, place;
  };
  const std::vector<Case> cases = {
      {{}, "unknown", ""},
      {{{"at::empty", "??"}}, "unknown", "at::empty"},
      {{{"at::create_out(c10::ArrayRef<long> (*)(int))", "x.cpp"}}, "unknown", "at::create_out"},
      {{{"linear", "/x/site-packages/torch/nn/functional.py"}, {"_call_impl", nn}},
       "forward",
       "linear (functional.py:10)"},
      {{{"mul", "m.py"}, {"_apply", nn}, {"forward", "m.py"}}, "module", "mul (m.py:10)"},
      {{{"torch::autograd::generated::MmBackward0::apply(x&&)", "F.cpp"},
        {"torch::autograd::Engine::thread_main(y)", "e.cpp"}},
       "backward",
       "MmBackward0"},
      {{{"forward", "m.py"}, {"backward", "/x/torch/utils/checkpoint.py"}, {"main", "m.py"}},
       "recompute",
       "forward (m.py:10)"},
      {{{"forward", "m.py"}, {"checkpoint", "/x/torch/utils/checkpoint.py"}, {"main", "m.py"}},
       "forward",
       "forward (m.py:10)"},
      // A closure that the optimizer calls.
      {{{"forward", "m.py"}, {"step", "/x/torch/optim/lbfgs.py"}}, "forward", "forward (m.py:10)"},
      {{{"all_reduce", "/x/torch/distributed/distributed_c10d.py"}, {"forward", "m.py"}},
       "communication",
       "forward (m.py:10)"},
      {{{"fetch", "/x/torch/utils/data/_utils/fetch.py"}}, "data", "fetch (fetch.py:10)"},
  };
  std::vector<std::uint32_t> stacks;
  for (const Case& one : cases) stacks.push_back(draft.Stack(one.frames));
  const Places places(draft.Finish());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(ToString(places.category(stacks[i])), cases[i].category) << i;
    EXPECT_EQ(places.Place(stacks[i]), cases[i].place) << i;
  }
}

TEST(Categories, AnAnnotationTellsWhereTheStackDoesNot) {
  Draft draft;
  const auto stack = draft.Stack({{"main", "a.py"}});
  const auto forward = draft.Stack({{"forward", "a.py"}});
  // At 1,000, 1,001, ... ms; a step of the optimizer from 1,001 to 1,002.
  draft.On(Action::kAlloc, 0, 1, stack)
      .On(Action::kAlloc, 512, 2, stack)
      .On(Action::kAlloc, 1024, 4, forward)
      .On(Action::kAlloc, 1536, 8, stack)
      .Segment(0, {{512, 1}, {512, 2}, {512, 4}, {512, 8}});
  Snapshot& snapshot = draft.snapshot();
  const StringId name = snapshot.texts.Intern("Optimizer.step#AdamW.step");
  snapshot.annotations = {{1'001'000, 0, name, true},
                          {1'002'000, 0, name, false},
                          {1'002'500, 1, name, true},
                          {1'002'500, 0, snapshot.texts.Intern("epoch"), true}};
  const Analysis analysis(draft.Finish());
  const auto& columns = SchemaOf<SnapshotCategories>();
  const TableOf<SnapshotCategories> table(CategoriesTable(analysis));
  std::map<std::string, std::int64_t> bytes;
  for (std::size_t row = 0; row < table.row_count(); ++row)
    bytes[std::string(table.String(row, columns.category))] = table.Int(row, columns.end_bytes);
  EXPECT_EQ(bytes, (std::map<std::string, std::int64_t>{
                       {"unknown", 9}, {"optimizer", 2}, {"forward", 4}}));
  // The stack is in two rows.
  EXPECT_EQ(StacksTable(analysis).row_count(), 3u);
  EXPECT_EQ(PeakTable(analysis).row_count(), 3u);
}

TEST(Fragmentation, PartsOfAPoolAddUpToWhatIsReserved) {
  Draft draft;
  draft.Segment(0, {{1024, 1000}, {512, 0}, {512, 500, BlockState::kPendingFree}, {2048, 0}})
      .Segment(1 << 20, {{4096, 0}})
      .Segment(1 << 21, {{1024, 1024}}, 1);
  const Analysis analysis(draft.Finish());
  const TableOf<SnapshotFragmentation> table(FragmentationTable(analysis));
  const auto& columns = SchemaOf<SnapshotFragmentation>();
  ASSERT_EQ(table.row_count(), 2u);
  EXPECT_EQ(table.Int(0, columns.reserved_bytes), 8192);
  EXPECT_EQ(table.Int(0, columns.requested_bytes), 1000);
  EXPECT_EQ(table.Int(0, columns.rounding_bytes), 24);
  EXPECT_EQ(table.Int(0, columns.pending_bytes), 512);
  EXPECT_EQ(table.Int(0, columns.split_bytes), 2560);
  EXPECT_EQ(table.Int(0, columns.idle_segment_bytes), 4096);
  EXPECT_EQ(table.Int(0, columns.largest_free_bytes), 4096);
  EXPECT_NEAR(table.Double(0, columns.fragmentation_pct), 100.0 * (1 - 4096.0 / 6656), 1e-9);
  EXPECT_EQ(table.Int(1, columns.stream), 7);
  EXPECT_TRUE(table.IsNull(1, columns.fragmentation_pct));
  const TableOf<SnapshotSegments> segments(SegmentsTable(analysis));
  const auto& of_segments = SchemaOf<SnapshotSegments>();
  EXPECT_EQ(segments.Int(0, of_segments.bytes), 4096);
  EXPECT_EQ(segments.Int(0, of_segments.address), 0);
  EXPECT_EQ(segments.Int(0, of_segments.free_bytes), 2560);
}

// Segment 0 to 10240 with 1024 bytes in use in its middle, so two gaps of 4608.
std::string CauseOf(std::uint64_t requested, std::uint64_t device_free, std::uint32_t stream,
                    std::optional<std::int64_t> device_bytes = {}) {
  Draft draft;
  draft.On(Action::kAlloc, 4608, 1024)
      .On(Action::kOom, device_free, requested, 0, stream)
      // What came later does not count.
      .On(Action::kSegmentAlloc, 1 << 20, 1 << 20)
      .Segment(0, {{4608, 0}, {1024, 1024}, {4608, 0}})
      .Segment(1 << 20, {{1 << 20, 0}});
  const TableOf<SnapshotOom> table(OomTable(Analysis(draft.Finish()), device_bytes));
  const auto& columns = SchemaOf<SnapshotOom>();
  EXPECT_EQ(table.Int(0, columns.cached_bytes), 9216);
  EXPECT_EQ(table.Int(0, columns.largest_gap_bytes), stream == 0 ? 4608 : 0);
  EXPECT_EQ(table.Int(0, columns.reserved_bytes), 10240);
  EXPECT_EQ(table.Int(0, columns.active_bytes), 1024);
  EXPECT_EQ(table.Int(0, columns.holder_bytes), 1024);
  EXPECT_EQ(table.Int(0, columns.missing_bytes),
            std::max<std::int64_t>(0, static_cast<std::int64_t>(requested - device_free) - 9216));
  return std::string(table.String(0, columns.cause));
}

TEST(Oom, TheCauseFollowsFromWhatWasUnusedThen) {
  EXPECT_EQ(CauseOf(9216, 0, 0), "fragmentation");
  EXPECT_EQ(CauseOf(10000, 784, 0), "fragmentation");
  EXPECT_EQ(CauseOf(9216, 0, 1), "streams");
  EXPECT_EQ(CauseOf(20000, 784, 0), "held");
  EXPECT_EQ(CauseOf(20000, 784, 0, 1'000'000), "others");
  EXPECT_EQ(CauseOf(20000, 784, 0, 12'000), "held");
}

TEST(Leaks, WhatIsInBothIsKeptAndTheRestIsNew) {
  Draft first;
  const auto leak_of_first = first.Stack({{"grow", "a.py"}});
  const auto other_of_first = first.Stack({{"hold", "a.py"}});
  first.On(Action::kAlloc, 0, 512, leak_of_first)
      .On(Action::kAlloc, 512, 512, other_of_first)
      .Segment(0, {{512, 512, BlockState::kAllocated, leak_of_first},
                   {512, 512, BlockState::kAllocated, other_of_first}});
  // The same program later: stacks have other numbers; "hold" was freed and its address given to
  // the same stack again.
  Draft second;
  const auto other = second.Stack({{"hold", "a.py"}});
  const auto leak = second.Stack({{"grow", "a.py"}});
  for (int i = 0; i < 4; ++i) second.On(Action::kOther, 0, 0);
  second.Free(512, 512)
      .On(Action::kAlloc, 512, 512, other)
      .On(Action::kAlloc, 1024, 512, leak)
      .Segment(0, {{512, 512, BlockState::kAllocated, leak},
                   {512, 512, BlockState::kAllocated, other},
                   {512, 512, BlockState::kAllocated, leak}});
  const TableOf<SnapshotLeaks> table(
      LeaksTable(Analysis(first.Finish()), Analysis(second.Finish())));
  const auto& columns = SchemaOf<SnapshotLeaks>();
  ASSERT_EQ(table.row_count(), 2u);
  EXPECT_EQ(table.String(0, columns.place), "grow (a.py:10)");
  EXPECT_EQ(table.Int(0, columns.growth_bytes), 512);
  EXPECT_EQ(table.Int(0, columns.kept_bytes), 512);
  EXPECT_EQ(table.Int(0, columns.new_count), 1);
  EXPECT_EQ(table.Int(1, columns.growth_bytes), 0);
  EXPECT_EQ(table.Int(1, columns.kept_bytes), 0);
  EXPECT_EQ(table.Int(1, columns.new_bytes), 512);
}

TEST(Drawing, TheLargestAndTheRestAreAll) {
  Draft draft;
  // 100, 200, ..., 1000 bytes, each held to the end.
  std::vector<Draft::Piece> pieces;
  for (std::uint64_t i = 0; i < 10; ++i) {
    draft.On(Action::kAlloc, i * 1024, (i + 1) * 100);
    pieces.push_back({1024, (i + 1) * 100});
  }
  draft.Segment(0, pieces);
  const Analysis analysis(draft.Finish());
  const TableOf<SnapshotAllocations> drawn(AllocationsTable(analysis, 3));
  ASSERT_EQ(drawn.row_count(), 3u);
  EXPECT_EQ(drawn.Int(0, SchemaOf<SnapshotAllocations>().bytes), 800);
  const TableOf<SnapshotTimeline> rest(RestTable(analysis, 3, 2));
  const auto& columns = SchemaOf<SnapshotTimeline>();
  ASSERT_EQ(rest.row_count(), 2u);
  // 100 to 500 lie in the first half; the most of the second is all but the three.
  EXPECT_EQ(rest.Int(0, columns.active_bytes), 1500);
  EXPECT_EQ(rest.Int(1, columns.active_bytes), 2800);
  EXPECT_EQ(AllocationsTable(analysis).row_count(), 10u);
  EXPECT_EQ(TimelineTable(analysis, 4).row_count(), 5u);
}

TEST(Timeline, LevelsByCategoryAsHtaHasThem) {
  CategoryTimeline timeline;
  // [-1, 1, 100, 0], [50, 2, 30, 4], [50, 3, -30, 4], [50, 3, 30, 5], [70, 2, 8, 4], [90, 4, -30,
  // 5]
  timeline.changes = {{-1, 100, 0, 1}, {50, 30, 4, 2}, {50, -30, 4, 3},
                      {50, 30, 5, 3},  {70, 8, 4, 2},  {90, -30, 5, 4}};
  const TableOf<HtaMemoryTimeline> hta(HtaMemoryTimelineTable(timeline));
  const auto& columns = SchemaOf<HtaMemoryTimeline>();
  ASSERT_EQ(hta.row_count(), 4u);
  EXPECT_EQ(hta.Int(0, columns.time), 0);
  EXPECT_EQ(hta.Int(0, columns.parameter), 100);
  EXPECT_EQ(hta.Int(1, columns.time), 0);
  EXPECT_EQ(hta.Int(1, columns.activation), 0);
  EXPECT_EQ(hta.Int(1, columns.gradient), 30);
  EXPECT_EQ(hta.Int(3, columns.time), 40);
  EXPECT_EQ(hta.Int(3, columns.gradient), 0);
  const TableOf<TimelineCategories> table(TimelineCategoriesTable(timeline));
  const auto& of = SchemaOf<TimelineCategories>();
  EXPECT_EQ(table.String(0, of.category), "parameter");
  EXPECT_EQ(table.Int(0, of.before_bytes), 100);
  EXPECT_EQ(table.String(1, of.category), "gradient");
  EXPECT_EQ(table.Int(1, of.peak_bytes), 30);
  EXPECT_NEAR(table.Double(1, of.of_peak_pct), 100.0 * 30 / 138, 1e-9);
  EXPECT_EQ(TimelineCategoriesTable({}).row_count(), 0u);
}

TEST(MemoryTables, AreFoundByName) {
  for (const MemoryTable& table : MemoryTables())
    EXPECT_EQ(FindMemoryTable(table.entry.name), &table);
  EXPECT_EQ(FindMemoryTable("steps"), nullptr);
}

}  // namespace
}  // namespace rankscope::memory
