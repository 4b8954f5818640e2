#include "app/read_memory.h"

#include <algorithm>
#include <utility>

#include "base/nearest_name.h"
#include "formats/base/head.h"
#include "formats/flight/reader.h"
#include "formats/foreign/foreign.h"
#include "formats/memory_snapshot/reader.h"
#include "formats/memory_timeline/reader.h"
#include "formats/pickle/machine.h"
#include "memory/analysis.h"
#include "memory/tables.h"
#include "schemas/snapshot.h"

namespace rankscope::app {
namespace {

using memory::Analysis;
using memory::Input;
using snapshot::CategoryTimeline;
using snapshot::Snapshot;

// What a page draws as boxes of their own; the rest is one band.
constexpr std::size_t kDrawnAllocations = 4000;
constexpr std::size_t kSlices = 2000;

enum class Kind { kSnapshot, kTimeline };

Result<Kind> KindOf(const std::string& path) {
  // A file that cannot be opened says so itself.
  RS_RETURN_IF_ERROR(OpenByteSource(path).status());
  const std::string head = HeadOf(path);
  if (flight::IsDump(head)) {
    return Error(StatusCode::kBadData,
                 "{}: a dump of PyTorch's Flight Recorder, not of memory: rankscope hang FOLDER",
                 path);
  }
  if (pickle::IsPickle(head)) return Kind::kSnapshot;
  if (memory_timeline::IsTimeline(head)) return Kind::kTimeline;
  if (head.starts_with("SQLite format 3")) {
    const std::string_view known = NameForeignFormat(head, path);
    return Error(StatusCode::kBadData, "{}: {}", path,
                 known.empty() ? "a SQLite database; rankscope memory reads the pickle of "
                                 "torch.cuda.memory._dump_snapshot"
                               : known);
  }
  if (head.find("\"device_traces\"") != std::string::npos)
    return Error(StatusCode::kBadData,
                 "{}: a memory snapshot as JSON; keep the pickle that "
                 "torch.cuda.memory._dump_snapshot writes and name that",
                 path);
  return Error(StatusCode::kBadData,
               "{}: no memory snapshot (a pickle, of torch.cuda.memory._dump_snapshot) and no "
               "memory timeline (FILE.json, FILE.raw.json.gz, of export_memory_timeline)",
               path);
}

Result<Snapshot> Open(const std::string& path, Listener& listener) {
  memory_snapshot::ReadOptions options;
  options.progress = [&](double fraction, std::uint64_t bytes) {
    const auto total =
        fraction > 0 ? static_cast<std::uint64_t>(static_cast<double>(bytes) / fraction) : bytes;
    listener.OnReading({.bytes_done = bytes, .bytes = std::max(total, bytes)});
    return !listener.IsStopped();
  };
  Result<Snapshot> snapshot = memory_snapshot::Read(path, options);
  listener.OnReadingDone();
  return snapshot;
}

struct Inputs {
  Snapshot first;
  std::optional<Snapshot> second;
  CategoryTimeline timeline;
  Kind kind = Kind::kSnapshot;
};

Result<Inputs> OpenAll(const MemorySpec& spec, Listener& listener) {
  Inputs inputs;
  RS_ASSIGN_OR_RETURN(inputs.kind, KindOf(spec.paths[0]));
  if (inputs.kind == Kind::kTimeline) {
    if (spec.paths.size() > 1)
      return Error(StatusCode::kInvalidArgument,
                   "two snapshots are compared; {} is a memory timeline", spec.paths[0]);
    RS_ASSIGN_OR_RETURN(inputs.timeline, memory_timeline::Read(spec.paths[0]));
    return inputs;
  }
  RS_ASSIGN_OR_RETURN(inputs.first, Open(spec.paths[0], listener));
  if (spec.paths.size() > 1) {
    RS_ASSIGN_OR_RETURN(const Kind kind, KindOf(spec.paths[1]));
    if (kind == Kind::kTimeline)
      return Error(StatusCode::kInvalidArgument,
                   "two snapshots are compared; {} is a memory timeline", spec.paths[1]);
    RS_ASSIGN_OR_RETURN(inputs.second, Open(spec.paths[1], listener));
  }
  for (const Snapshot* snapshot : {&inputs.first, inputs.second ? &*inputs.second : nullptr}) {
    if (snapshot == nullptr || !spec.device) continue;
    const bool has_it =
        std::any_of(snapshot->devices.begin(), snapshot->devices.end(),
                    [&](const snapshot::Device& one) { return one.index == *spec.device; });
    if (!has_it)
      return Error(StatusCode::kNotFound, "{}: nothing of device {}", snapshot->path, *spec.device);
  }
  return inputs;
}

Result<Table> Compare(const Analysis& first, const Analysis& second) {
  const std::int64_t last = memory::LastTimeUs(second);
  if (last != snapshot::kNoTime && last < memory::LastTimeUs(first))
    return Error(StatusCode::kInvalidArgument, "{} is older than {}: name the earlier one first",
                 second.snapshot().path, first.snapshot().path);
  return memory::LeaksTable(first, second);
}

}  // namespace

// With two snapshots the later one is described, and what it has more than the first.
Result<MemoryReport> ReadMemory(const MemorySpec& spec, MemoryUse use, Listener& listener) {
  RS_ASSIGN_OR_RETURN(const Inputs inputs, OpenAll(spec, listener));
  MemoryReport report;
  report.path = spec.paths[0];
  if (inputs.kind == Kind::kTimeline) {
    report.is_timeline = true;
    report.tables.push_back(memory::TimelineCategoriesTable(inputs.timeline));
    report.tables.push_back(memory::HtaMemoryTimelineTable(inputs.timeline));
    return report;
  }
  const Snapshot& shown = inputs.second ? *inputs.second : inputs.first;
  if (shown.devices.empty())
    return Error(StatusCode::kNotFound,
                 "{}: an empty snapshot: when it was written no GPU memory was reserved and no "
                 "history recorded",
                 shown.path);
  const Analysis analysis(shown, spec.device);
  report.settings = shown.settings.text;
  report.tables.push_back(memory::SummaryTable(analysis));
  report.tables.push_back(memory::OomTable(analysis, spec.device_bytes));
  if (inputs.second) {
    report.later = spec.paths[1];
    RS_ASSIGN_OR_RETURN(Table leaks, Compare(Analysis(inputs.first, spec.device), analysis));
    report.tables.push_back(std::move(leaks));
  }
  report.tables.push_back(memory::PeakTable(analysis));
  report.tables.push_back(memory::CategoriesTable(analysis));
  report.tables.push_back(memory::StacksTable(analysis));
  report.tables.push_back(memory::FragmentationTable(analysis));
  report.tables.push_back(memory::SegmentsTable(analysis));
  report.tables.push_back(memory::TimelineTable(analysis, kSlices));
  if (use == MemoryUse::kPage) {
    report.tables.push_back(memory::BlocksTable(analysis));
    report.tables.push_back(memory::AllocationsTable(analysis, kDrawnAllocations));
    report.tables.push_back(memory::RestTable(analysis, kDrawnAllocations, kSlices));
  }
  return report;
}

Result<Table> ReadMemoryTable(const MemorySpec& spec, const std::string& name, Listener& listener) {
  const memory::MemoryTable* const table = memory::FindMemoryTable(name);
  if (table == nullptr) {
    std::vector<std::string> names;
    for (const memory::MemoryTable& one : memory::MemoryTables()) names.push_back(one.entry.name);
    const std::string_view nearest = NearestName(name, names);
    return Error(StatusCode::kInvalidArgument,
                 "there is no table '{}' of a memory snapshot; {}rankscope list has all", name,
                 nearest.empty() ? "" : fmt::format("did you mean {}? ", nearest));
  }
  const bool needs_two = table->input == Input::kTwoSnapshots;
  if (needs_two != (spec.paths.size() == 2))
    return Error(StatusCode::kInvalidArgument, "{} is of {}", name,
                 needs_two ? "two snapshots, an earlier and a later one" : "one snapshot");
  RS_ASSIGN_OR_RETURN(const Inputs inputs, OpenAll(spec, listener));
  if ((table->input == Input::kTimeline) != (inputs.kind == Kind::kTimeline))
    return Error(StatusCode::kInvalidArgument, "{} is of a memory {}, and {} is a memory {}", name,
                 table->input == Input::kTimeline ? "timeline" : "snapshot", spec.paths[0],
                 inputs.kind == Kind::kTimeline ? "timeline" : "snapshot");
  if (name == TimelineCategories::kName) return memory::TimelineCategoriesTable(inputs.timeline);
  if (name == HtaMemoryTimeline::kName) return memory::HtaMemoryTimelineTable(inputs.timeline);
  const Analysis analysis(inputs.first, spec.device);
  if (needs_two) return Compare(analysis, Analysis(*inputs.second, spec.device));
  if (name == SnapshotSummary::kName) return memory::SummaryTable(analysis);
  if (name == SnapshotOom::kName) return memory::OomTable(analysis, spec.device_bytes);
  if (name == SnapshotPeak::kName) return memory::PeakTable(analysis);
  if (name == SnapshotCategories::kName) return memory::CategoriesTable(analysis);
  if (name == SnapshotStacks::kName) return memory::StacksTable(analysis);
  if (name == SnapshotFragmentation::kName) return memory::FragmentationTable(analysis);
  if (name == SnapshotSegments::kName) return memory::SegmentsTable(analysis);
  if (name == SnapshotBlocks::kName) return memory::BlocksTable(analysis);
  if (name == SnapshotTimeline::kName) return memory::TimelineTable(analysis);
  return memory::AllocationsTable(analysis);
}

}  // namespace rankscope::app
