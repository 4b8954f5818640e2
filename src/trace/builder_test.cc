#include "trace/builder.h"

#include <gtest/gtest.h>

#include <string>

#include "trace/trace_for_test.h"

namespace rankscope {
namespace {

using Sources = std::vector<std::uint32_t>;

Sources AllSources(const RankTrace& trace) { return {trace.source.begin(), trace.source.end()}; }

const QualityEntry* Find(const RankTrace& trace, QualityCode code) {
  for (const QualityEntry& entry : trace.meta.quality) {
    if (entry.code == code) return &entry;
  }
  return nullptr;
}

TEST(Builder, SortsRowsByTrackTimeLengthAndPlace) {
  TestTrace test;
  test.Kernel(5, 5, 0, 2);
  test.Op("b", 10, 5, 3);
  test.Op("a", 10, 50, 3);
  test.Op("c", 10, 5, 3);
  test.Op("early", 1, 1, 3);
  test.Op("negative thread", 99, 1, -7);
  test.Kernel(1, 1, 0, 0);
  test.Op("unknown length", 10, kNoDuration, 3);
  const RankTrace trace = test.Finish();
  EXPECT_EQ(AllSources(trace), (Sources{5, 4, 2, 1, 3, 7, 6, 0}));
  ASSERT_EQ(trace.tracks.size(), 4U);
  const std::int64_t seconds[] = {-7, 3, 0, 2};
  Row next = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(trace.tracks[i].second, seconds[i]);
    EXPECT_EQ(trace.tracks[i].domain, i < 2 ? Domain::kHost : Domain::kDevice);
    EXPECT_EQ(trace.tracks[i].begin, next);
    next = trace.tracks[i].end;
    for (Row row = trace.tracks[i].begin; row < next; ++row) EXPECT_EQ(trace.track[row], i);
  }
  EXPECT_EQ(next, trace.row_count());
}

// Every column follows its row through the sort.
TEST(Builder, ColumnsStayTogether) {
  TestTrace test;
  for (int i = 0; i < 100; ++i) {
    RawRow& row = test.Op("op" + std::to_string(i), (i * 37 % 100) * 10, i, i % 3);
    row.correlation = i * 11;
    row.external_id = i * 13;
    row.category = test.scope.strings.Intern("cat" + std::to_string(i % 5));
    row.aux = static_cast<std::uint32_t>(i);
    test.batch.ops.push_back({.sequence_number = i * 17});
  }
  const RankTrace trace = test.Finish();
  ASSERT_EQ(trace.row_count(), 100U);
  for (Row row = 0; row < 100; ++row) {
    const auto i = static_cast<std::int64_t>(trace.source[row]);
    EXPECT_EQ(trace.name_of(row), "op" + std::to_string(i));
    EXPECT_EQ(trace.ts_ns[row], (i * 37 % 100) * 10);
    EXPECT_EQ(trace.dur_ns[row], i);
    EXPECT_EQ(trace.track_of(row).second, i % 3);
    EXPECT_EQ(trace.correlation[row], i * 11);
    EXPECT_EQ(trace.external_id[row], i * 13);
    EXPECT_EQ(trace.strings.Get(trace.categories[trace.category[row]]),
              "cat" + std::to_string(i % 5));
    EXPECT_EQ(trace.ops[trace.aux[row]].sequence_number, i * 17);
  }
}

// Two threads with their own ids for the same strings and tracks, in turns.
TEST(Builder, UnitesTheIdsOfThreads) {
  TestTrace first;
  first.Op("shared", 10, 1, 5);
  first.Op("only first", 30, 1, 6);
  TestTrace second;
  second.Op("only second", 20, 1, 6);
  second.Op("shared", 40, 1, 5);
  TraceBuilder builder;
  builder.Append(first.batch, first.scope, 0);
  builder.Append(second.batch, second.scope, 1);
  first.batch.Clear();
  first.Op("later", 50, 1, 5);
  first.Op("shared", 60, 1, 7);
  builder.Append(first.batch, first.scope, 0);
  const RankTrace trace = std::move(builder).Finish({}, {});
  ASSERT_EQ(trace.row_count(), 6U);
  std::string listing;
  for (Row row = 0; row < 6; ++row) {
    listing += std::to_string(trace.track_of(row).second) + ":" + std::string(trace.name_of(row)) +
               "#" + std::to_string(trace.source[row]) + " ";
  }
  EXPECT_EQ(listing, "5:shared#0 5:shared#3 5:later#4 6:only second#2 6:only first#1 7:shared#5 ");
  EXPECT_EQ(trace.tracks.size(), 3U);
  EXPECT_EQ(trace.name[RowOf(trace, 0)], trace.name[RowOf(trace, 3)]);
}

TEST(Builder, IdsOfRowsFollowTheirSource) {
  TraceBuilder builder;
  for (int i = 0; i < 3; ++i) {
    TestTrace test;
    test.Op("before", i * 10, 5);
    test.Op("op", i * 10, 5);
    test.batch.row_ids.push_back({.stream = i, .source = 1});
    builder.Append(test.batch, test.scope, static_cast<std::size_t>(i));
  }
  const RankTrace trace = std::move(builder).Finish({}, {});
  ASSERT_EQ(trace.row_ids.size(), 3U);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(trace.row_ids[i].source, 2 * i + 1);
    EXPECT_EQ(trace.row_ids[i].stream, i);
  }
}

TEST(Builder, SideTablesOfLaterBatchesMove) {
  TraceBuilder builder;
  for (int i = 0; i < 3; ++i) {
    TestTrace test;
    test.Kernel(i * 10, 5, 0).aux = 0;
    test.batch.kernels.push_back({.registers_per_thread = i, .collective = 0});
    test.batch.collectives.push_back(
        {.in_elements = i * 100, .name = test.scope.strings.Intern("c" + std::to_string(i))});
    test.Op("op", i * 10, 5).aux = 0;
    test.batch.ops.push_back(
        {.input_dims = test.scope.strings.Intern("[[" + std::to_string(i) + "]]"),
         .collective = 1});
    test.batch.collectives.push_back({.in_elements = i * 1000});
    RawRow& copy = test.Add(EventKind::kMemcpy, test.Track(Domain::kDevice, 9), "copy", i * 10, 5);
    copy.aux = 0;
    test.batch.copies.push_back({.bytes = i});
    builder.Append(test.batch, test.scope, static_cast<std::size_t>(i));
  }
  const RankTrace trace = std::move(builder).Finish({}, {});
  for (int i = 0; i < 3; ++i) {
    const auto source = static_cast<std::uint32_t>(i * 3);
    const KernelArgs& kernel = trace.kernels[trace.aux[RowOf(trace, source)]];
    EXPECT_EQ(kernel.registers_per_thread, i);
    const CollectiveArgs& collective = trace.collectives[kernel.collective];
    EXPECT_EQ(collective.in_elements, i * 100);
    EXPECT_EQ(trace.strings.Get(collective.name), "c" + std::to_string(i));
    EXPECT_EQ(collective.row, RowOf(trace, source));
    const OpArgs& op = trace.ops[trace.aux[RowOf(trace, source + 1)]];
    EXPECT_EQ(trace.strings.Get(op.input_dims), "[[" + std::to_string(i) + "]]");
    EXPECT_EQ(trace.collectives[op.collective].in_elements, i * 1000);
    EXPECT_EQ(trace.copies[trace.aux[RowOf(trace, source + 2)]].bytes, i);
  }
}

TEST(Builder, BeginsAndEndsMatchAsBrackets) {
  TestTrace test;
  const auto add = [&](EventPhase phase, std::int64_t ts, std::int64_t tid) {
    test.Op("b", ts, kNoDuration, tid).phase = phase;
  };
  add(EventPhase::kBegin, 0, 1);
  add(EventPhase::kBegin, 10, 1);
  add(EventPhase::kBegin, 15, 2);
  add(EventPhase::kEnd, 20, 1);  // of 1
  test.Op("complete", 5, 2, 1);
  add(EventPhase::kEnd, 50, 2);  // of 2
  add(EventPhase::kEnd, 90, 1);  // of 0
  const RankTrace trace = test.Finish();
  ASSERT_EQ(AllSources(trace), (Sources{0, 4, 1, 2}));
  EXPECT_EQ(trace.dur_ns[0], 90);
  EXPECT_EQ(trace.dur_ns[1], 2);
  EXPECT_EQ(trace.dur_ns[2], 10);
  EXPECT_EQ(trace.dur_ns[3], 35);
  EXPECT_EQ(Find(trace, QualityCode::kUnmatchedBegin), nullptr);
  EXPECT_EQ(trace.parent[2], 0U);
  EXPECT_EQ(trace.meta.event_count, 7U);
}

TEST(Builder, UnmatchedBeginsAndEnds) {
  TestTrace test;
  test.Op("end alone", 5, kNoDuration, 1).phase = EventPhase::kEnd;
  test.Op("never ends", 10, kNoDuration, 1).phase = EventPhase::kBegin;
  test.Op("backwards", 50, kNoDuration, 2).phase = EventPhase::kBegin;
  test.Op("backwards", 40, kNoDuration, 2).phase = EventPhase::kEnd;
  const RankTrace trace = test.Finish();
  ASSERT_EQ(AllSources(trace), (Sources{1, 2}));
  EXPECT_EQ(trace.dur_ns[0], kNoDuration);
  EXPECT_EQ(trace.dur_ns[1], kNoDuration) << "an end before its begin tells nothing";
  const QualityEntry* entry = Find(trace, QualityCode::kUnmatchedBegin);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->count, 4);
}

TEST(Builder, NamesOfThreadsAndProcesses) {
  TestTrace test;
  test.Op("a", 0, 1, 5);
  test.Op("b", 0, 1, 6);
  test.Kernel(0, 1, 0, 7);
  const auto id = [&](std::string_view text) { return test.scope.strings.Intern(text); };
  test.batch.names = {{1, 0, id("python"), true},
                      {1, 6, id("thread 6"), false},
                      {0, 7, id("stream 7"), false},
                      {9, 6, id("of another process"), false}};
  const RankTrace trace = test.Finish();
  const auto text = [&](StringId string) { return trace.strings.Get(string); };
  ASSERT_EQ(trace.tracks.size(), 3U);
  EXPECT_EQ(text(trace.tracks[0].name), "");
  EXPECT_EQ(text(trace.tracks[0].process), "python");
  EXPECT_EQ(text(trace.tracks[1].name), "thread 6");
  EXPECT_EQ(text(trace.tracks[1].process), "python");
  EXPECT_EQ(text(trace.tracks[2].name), "stream 7");
  EXPECT_EQ(text(trace.tracks[2].process), "");
}

TEST(Builder, MoreThan255CategoriesShareTheLast) {
  TestTrace test;
  for (int i = 0; i < 300; ++i)
    test.Op("op", i, 1).category = test.scope.strings.Intern("c" + std::to_string(i));
  const RankTrace trace = test.Finish();
  EXPECT_EQ(trace.categories.size(), 255U);
  const auto category = [&](Row row) {
    return trace.strings.Get(trace.categories[trace.category[row]]);
  };
  EXPECT_EQ(category(100), "c100");
  EXPECT_EQ(category(254), "c254");
  EXPECT_EQ(category(255), "c254");
  EXPECT_EQ(category(299), "c254");
  EXPECT_NE(Find(trace, QualityCode::kTooLarge), nullptr);
}

TEST(Builder, CountsAndQualityAreSums) {
  TraceBuilder builder;
  QualityLog of_file;
  of_file.Add(QualityCode::kTruncated, 900, "cut");
  for (int i = 0; i < 2; ++i) {
    TestTrace test;
    test.Op("a", i, 1);
    test.batch.event_count += 6;
    test.batch.flow_count = 1;
    test.batch.metadata_count = 2;
    test.batch.bad_event_count = 3;
    test.batch.quality.Add(QualityCode::kBadEvent, 100 - i, "bad", 3);
    builder.Append(test.batch, test.scope, 0);
  }
  TraceMeta meta;
  meta.path = "file";
  meta.base_ns = 77;
  const RankTrace trace = std::move(builder).Finish(meta, of_file);
  EXPECT_EQ(trace.meta.path, "file");
  EXPECT_EQ(trace.meta.base_ns, 77);
  EXPECT_EQ(trace.meta.event_count, 14U);
  EXPECT_EQ(trace.meta.flow_count, 2U);
  EXPECT_EQ(trace.meta.metadata_count, 4U);
  EXPECT_EQ(trace.meta.bad_event_count, 6U);
  EXPECT_EQ(AllSources(trace), (Sources{0, 7}));
  ASSERT_EQ(trace.meta.quality.size(), 2U);
  EXPECT_EQ(trace.meta.quality[0].byte, 99);
  EXPECT_EQ(trace.meta.quality[0].count, 6);
  EXPECT_EQ(trace.meta.quality[1].code, QualityCode::kTruncated);
}

TEST(Builder, Empty) {
  const RankTrace trace = TestTrace().Finish();
  EXPECT_EQ(trace.row_count(), 0U);
  EXPECT_EQ(trace.tracks.size(), 0U);
  EXPECT_TRUE(trace.meta.quality.empty());
}

}  // namespace
}  // namespace rankscope
