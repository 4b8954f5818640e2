// Timeline files, behind right checksums, and timelines of any times: what a forged report brings,
// and what is made of a forged trace. Pieces are read or refused with a sentence; spans come back
// from a block as they went in; joining them loses no event; no sum overflows.
#include <algorithm>
#include <cstring>
#include <vector>

#include "base/gzip.h"
#include "input.h"
#include "timeline/bins.h"
#include "timeline/file_format.h"
#include "timeline/links.h"
#include "timeline/merge_spans.h"
#include "timeline/span_blocks.h"

namespace rankscope::fuzz {
namespace {

constexpr std::size_t kMostTileBytes = std::size_t{64} << 20;

void Index(std::string_view bytes) {
  const auto index = IndexFromBytes(bytes);
  FUZZ_CHECK(index.ok() ? ToBytes(*index) == bytes : !index.status().message().empty());
}

void Tracks(std::string_view bytes) {
  const auto tracks = TracksFromBytes(bytes);
  FUZZ_CHECK(tracks.ok() ? ToBytes(*tracks) == bytes : !tracks.status().message().empty());
}

void Collectives(std::string_view bytes) {
  const auto collectives = CollectivesFromBytes(bytes);
  FUZZ_CHECK(collectives.ok() ? ToBytes(*collectives) == bytes
                              : !collectives.status().message().empty());
  if (!collectives.ok()) return;
  for (const TimelineCollective& one : *collectives) {
    FUZZ_CHECK(one.wait_ns() >= 0);
    (void)one.begin_ns();
    (void)one.end_ns();
  }
}

void Path(std::string_view bytes, std::uint8_t option) {
  const auto pieces = PathFromBytes(bytes);
  FUZZ_CHECK(pieces.ok() ? ToBytes(*pieces) == bytes : !pieces.status().message().empty());
  if (pieces.ok())
    FUZZ_CHECK(MergePath(*pieces, std::int64_t{1} << (option % 62)).size() <= pieces->size());
}

std::vector<TimelineSpan> SpansIn(std::string_view bytes) {
  std::vector<TimelineSpan> spans(std::min<std::size_t>(bytes.size() / sizeof(TimelineSpan), 512));
  if (!spans.empty()) std::memcpy(spans.data(), bytes.data(), spans.size() * sizeof(TimelineSpan));
  for (TimelineSpan& span : spans) {
    span.duration_ns = std::max<std::int64_t>(0, span.duration_ns);
    span.kind %= static_cast<std::uint8_t>(TimelineKinds().size());
    span.count = 1;
  }
  std::ranges::stable_sort(spans, {}, &TimelineSpan::start_ns);
  return spans;
}

void Spans(std::string_view bytes, std::uint8_t option) {
  const std::vector<TimelineSpan> spans = SpansIn(bytes);
  std::vector<TimelineSpan> again;
  FUZZ_CHECK(FromBlock(ToBlock(spans), spans.size(), again).ok());
  FUZZ_CHECK(again == spans);
  const std::vector<TimelineSpan> merged = MergeSpans(spans, std::int64_t{1} << (option % 62));
  std::uint64_t count = 0;
  for (const TimelineSpan& span : merged) count += span.count;
  FUZZ_CHECK(count == spans.size());
  FUZZ_CHECK(std::ranges::is_sorted(merged, {}, &TimelineSpan::start_ns));
  BinSums sums(spans.empty() ? 0 : spans.front().start_ns / 2, option % 50, 1024);
  for (const TimelineSpan& span : spans) AddSpan(sums, span);
  const std::size_t bins = sums.size();
  FUZZ_CHECK(bins <= 1024 && sums.Shares(1).size() == bins);
  sums.Halve();
  FUZZ_CHECK(sums.size() == (bins + 1) / 2);
}

void Packed(std::string_view bytes, std::uint8_t option) {
  std::vector<TimelineSpan> spans;
  (void)FromBlock(bytes, std::size_t{option} * 16, spans);
  FUZZ_CHECK(*UnpackGzip(PackGzip(bytes, GzipEffort::kFast), bytes.size()) == bytes);
  (void)UnpackGzip(bytes, kMostTileBytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Input input = Split(bytes, size);
  switch (input.first % 6) {
    case 0:
      Index(input.data);
      break;
    case 1:
      Tracks(input.data);
      break;
    case 4:
      Collectives(input.data);
      break;
    case 5:
      Path(input.data, input.second);
      break;
    case 2:
      Spans(input.data, input.second);
      break;
    default:
      Packed(input.data, input.second);
      break;
  }
  return 0;
}

}  // namespace rankscope::fuzz
