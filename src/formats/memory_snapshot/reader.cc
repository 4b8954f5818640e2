#include "formats/memory_snapshot/reader.h"

#include <algorithm>
#include <utility>

#include "formats/memory_snapshot/shaper.h"
#include "formats/pickle/machine.h"

namespace rankscope::memory_snapshot {
namespace {

using pickle::Kind;
using pickle::Machine;
using pickle::Value;
using snapshot::Snapshot;

constexpr std::string_view kRemedy =
    "a memory snapshot is plain data; write it with torch.cuda.memory._dump_snapshot(FILE)";

Value Find(Value dict, std::string_view key, const Machine& machine) {
  if (!dict.is(Kind::kDict)) return {};
  const auto items = machine.Items(dict);
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i].is(Kind::kText) && machine.Text(items[i]) == key)
      return machine.Resolve(items[i + 1]);
  }
  return {};
}

std::span<const Value> ListOf(Value value, const Machine& machine) {
  return value.is(Kind::kList) || value.is(Kind::kTuple) ? machine.Items(value)
                                                         : std::span<const Value>();
}

// What is asked for in text: expandable_segments is there in any form since PyTorch 2.1.
snapshot::Settings SettingsOf(Value dict, const Machine& machine) {
  snapshot::Settings settings;
  const Value text = Find(dict, "PYTORCH_CUDA_ALLOC_CONF", machine);
  if (text.is(Kind::kText)) settings.text = machine.Text(text);
  const Value expandable = Find(dict, "expandable_segments", machine);
  if (expandable.is(Kind::kBool)) settings.expandable_segments = expandable.payload() != 0;
  const auto split = machine.Int(Find(dict, "max_split_size", machine));
  // -1, and a size of all memory, are no limit.
  if (split && *split > 0 && *split < (std::int64_t{1} << 50)) settings.max_split_bytes = split;
  return settings;
}

class Importer {
 public:
  Importer(Snapshot& snapshot, SnapshotShaper& shaper, Machine& machine)
      : snapshot_(snapshot), shaper_(shaper), machine_(machine) {}

  Status Import(Value root) {
    // torch.cuda.memory_snapshot() gives the list of segments alone.
    const bool is_list = root.is(Kind::kList);
    const Value segments = is_list ? root : Find(root, "segments", machine_);
    const Value traces = Find(root, "device_traces", machine_);
    if (!segments.is(Kind::kList) || (is_list && !HoldsSegments(segments)))
      return Error(StatusCode::kBadData,
                   "{}: a pickle, but no memory snapshot: it has no list of segments; write one "
                   "with torch.cuda.memory._dump_snapshot(FILE)",
                   snapshot_.path);
    RS_RETURN_IF_ERROR(AddSegments(segments));
    const auto lists = ListOf(traces, machine_);
    constexpr std::size_t kMostDevices = 1024;
    if (lists.size() > kMostDevices)
      return Error(StatusCode::kBadData, "{}: a snapshot of {} devices", snapshot_.path,
                   lists.size());
    for (std::size_t i = 0; i < lists.size(); ++i)
      RS_RETURN_IF_ERROR(AddHistory(static_cast<std::int64_t>(i), lists[i]));
    AddDevicesOfSegments();
    for (const Value item : ListOf(Find(root, "external_annotations", machine_), machine_)) {
      if (const auto row = RowOf(machine_.Resolve(item), Row::kAnnotation))
        snapshot_.annotations.push_back(shaper_.annotations()[*row]);
    }
    snapshot_.settings = SettingsOf(Find(root, "allocator_settings", machine_), machine_);
    return OkStatus();
  }

 private:
  bool HoldsSegments(Value list) const {
    const auto items = machine_.Items(list);
    return items.empty() || RowOf(machine_.Resolve(items[0]), Row::kSegment).has_value();
  }

  // Each segment once, though a pickle may list one twice.
  Status AddSegments(Value list) {
    std::vector<bool> is_taken(shaper_.segments().size());
    for (const Value item : machine_.Items(list)) {
      const auto row = RowOf(machine_.Resolve(item), Row::kSegment);
      if (!row || is_taken[*row]) continue;
      is_taken[*row] = true;
      SnapshotShaper::SegmentRow& from = shaper_.segments()[*row];
      snapshot::Segment segment = from.segment;
      segment.first_block = static_cast<std::uint32_t>(snapshot_.blocks.size());
      std::uint64_t next = segment.address;
      for (const std::uint64_t index : from.blocks) {
        snapshot::Block block = shaper_.blocks()[index];
        // PyTorch 2.0 has no addresses of blocks: they lie side by side.
        if (block.address == 0) block.address = next;
        next = block.address + block.bytes;
        snapshot_.blocks.push_back(block);
      }
      segment.block_count =
          static_cast<std::uint32_t>(snapshot_.blocks.size()) - segment.first_block;
      std::vector<std::uint64_t>().swap(from.blocks);
      snapshot_.segments.push_back(segment);
      if (snapshot_.blocks.size() > shaper_.block_count())
        return Error(StatusCode::kBadData, "{}: no memory snapshot: a block is in two segments",
                     snapshot_.path);
    }
    return OkStatus();
  }

  // Events lie in the order in which they were read, which is the list's. Where it is not, the
  // list's events are copied behind all others.
  Status AddHistory(std::int64_t device, Value list) {
    const auto items = ListOf(machine_.Resolve(list), machine_);
    snapshot::Device history{device, 0, 0};
    bool is_in_order = true;
    std::vector<std::uint64_t> rows;
    for (const Value item : items) {
      const auto row = RowOf(machine_.Resolve(item), Row::kEvent);
      if (!row) continue;
      if (history.count == 0) history.first = *row;
      if (is_in_order && *row != history.first + history.count) {
        is_in_order = false;
        for (std::uint64_t i = 0; i < history.count; ++i) rows.push_back(history.first + i);
      }
      if (!is_in_order) rows.push_back(*row);
      ++history.count;
    }
    listed_ += history.count;
    if (listed_ > shaper_.event_count())
      return Error(StatusCode::kBadData, "{}: no memory snapshot: an event is listed twice",
                   snapshot_.path);
    if (!is_in_order) {
      std::uint64_t end = shaper_.event_count() + copied_;
      history.first = end;
      copied_ += rows.size();
      for (const std::uint64_t row : rows)
        snapshot_.events.Put(end++, snapshot::Event(snapshot_.events[row]));
    }
    if (history.count > 0) snapshot_.devices.push_back(history);
    return OkStatus();
  }

  void AddDevicesOfSegments() {
    for (const snapshot::Segment& segment : snapshot_.segments) {
      const auto known =
          std::find_if(snapshot_.devices.begin(), snapshot_.devices.end(),
                       [&](const snapshot::Device& one) { return one.index == segment.device; });
      if (known == snapshot_.devices.end()) snapshot_.devices.push_back({segment.device, 0, 0});
    }
    std::sort(snapshot_.devices.begin(), snapshot_.devices.end(),
              [](const auto& a, const auto& b) { return a.index < b.index; });
  }

  Snapshot& snapshot_;
  SnapshotShaper& shaper_;
  Machine& machine_;
  std::uint64_t copied_ = 0;
  std::uint64_t listed_ = 0;
};

}  // namespace

Result<Snapshot> Read(ByteSource& source, const std::string& path, const ReadOptions& options) {
  Snapshot snapshot;
  snapshot.path = path;
  snapshot.file_bytes = source.file_bytes();
  SnapshotShaper shaper(snapshot);
  Machine machine(source, path,
                  {.limits = {.memory_bytes = options.memory_bytes},
                   .remedy = kRemedy,
                   .progress = options.progress},
                  &shaper);
  SnapshotShaper::InternKeys(machine);
  RS_ASSIGN_OR_RETURN(const Value root, machine.Run());
  RS_RETURN_IF_ERROR(Importer(snapshot, shaper, machine).Import(root));
  snapshot.pickle_bytes = machine.position();
  snapshot.reader_bytes = machine.used_bytes();
  snapshot.texts = machine.TakeTexts();
  return snapshot;
}

Result<Snapshot> Read(const std::string& path, const ReadOptions& options) {
  RS_ASSIGN_OR_RETURN(const auto source, OpenByteSource(path));
  return Read(*source, path, options);
}

}  // namespace rankscope::memory_snapshot
