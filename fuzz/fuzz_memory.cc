// Memory snapshots, memory timelines and plain pickles: any bytes are what their reader makes of
// them, with sums that agree, or a sentence.
#include <string>
#include <vector>

#include "base/status.h"
#include "formats/memory_snapshot/reader.h"
#include "formats/memory_timeline/reader.h"
#include "formats/pickle/document.h"
#include "input.h"
#include "memory/analysis.h"
#include "schemas/snapshot.h"

namespace rankscope::fuzz {
namespace {

constexpr const char* kPath = "fuzzed";

void CheckError(const Status& status) {
  FUZZ_CHECK(status.code() == StatusCode::kBadData || status.code() == StatusCode::kResource);
  FUZZ_CHECK(status.message().starts_with(std::string(kPath) + ": "));
  FUZZ_CHECK(status.message().find('\n') == std::string::npos);
}

// Visits a document as its users do, at most so many values.
void Walk(const pickle::Document& document, pickle::Value value, int& left) {
  if (--left < 0) return;
  static_cast<void>(document.Int(value));
  static_cast<void>(document.Real(value));
  static_cast<void>(document.Text(value));
  static_cast<void>(document.Find(value, "a"));
  for (const pickle::Value item : document.Items(value)) Walk(document, item, left);
}

void ReadDocument(std::string_view data) {
  const auto source = OpenByteSource(data);
  pickle::ReadOptions options;
  options.limits.memory_bytes = std::uint64_t{64} << 20;
  const auto document = pickle::Read(*source, kPath, options);
  if (!document.ok()) return CheckError(document.status());
  int left = 10'000;
  Walk(**document, (*document)->root(), left);
}

template <typename S>
std::int64_t Sum(const Table& table, ColumnHandle<S, std::int64_t> column) {
  const ViewOf<S> rows = table;
  std::int64_t sum = 0;
  for (std::size_t row = 0; row < rows.row_count(); ++row)
    sum += rows.Known(row, column).value_or(0);
  return sum;
}

// What the level says at the peak and at the end is what the allocations add up to, and reserved
// memory is its parts.
void CheckSums(const memory::Analysis& analysis) {
  std::int64_t peak = 0;
  std::int64_t end = 0;
  for (const memory::History& history : analysis.histories()) {
    peak += history.peak().active;
    end += history.end().active;
    memory::Levels levels = history.before();
    for (std::int64_t i = 0; i < history.event_count(); ++i) {
      history.Apply(i, levels);
      FUZZ_CHECK(levels.allocated >= 0 && levels.allocated <= levels.active);
    }
  }
  const auto& stacks = SchemaOf<SnapshotStacks>();
  const auto& categories = SchemaOf<SnapshotCategories>();
  const Table by_stack = memory::StacksTable(analysis);
  const Table by_category = memory::CategoriesTable(analysis);
  FUZZ_CHECK(Sum(by_stack, stacks.peak_bytes) == peak);
  FUZZ_CHECK(Sum(by_stack, stacks.end_bytes) == end);
  FUZZ_CHECK(Sum(by_category, categories.peak_bytes) == peak);
  FUZZ_CHECK(Sum(memory::PeakTable(analysis), SchemaOf<SnapshotPeak>().bytes) == peak);
  const auto& pools = SchemaOf<SnapshotFragmentation>();
  const Table parts = memory::FragmentationTable(analysis);
  FUZZ_CHECK(Sum(parts, pools.reserved_bytes) ==
             Sum(parts, pools.requested_bytes) + Sum(parts, pools.rounding_bytes) +
                 Sum(parts, pools.pending_bytes) + Sum(parts, pools.split_bytes) +
                 Sum(parts, pools.idle_segment_bytes));
  memory::SummaryTable(analysis);
  memory::TimelineTable(analysis, 16);
  memory::SegmentsTable(analysis);
  memory::BlocksTable(analysis);
  memory::OomTable(analysis);
  memory::AllocationsTable(analysis, 8);
  memory::RestTable(analysis, 8, 16);
  memory::LeaksTable(analysis, analysis);
}

void ReadSnapshot(std::string_view data) {
  const auto source = OpenByteSource(data);
  const auto snapshot = memory_snapshot::Read(
      *source, kPath, {.memory_bytes = std::uint64_t{64} << 20, .progress = {}});
  if (!snapshot.ok()) return CheckError(snapshot.status());
  CheckSums(memory::Analysis(*snapshot));
}

void ReadTimeline(std::string_view data) {
  static_cast<void>(memory_timeline::IsTimeline(data));
  const auto source = OpenByteSource(data);
  const auto timeline = memory_timeline::Read(*source, kPath);
  if (!timeline.ok()) return CheckError(timeline.status());
  memory::TimelineCategoriesTable(*timeline);
  memory::HtaMemoryTimelineTable(*timeline);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Input input = Split(bytes, size);
  switch (input.first % 3) {
    case 0:
      ReadSnapshot(input.data);
      break;
    case 1:
      ReadDocument(input.data);
      break;
    default:
      ReadTimeline(input.data);
  }
  return 0;
}

}  // namespace rankscope::fuzz
