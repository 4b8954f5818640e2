// Timelines that are small enough to be checked by hand, and one large enough for levels.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/file.h"
#include "base/gzip.h"
#include "timeline/bins.h"
#include "timeline/build.h"
#include "timeline/call_tree.h"
#include "timeline/merge_spans.h"
#include "timeline/reader.h"
#include "timeline/span_blocks.h"
#include "timeline/writer.h"
#include "trace/literal_trace_for_test.h"

namespace rankscope {
namespace {

TimelineSpan Part(TimelinePart part, std::int64_t start, std::int64_t duration) {
  return {.start_ns = start,
          .duration_ns = duration,
          .event = kNoTimelineEvent,
          .kind = KindOfPart(part)};
}

TimelineSpan Event(std::int64_t start, std::int64_t duration, std::uint32_t event,
                   std::uint32_t name = 0, std::uint8_t lane = 0) {
  return {.start_ns = start, .duration_ns = duration, .name = name, .event = event, .lane = lane};
}

TimelineArrival Arrival(std::int64_t rank, std::int64_t start, std::int64_t end, std::int64_t wait,
                        bool is_last, std::uint32_t event) {
  return {.rank = rank,
          .start_ns = start,
          .duration_ns = end - start,
          .wait_ns = wait,
          .event = event,
          .is_last = is_last};
}

std::string FileName(std::string_view name) {
  return (std::filesystem::path(testing::TempDir()) / name).string();
}

TEST(Bins, SumsAreExactAndSharesSayWhatIsThere) {
  BinSums sums(-16, 4, 100);                     // bins of 16 ns: [-16, 0), [0, 16), ...
  sums.AddPart(TimelinePart::kCompute, -8, 24);  // half of bin 0, all of bin 1
  sums.AddPart(TimelinePart::kWait, 16, 1);      // a sixteenth of bin 2
  sums.AddPart(TimelinePart::kIdleUnknown, 17, 15);
  sums.AddPart(TimelinePart::kCopy, -1000, 10);  // before the first
  sums.AddFlags(kLateFlag, 33);
  const std::vector<TimelineBin> bins = sums.Shares(1);
  ASSERT_EQ(bins.size(), 4u);
  EXPECT_EQ(bins[0], (TimelineBin{.compute = 128}));
  EXPECT_EQ(bins[1], (TimelineBin{.compute = 255}));
  EXPECT_EQ(bins[2], (TimelineBin{.wait = 16, .rest = 2 << 4}));
  EXPECT_EQ(bins[3], (TimelineBin{.rest = kLateFlag}));
  // Of two devices, of which one did nothing that was recorded.
  EXPECT_EQ(sums.Shares(2)[1], (TimelineBin{.compute = 128}));
  sums.Halve();
  const std::vector<TimelineBin> halves = sums.Shares(1);
  ASSERT_EQ(halves.size(), 2u);
  EXPECT_EQ(halves[0], (TimelineBin{.compute = 191}));
  EXPECT_EQ(halves[1], (TimelineBin{.wait = 8, .rest = 2 << 4 | kLateFlag}));
}

TEST(Bins, NothingThatIsThereIsZeroAndNothingElseIsWhole) {
  BinSums sums(0, 20, 1);
  sums.AddPart(TimelinePart::kTransfer, 5, 1);
  sums.AddPart(TimelinePart::kCompute, 10, (1 << 20) - 11);
  const TimelineBin bin = sums.Shares(1).front();
  EXPECT_EQ(bin.transfer, 1);
  EXPECT_EQ(bin.compute, 254);
}

TEST(MergeSpans, JoinsShortNeighboursOfALane) {
  std::vector<TimelineSpan> spans = {Event(0, 10, 1, 7), Event(10, 20, 2, 8), Event(12, 5, 3, 9, 1),
                                     Event(40, 200, 4, 7), Event(300, 10, 5, 7)};
  spans[0].flags = kSyncFlag;
  const std::vector<TimelineSpan> merged = MergeSpans(spans, 100);
  ASSERT_EQ(merged.size(), 4u);
  EXPECT_EQ(merged[0].count, 2u);
  EXPECT_EQ(merged[0].duration_ns, 30);
  EXPECT_EQ(merged[0].name, 8u);  // of the longest
  EXPECT_EQ(merged[0].flags, kSyncFlag);
  EXPECT_EQ(merged[0].share, 255);
  EXPECT_EQ(merged[1], spans[2]);
  EXPECT_EQ(merged[2], spans[3]);
  EXPECT_EQ(merged[3], spans[4]);
  EXPECT_EQ(MergeSpans(spans, 1), spans);
}

TEST(MergeSpans, SaysHowMuchIsCovered) {
  const std::vector<TimelineSpan> spans = {Event(0, 10, 1), Event(90, 10, 2)};
  const std::vector<TimelineSpan> merged = MergeSpans(spans, 100);
  ASSERT_EQ(merged.size(), 1u);
  EXPECT_EQ(merged[0].share, 51);  // 20 of 100 ns
}

// A rank whose device computes, communicates and idles; 16,000 events of a host's thread.
RankTimeline RankForTest(std::int64_t rank, std::uint32_t seed) {
  RankTimeline made{.rank = rank, .names = {"gemm", "ncclKernel", "op <b>", ""}};
  made.tracks.push_back({.name = "device 0", .role = TimelineRole::kParts, .lanes = 1});
  made.tracks.push_back({.name = "marks", .role = TimelineRole::kMarks, .lanes = 1});
  made.tracks.push_back(
      {.name = "stream 7", .role = TimelineRole::kStream, .second = 7, .lanes = 1});
  made.tracks.push_back({.name = "thread 1", .role = TimelineRole::kThread, .lanes = 2});
  std::mt19937 random(seed);
  std::int64_t at = 1000 * rank;
  for (std::uint32_t i = 0; i < 8000; ++i) {
    const auto length = static_cast<std::int64_t>(100 + random() % 2000);
    const auto part = static_cast<TimelinePart>(random() % kTimelinePartCount);
    made.tracks[0].spans.push_back(Part(part, at, length));
    if (part == TimelinePart::kCompute || part == TimelinePart::kTransfer) {
      TimelineSpan kernel = Event(at, length, i, part == TimelinePart::kCompute ? 0 : 1);
      if (random() % 50 == 0) {
        kernel.flags = kLateFlag;
        made.tracks[1].spans.push_back({.start_ns = at, .event = i, .flags = kLateFlag});
      }
      made.tracks[2].spans.push_back(kernel);
    }
    made.tracks[3].spans.push_back(Event(at, length - 10, 10'000 + i, 2));
    made.tracks[3].spans.push_back(Event(at + 10, length / 2, 20'000 + i, 2, 1));
    at += length;
  }
  made.begin_ns = 1000 * rank;
  made.end_ns = at;
  return made;
}

std::vector<RankTimeline> WriteForTest(const std::string& path, std::int64_t ranks) {
  std::vector<RankTimeline> made;
  std::int64_t end = 0;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    made.push_back(RankForTest(rank * 2, static_cast<std::uint32_t>(rank)));
    end = std::max(end, made.back().end_ns);
  }
  const auto created =
      TimelineWriter::Create(path, {.origin_ns = 5, .begin_ns = -100, .end_ns = end + 100});
  TimelineWriter* writer = created->get();
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    EXPECT_TRUE(writer->Add(made[static_cast<std::size_t>(rank)]).ok());
  }
  EXPECT_TRUE(writer->AddCollectives({{"all_reduce", {Arrival(0, 10, 20, 3, true, 1)}}}).ok());
  EXPECT_TRUE(writer->AddPath(std::vector<TimelinePathPiece>{{.duration_ns = 5}}).ok());
  EXPECT_TRUE(writer->Commit().ok());
  return made;
}

std::string Plain(TimelineTile tile) {
  return tile.is_gzip ? *UnpackGzip(tile.bytes, std::size_t{1} << 24) : std::move(tile.bytes);
}

TEST(TimelineFile, TilesAreTheSameStoredOrMadeOfTheParts) {
  const std::string path = FileName("tiles.timeline");
  WriteForTest(path, 3);
  const auto opened = TimelineFile::Open(path);
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const TimelineFile* file = opened->get();
  const FileIndex& index = file->index();
  EXPECT_EQ(index.Ranks(), (std::vector<std::int64_t>{0, 2, 4}));
  const std::vector<std::int64_t> ranks = {0, 1, 2, 3, 4};
  for (int shift = index.base_shift; shift <= index.last_shift; ++shift) {
    const std::int64_t length = std::int64_t{kTileBins} << shift;
    for (std::int64_t column = 0; column < 20; ++column) {
      const std::int64_t from = index.begin_ns + column * length;
      if (from > file->index().captures.back().end_ns) break;
      const TimelineTile stored = *file->Tile({from, from + length}, kTileBins, ranks);
      EXPECT_TRUE(stored.is_gzip) << shift << " " << column;
      const std::string bytes = Plain(stored);
      // The same bins, one after the other, each made of the parts of time.
      for (const std::int64_t rank : {std::int64_t{0}, std::int64_t{2}, std::int64_t{4}}) {
        const TimelineTile made =
            *file->Tile({from, from + length}, kTileBins, std::vector<std::int64_t>{rank});
        EXPECT_FALSE(made.is_gzip);
        const std::size_t bins = kTileBins * sizeof(TimelineBin);
        EXPECT_EQ(made.bytes.substr(32),
                  bytes.substr(24 + 3 * 8 + static_cast<std::size_t>(rank) / 2 * bins, bins))
            << shift << " " << column << " " << rank;
      }
    }
  }
}

TEST(TimelineFile, AnyWindowStartsAtAWholeBin) {
  const std::string path = FileName("window.timeline");
  WriteForTest(path, 1);
  const auto opened = TimelineFile::Open(path);
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const TimelineFile* file = opened->get();
  const TimelineTile tile = *file->Tile({1000, 1000 + 999}, 10, std::vector<std::int64_t>{0});
  std::uint32_t head[3];
  double begin = 0;
  std::memcpy(head, tile.bytes.data() + 4, sizeof(head));
  std::memcpy(&begin, tile.bytes.data() + 16, sizeof(begin));
  EXPECT_EQ(head[0], 1u);
  EXPECT_EQ(head[1], 10u);
  EXPECT_EQ(head[2], 7u);  // 10 bins of 128 ns
  EXPECT_EQ(begin, -100 + 128 * 8);
  EXPECT_FALSE(file->Tile({5, 5}, 10, std::vector<std::int64_t>{0}).ok());
  EXPECT_FALSE(file->Tile({0, 5}, 0, std::vector<std::int64_t>{0}).ok());
  EXPECT_FALSE(file->Tile({0, 5}, 5000, std::vector<std::int64_t>{0}).ok());
  EXPECT_TRUE(file->Tile({INT64_MIN, INT64_MAX}, 2, std::vector<std::int64_t>{0}).status().code() ==
              StatusCode::kInvalidArgument);
}

TEST(TimelineFile, SumsAreThoseOfTheEventsClippedToTheWindow) {
  const std::string path = FileName("sums.timeline");
  const std::vector<RankTimeline> ranks = WriteForTest(path, 2);
  const auto opened = TimelineFile::Open(path);
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const TimelineFile* file = opened->get();
  const TimelineWindow window{123'456, 2'345'678};
  std::int64_t compute = 0;
  std::int64_t gemm = 0;
  std::int64_t count = 0;
  const auto clipped = [&](const TimelineSpan& span) {
    return std::max<std::int64_t>(0, std::min(window.to_ns, span.start_ns + span.duration_ns) -
                                         std::max(window.from_ns, span.start_ns));
  };
  for (const RankTimeline& rank : ranks) {
    for (const TimelineSpan& span : rank.tracks[0].spans)
      compute += span.kind == KindOfPart(TimelinePart::kCompute) ? clipped(span) : 0;
    for (const TimelineSpan& span : rank.tracks[2].spans) {
      if (span.name != 0 || clipped(span) == 0) continue;
      gemm += clipped(span);
      ++count;
    }
  }
  const TimelineSums sums = *file->Sums(window, std::vector<std::int64_t>{0, 2, 99});
  EXPECT_EQ(sums.part_ns[0], compute);
  std::int64_t whole = 0;
  for (const std::int64_t part : sums.part_ns) whole += part;
  EXPECT_EQ(whole, 2 * (window.to_ns - window.from_ns));
  const auto found = std::ranges::find(sums.names, "gemm", &TimelineSum::name);
  ASSERT_NE(found, sums.names.end());
  EXPECT_EQ(found->total_ns, gemm);
  EXPECT_EQ(found->count, count);
}

// A holds B and C, which overlap by 5; B holds D; E stands alone and is cut by the window at 105.
TEST(CallTree, SelfTimeIsWithoutWhatLiesInside) {
  std::vector<TimelineSpan> spans = {{.start_ns = 100, .duration_ns = 10, .name = 4},
                                     {.start_ns = 0, .duration_ns = 100, .name = 0},
                                     {.start_ns = 10, .duration_ns = 40, .name = 1},
                                     {.start_ns = 45, .duration_ns = 20, .name = 2},
                                     {.start_ns = 20, .duration_ns = 5, .name = 3}};
  const std::vector<NestedSpan> nested = Nest(spans, {0, 105});
  ASSERT_EQ(nested.size(), 5u);
  std::vector<std::int64_t> self;
  for (const NestedSpan& one : nested) self.push_back(one.self_ns);
  EXPECT_EQ(self, (std::vector<std::int64_t>{45, 35, 5, 20, 5}));  // A B D C E
  EXPECT_EQ(nested[1].parent, 0u);
  EXPECT_EQ(nested[2].parent, 1u);
  EXPECT_EQ(nested[3].parent, 0u);
  EXPECT_EQ(nested[4].parent, NestedSpan::kNoParent);

  CallTree tree;
  tree.Add(spans, nested);
  tree.Add(spans, nested);
  EXPECT_EQ(tree.size(), 5u);
  const std::vector<CallTree::Node> all = tree.Heaviest(10);
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[0].total_ns, 200);
  EXPECT_EQ(all[0].count, 2);
  EXPECT_EQ(all[1].name, 1u);
  EXPECT_EQ(all[1].parent, 0);
  // Of two nodes' worth, the others of A are one rest and so is E; D counts with B, which holds it.
  const std::vector<CallTree::Node> some = tree.Heaviest(2);
  ASSERT_EQ(some.size(), 5u);
  EXPECT_EQ(some[2].parent, -1);
  EXPECT_EQ(some[2].total_ns, 10);
  EXPECT_EQ(some[3].parent, 0);
  EXPECT_EQ(some[3].total_ns, 40);
  EXPECT_EQ(some[4].parent, 1);
  EXPECT_EQ(some[4].total_ns, 10);
  EXPECT_TRUE(some[4].is_rest);
}

TEST(TimelineFile, FindsEventsByName) {
  const std::string path = FileName("search.timeline");
  const std::vector<RankTimeline> ranks = WriteForTest(path, 2);
  const auto opened = TimelineFile::Open(path);
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const TimelineFile* file = opened->get();
  const std::vector<std::int64_t> all = {0, 2};
  const auto part = [](std::string_view text) { return *NameFilter::Make(NameMatch::kPart, text); };
  const TimelineHits some = *file->Search(part("NCCL"), 500'000, all, 3, 1 << 30);
  ASSERT_EQ(some.hits.size(), 3u);
  EXPECT_FALSE(some.is_complete);
  EXPECT_EQ(some.hits[0].name, "ncclKernel");
  EXPECT_GE(some.hits[0].span.start_ns, 500'000);
  std::size_t kernels = 0;
  for (const RankTimeline& rank : ranks)
    kernels +=
        static_cast<std::size_t>(std::ranges::count(rank.tracks[2].spans, 1u, &TimelineSpan::name));
  const TimelineHits every = *file->Search(part("nccl"), INT64_MIN, all, 1 << 20, 1 << 30);
  EXPECT_EQ(every.hits.size(), kernels);
  EXPECT_TRUE(every.is_complete);
  EXPECT_TRUE(file->Search(part("absent"), INT64_MIN, all, 10, 1 << 30)->hits.empty());
  EXPECT_FALSE(file->Search(part("nccl"), INT64_MIN, all, 1 << 20, 10)->is_complete);
  // What they come to by rank, however many there are.
  const TimelineOccurrences sums =
      *file->Occurrences(*NameFilter::Make(NameMatch::kWhole, "ncclKernel"), all, 1 << 30);
  ASSERT_EQ(sums.ranks.size(), ranks.size());
  EXPECT_TRUE(sums.is_complete);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    TimelineOccurrencesOfRank expected{.rank = all[i], .min_ns = INT64_MAX};
    std::int64_t longest_ns = -1;
    for (const TimelineSpan& span : ranks[i].tracks[2].spans) {
      if (span.name != 1) continue;
      ++expected.count;
      expected.total_ns += span.duration_ns;
      expected.min_ns = std::min(expected.min_ns, span.duration_ns);
      longest_ns = std::max(longest_ns, span.duration_ns);
    }
    EXPECT_EQ(sums.ranks[i].rank, expected.rank);
    EXPECT_EQ(sums.ranks[i].count, expected.count);
    EXPECT_EQ(sums.ranks[i].total_ns, expected.total_ns);
    EXPECT_EQ(sums.ranks[i].min_ns, expected.min_ns);
    EXPECT_EQ(sums.ranks[i].longest.span.duration_ns, longest_ns);
  }
  EXPECT_FALSE(file->Occurrences(part("nccl"), all, 10)->is_complete);
  // By their indices.
  const TimelineHit& longest = sums.ranks[1].longest;
  const TimelineHits one = *file->Events(2, 0, {longest.span.event, -1});
  ASSERT_FALSE(one.hits.empty());
  for (const TimelineHit& hit : one.hits) EXPECT_EQ(hit.span.event, longest.span.event);
  EXPECT_TRUE(std::ranges::any_of(one.hits, [&](const TimelineHit& hit) {
    return hit.name == longest.name && hit.span.start_ns == longest.span.start_ns;
  }));
  EXPECT_TRUE(file->Events(2, 7, {longest.span.event})->hits.empty());
}

// What ToColumns sends, of a test's size.
struct Sent {
  std::string json;
  std::vector<double> start;
  std::vector<double> duration;
  std::vector<std::uint32_t> count;
};

Sent Read(const std::string& bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  Sent sent{.json = bytes.substr(8, length)};
  const std::size_t spans = (bytes.size() - 8 - length) / 34;
  EXPECT_EQ(bytes.size(), 8 + length + 34 * spans);
  sent.start.resize(spans);
  sent.duration.resize(spans);
  sent.count.resize(spans);
  const char* at = bytes.data() + 8 + length;
  std::memcpy(sent.start.data(), at, 8 * spans);
  std::memcpy(sent.duration.data(), at + 8 * spans, 8 * spans);
  std::memcpy(sent.count.data(), at + 24 * spans, 4 * spans);
  return sent;
}

TEST(TimelineFile, SpansLoseNoEventAtAnyZoom) {
  const std::string path = FileName("spans.timeline");
  const std::vector<RankTimeline> ranks = WriteForTest(path, 1);
  const auto opened = TimelineFile::Open(path);
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const TimelineFile* file = opened->get();
  const RankTimeline& rank = ranks.front();
  const std::size_t events = rank.tracks[2].spans.size() + rank.tracks[3].spans.size();
  for (const std::size_t width : {1u, 50u, 1000u, 4096u}) {
    const Sent sent = Read(*file->Spans(0, {-100, rank.end_ns + 100}, width));
    std::uint64_t count = 0;
    for (const std::uint32_t one : sent.count) count += one;
    EXPECT_EQ(count, events) << width;
    EXPECT_LE(sent.start.size(), 2 * 3 * (width + 1)) << width;
    EXPECT_NE(sent.json.find("\"thread 1\""), std::string::npos);
    EXPECT_NE(sent.json.find("op <b>"), std::string::npos);
  }
  // Close enough everything is itself.
  const Sent close = Read(*file->Spans(0, {500'000, 501'000}, 1000));
  for (const std::uint32_t one : close.count) EXPECT_EQ(one, 1u);
  EXPECT_FALSE(file->Spans(1, {0, 10}, 100).ok());
}

TEST(TimelineFile, ManyRanksAreInBlocks) {
  const std::string path = FileName("blocks.timeline");
  const auto created = TimelineWriter::Create(path, {.begin_ns = 0, .end_ns = 1 << 20});
  TimelineWriter* writer = created->get();
  for (std::int64_t rank = 0; rank < 300; ++rank) {
    RankTimeline one{.rank = rank, .end_ns = 1 << 20};
    one.tracks.push_back({.name = "device", .role = TimelineRole::kParts, .lanes = 1});
    one.tracks.back().spans.push_back(Part(TimelinePart::kCompute, 0, (rank + 1) * 1000));
    ASSERT_TRUE(writer->Add(one).ok());
    const bool is_last = rank % 128 == 127;
    ASSERT_TRUE(!is_last || writer->EndBlock().ok());
  }
  ASSERT_TRUE(writer->Commit().ok());
  const auto opened = TimelineFile::Open(path);
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const TimelineFile* file = opened->get();
  const int shift = file->index().last_shift;
  std::vector<std::int64_t> second;
  for (std::int64_t rank = 128; rank < 256; ++rank) second.push_back(rank);
  const std::int64_t length = std::int64_t{kTileBins} << shift;
  const TimelineTile tile = *file->Tile({0, length}, kTileBins, second);
  EXPECT_TRUE(tile.is_gzip);
  const std::string bytes = Plain(tile);
  double rank = 0;
  std::memcpy(&rank, bytes.data() + 24 + 8 * 5, 8);
  EXPECT_EQ(rank, 133);
  // Other sets than the block's are made.
  second.pop_back();
  EXPECT_FALSE(file->Tile({0, length}, kTileBins, second)->is_gzip);
}

std::string WriteLinksForTest(std::string_view name, std::size_t more) {
  const std::string path = FileName(name);
  const auto created = TimelineWriter::Create(path, {.begin_ns = 0, .end_ns = 1 << 20});
  TimelineWriter* writer = created->get();
  std::vector<TimelineCollective> collectives;
  collectives.push_back({"all_reduce of dp",
                         {Arrival(0, 500, 900, 200, false, 7), Arrival(1, 700, 900, 0, true, 8)}});
  collectives.push_back(
      {"all_gather of tp", {Arrival(0, 100, 160, 50, false, 3), Arrival(1, 150, 160, 0, true, 3)}});
  for (std::size_t i = 0; i < more; ++i) {
    const auto start = static_cast<std::int64_t>(1000 + 10 * i);
    collectives.push_back(
        {"barrier",
         {Arrival(0, start, start + 5, 1, false, 100),
          Arrival(1, start, start + 5, TimelineArrival::kUnknownWait, false, 100)}});
  }
  EXPECT_TRUE(writer->AddCollectives(std::move(collectives)).ok());
  std::vector<TimelinePathPiece> pieces = {
      {.start_ns = 0, .duration_ns = 100, .rank = 1, .part = "compute", .name = "gemm", .event = 4},
      {.start_ns = 100, .duration_ns = 3, .rank = 1, .part = "kernel gap"},
      {.start_ns = 103, .duration_ns = 4, .rank = 0, .part = "launch", .name = "cudaLaunchKernel"},
      {.start_ns = 107, .duration_ns = 2, .rank = 0, .part = "kernel gap"},
      {.start_ns = 109, .duration_ns = 50, .rank = 0, .part = "communication"}};
  for (std::size_t i = 0; i < more; ++i) {
    pieces.push_back({.start_ns = pieces.back().start_ns + pieces.back().duration_ns,
                      .duration_ns = 2 + static_cast<std::int64_t>(i % 5),
                      .rank = static_cast<std::int64_t>(i % 2),
                      .part = "compute"});
  }
  EXPECT_TRUE(writer->AddPath(pieces).ok());
  EXPECT_TRUE(writer->Commit().ok());
  return path;
}

TEST(TimelineLinks, CollectivesWithTheLongestWaitingByBegin) {
  const auto opened = TimelineFile::Open(WriteLinksForTest("links.timeline", 20'000));
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const TimelineFile& file = **opened;
  const TimelineCollectives two = *file.Collectives({0, 1 << 20}, 2, 1 << 20);
  EXPECT_FALSE(two.is_complete);
  ASSERT_EQ(two.collectives.size(), 2u);
  EXPECT_EQ(two.collectives[0].name, "all_gather of tp");
  EXPECT_EQ(two.collectives[1].wait_ns(), 200);
  EXPECT_TRUE(two.collectives[1].arrivals[1].is_last);
  // [160, 500) has none of the two; the end of a window is not in it.
  EXPECT_TRUE(file.Collectives({160, 500}, 9, 1 << 20)->collectives.empty());
  EXPECT_EQ(file.Collectives({159, 501}, 9, 1 << 20)->collectives.size(), 2u);
  EXPECT_EQ((*file.CollectiveOf(1, 8, {0, 1000}))->name, "all_reduce of dp");
  EXPECT_EQ(*file.CollectiveOf(0, 8, {0, 1000}), std::nullopt);
  EXPECT_EQ(*file.CollectiveOf(1, 8, {0, 700}), std::nullopt);
  // Not all are looked at.
  EXPECT_FALSE(file.Collectives({0, 1 << 20}, 100'000, 10'000)->is_complete);
  // 20,000 of two members are more than an answer takes.
  const TimelineCollectives many = *file.Collectives({0, 1 << 20}, 100'000, 1 << 20);
  EXPECT_FALSE(many.is_complete);
  EXPECT_EQ(many.collectives.size(), TimelineFile::kMostArrivals / 2);
}

TEST(TimelineLinks, PiecesOfThePathJoinUpToTheResolution) {
  const auto opened = TimelineFile::Open(WriteLinksForTest("path.timeline", 0));
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const TimelinePath all = *(*opened)->Path({0, 159}, 159);
  ASSERT_EQ(all.pieces.size(), 5u);
  EXPECT_EQ(all.pieces[0].name, "gemm");
  EXPECT_EQ(all.pieces[0].event, 4);
  // Of ten nanoseconds: the three short ones are one, of which the launch is the longest.
  const TimelinePath joined = *(*opened)->Path({0, 160}, 16);
  ASSERT_EQ(joined.pieces.size(), 3u);
  EXPECT_EQ(joined.pieces[1].count, 3u);
  EXPECT_EQ(joined.pieces[1].part, "launch");
  EXPECT_EQ(joined.pieces[1].rank, 0);
  EXPECT_EQ(joined.pieces[1].duration_ns, 9);
  EXPECT_EQ((*opened)->Path({109, 110}, 1)->pieces.size(), 1u);
  EXPECT_FALSE((*opened)->Path({5, 5}, 1).ok());
}

TEST(TimelineLinks, ALongPathFollowsItselfAtAnyZoom) {
  const auto opened = TimelineFile::Open(WriteLinksForTest("long.timeline", 50'000));
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  for (const std::size_t width : {1u, 100u, 10'000u, 1'000'000u}) {
    const TimelinePath path = *(*opened)->Path({0, 1 << 20}, width);
    EXPECT_LE(path.pieces.size(), TimelineFile::kMostPathPieces);
    std::uint64_t count = 0;
    std::int64_t end = 0;
    for (const TimelinePathPiece& piece : path.pieces) {
      EXPECT_EQ(piece.start_ns, end);
      end = piece.start_ns + piece.duration_ns;
      count += piece.count;
    }
    EXPECT_EQ(count, 50'005u);
  }
}

TEST(TimelineFile, DamageIsASentence) {
  const std::string path = FileName("damaged.timeline");
  WriteForTest(path, 1);
  const std::string whole = *ReadFile(path);
  std::mt19937 random(1);
  const auto use = [&](const std::string& bytes) {
    ASSERT_TRUE(WriteFileAtomically(path, bytes).ok());
    const auto file = TimelineFile::Open(path);
    if (!file.ok()) {
      EXPECT_NE(file.status().message().find("timeline"), std::string::npos);
      return;
    }
    const std::vector<std::int64_t> ranks = {0};
    (void)(*file)->Tile({0, 1 << 20}, 100, ranks);
    (void)(*file)->Sums({0, 1 << 24}, ranks);
    (void)(*file)->Spans(0, {0, 1 << 24}, 1000);
    const NameFilter filter = *NameFilter::Make(NameMatch::kPart, "e");
    (void)(*file)->Search(filter, 0, ranks, 10, 1 << 20);
    (void)(*file)->Occurrences(filter, ranks, 1 << 20);
    (void)(*file)->Collectives({0, 1 << 24}, 10, 1 << 20);
    (void)(*file)->Path({0, 1 << 24}, 10);
  };
  for (int i = 0; i < 60; ++i) {
    std::string bytes = whole;
    bytes[random() % bytes.size()] ^= static_cast<char>(1 + random() % 255);
    use(bytes);
    use(whole.substr(0, random() % whole.size()));
  }
  for (std::size_t end = 1; end <= kTailBytes; ++end) use(whole.substr(0, whole.size() - end));
  use("");
}

// Compute [1000, 2000), then a collective of [2000, 3000) whose last member comes at 2600, and a
// second one beside computing.
TEST(BuildRankTimeline, DividesTheTimeOfADevice) {
  TraceForTest trace;
  trace.Launch(1, 0, 100).Kernel(7, "gemm", 1000, 1000, 1);
  trace.Launch(2, 200, 100);
  trace.Comm(20, 2000, 1000, {.name = "allreduce", .in = 4, .out = 4});
  trace.Host(1, EventKind::kRuntime, "cudaDeviceSynchronize", 400, 2700);
  const RankTrace made = trace.Build();
  std::uint32_t collective = 0;
  for (Row row = 0; row < made.row_count(); ++row) {
    if (IsDeviceWork(made.kind[row]) && made.ts_ns[row] == 2000) collective = made.source[row];
  }
  const std::vector<TimelineMember> members = {
      {.event = collective, .start_ns = 2500, .wait_ns = 600, .is_last = false}};
  const TimelineClock clock = ClockOf(made, members, 0, 0);
  EXPECT_EQ(clock.At(made.meta.base_ns + 2000), 2500);
  const RankTimeline timeline = BuildRankTimeline(TraceFacts(made), 3, 0, clock, members);
  EXPECT_EQ(timeline.rank, 3);
  ASSERT_EQ(timeline.tracks[0].role, TimelineRole::kParts);
  std::map<TimelinePart, std::int64_t> parts;
  for (const TimelineSpan& span : timeline.tracks[0].spans) {
    parts[static_cast<TimelinePart>(span.kind - KindOfPart(TimelinePart::kCompute))] +=
        span.duration_ns;
  }
  EXPECT_EQ(parts[TimelinePart::kCompute], 1000);
  EXPECT_EQ(parts[TimelinePart::kWait], 600);
  EXPECT_EQ(parts[TimelinePart::kTransfer], 400);
  for (std::size_t i = 1; i < timeline.tracks[0].spans.size(); ++i) {
    const TimelineSpan& before = timeline.tracks[0].spans[i - 1];
    EXPECT_EQ(before.start_ns + before.duration_ns, timeline.tracks[0].spans[i].start_ns);
  }
  ASSERT_EQ(timeline.tracks[1].role, TimelineRole::kMarks);
  ASSERT_EQ(timeline.tracks[1].spans.size(), 1u);
  EXPECT_EQ(timeline.tracks[1].spans[0].flags, kSyncFlag);
  for (const TimelineTrack& track : timeline.tracks) {
    for (const TimelineSpan& span : track.spans) {
      if (track.role != TimelineRole::kStream || span.event != collective) continue;
      EXPECT_EQ(span.start_ns, 2500);
      EXPECT_EQ(span.share, 102);  // 400 of 1000 ns
    }
  }
}

std::int64_t PartOfTrack(const TimelineTrack& track, TimelinePart part) {
  std::int64_t sum = 0;
  for (const TimelineSpan& span : track.spans) {
    if (span.kind == KindOfPart(part)) sum += span.duration_ns;
  }
  return sum;
}

// Three receives: one met its send after 70 of 100, of one nothing is known, and one of which the
// send is known runs beside the second for its last 10, which is transfer.
TEST(BuildRankTimeline, WhatIsNotKnownIsNoTransfer) {
  TraceForTest trace;
  trace.Comm(20, 0, 100, {.name = "recv", .peer = 1}).Comm(20, 200, 100, {.name = "recv"});
  trace.Comm(21, 270, 30, {.name = "recv", .peer = 1});
  const RankTrace made = trace.Build();
  std::vector<TimelineMember> members;
  for (Row row = 0; row < made.row_count(); ++row) {
    if (made.ts_ns[row] == 0) members.push_back({.event = made.source[row], .wait_ns = 70});
    if (made.ts_ns[row] == 270) members.push_back({.event = made.source[row], .wait_ns = 20});
  }
  std::ranges::sort(members, {}, &TimelineMember::event);
  const RankTimeline timeline = BuildRankTimeline(TraceFacts(made), 0, 0, {}, members);
  const TimelineTrack& parts = timeline.tracks[0];
  ASSERT_EQ(parts.role, TimelineRole::kParts);
  EXPECT_EQ(PartOfTrack(parts, TimelinePart::kTransfer), 30 + 10);
  EXPECT_EQ(PartOfTrack(parts, TimelinePart::kWait), 70 + 20);
  EXPECT_EQ(PartOfTrack(parts, TimelinePart::kCommunicationUnknown), 70);
}

// A collective of which other ranks were not recorded: behind the last one that was, it may wait.
TEST(BuildRankTimeline, BehindTheLastRecordedMemberNothingIsKnown) {
  TraceForTest trace;
  trace.Comm(20, 0, 100, {.name = "allreduce", .size = 3});
  const RankTrace made = trace.Build();
  std::vector<TimelineMember> members;
  for (Row row = 0; row < made.row_count(); ++row) {
    if (IsDeviceWork(made.kind[row]))
      members.push_back({.event = made.source[row], .wait_ns = 70, .knows_rest = false});
  }
  ASSERT_EQ(members.size(), 1u);
  const RankTimeline timeline = BuildRankTimeline(TraceFacts(made), 0, 0, {}, members);
  const TimelineTrack& parts = timeline.tracks[0];
  ASSERT_EQ(parts.role, TimelineRole::kParts);
  EXPECT_EQ(PartOfTrack(parts, TimelinePart::kTransfer), 0);
  EXPECT_EQ(PartOfTrack(parts, TimelinePart::kWait), 70);
  EXPECT_EQ(PartOfTrack(parts, TimelinePart::kCommunicationUnknown), 30);
}

TEST(BuildRankTimeline, OverlappingEventsGetLanesOfTheirOwn) {
  TraceForTest trace;
  trace.Host(1, EventKind::kCpuOp, "outer", 0, 100).Host(1, EventKind::kCpuOp, "inner", 10, 20);
  trace.Host(1, EventKind::kCpuOp, "second", 40, 20);
  trace.Kernel(7, "a", 0, 100).Kernel(7, "b", 50, 100).Kernel(7, "c", 120, 10);
  const RankTrace made = trace.Build();
  const RankTimeline timeline = BuildRankTimeline(TraceFacts(made), 0, 0, {}, {});
  std::map<std::string, int> lanes;
  for (const TimelineTrack& track : timeline.tracks) {
    if (IsForBins(track.role)) continue;
    for (const TimelineSpan& span : track.spans) lanes[timeline.names[span.name]] = span.lane;
  }
  const std::map<std::string, int> expected = {{"outer", 0}, {"inner", 1}, {"second", 1},
                                               {"a", 0},     {"b", 1},     {"c", 0}};
  EXPECT_EQ(lanes, expected);
}

TEST(TimelineClock, FollowsADrift) {
  TraceForTest trace;
  trace.Comm(20, 0, 10, {.name = "allreduce"}).Comm(20, 1'000'000'000, 10, {.name = "allreduce"});
  const RankTrace made = trace.Build();
  const TimelineClock clock =
      ClockOf(made,
              std::vector<TimelineMember>{{.event = 0, .start_ns = 50},
                                          {.event = 1, .start_ns = 1'000'010'050}},
              0, 0);
  EXPECT_EQ(clock.At(made.meta.base_ns + 500'000'000), 500'005'050);
  const TimelineClock alone = ClockOf(made, {}, 70, 30);
  EXPECT_EQ(alone.At(150), 50);
}

}  // namespace
}  // namespace rankscope
