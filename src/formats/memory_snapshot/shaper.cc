#include "formats/memory_snapshot/shaper.h"

#include <algorithm>
#include <string_view>

namespace rankscope::memory_snapshot {

using pickle::Kind;
using pickle::Machine;
using pickle::Value;
using snapshot::Action;
using snapshot::BlockState;

namespace {

// The keys of all dicts, numbered as InternKeys interns them.
enum Key : StringId {
  kAction = 1,
  kAddr,
  kSize,
  kStream,
  kTime,
  kMetadata,
  kFrames,
  kDeviceFree,  // of events
  kName,
  kFilename,
  kLine,  // of frames
  kAddress,
  kRequestedSize,
  kState,  // of blocks
  kDevice,
  kTotalSize,
  kSegmentType,
  kPool,
  kIsExpandable,
  kBlocks,  // of segments
  kStage,   // of annotations
  kKeyEnd,
};
constexpr std::string_view kKeys[] = {"",
                                      "action",
                                      "addr",
                                      "size",
                                      "stream",
                                      "time_us",
                                      "user_metadata",
                                      "frames",
                                      "device_free",
                                      "name",
                                      "filename",
                                      "line",
                                      "address",
                                      "requested_size",
                                      "state",
                                      "device",
                                      "total_size",
                                      "segment_type",
                                      "segment_pool_id",
                                      "is_expandable",
                                      "blocks",
                                      "stage"};
static_assert(std::size(kKeys) == kKeyEnd);

Action ActionOf(std::string_view name) {
  constexpr std::pair<std::string_view, Action> kActions[] = {
      {"alloc", Action::kAlloc},
      {"free_requested", Action::kFreeRequested},
      {"free_completed", Action::kFreeCompleted},
      {"segment_alloc", Action::kSegmentAlloc},
      {"segment_free", Action::kSegmentFree},
      {"segment_map", Action::kSegmentMap},
      {"segment_unmap", Action::kSegmentUnmap},
      {"oom", Action::kOom},
  };
  const auto* const found = std::find_if(std::begin(kActions), std::end(kActions),
                                         [&](const auto& one) { return one.first == name; });
  return found == std::end(kActions) ? Action::kOther : found->second;
}

// active_awaiting_free is what PyTorch 2.0 said for active_pending_free.
BlockState StateOf(std::string_view name) {
  if (name == "active_allocated") return BlockState::kAllocated;
  if (name == "active_pending_free" || name == "active_awaiting_free")
    return BlockState::kPendingFree;
  return BlockState::kInactive;
}

}  // namespace

// The values of known keys.
struct SnapshotShaper::Fields {
  std::array<Value, kKeyEnd> values{};
  std::uint32_t known = 0;  // a bit per key

  bool Has(Key key) const { return (known >> key & 1) != 0; }
  std::int64_t Int(Key key, const Machine& machine, std::int64_t otherwise = 0) const {
    return Has(key) ? machine.Int(values[key]).value_or(otherwise) : otherwise;
  }
  std::uint64_t Address(Key key, const Machine& machine) const {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(Int(key, machine), 0));
  }
  std::uint64_t Bytes(Key key, const Machine& machine) const {
    return static_cast<std::uint64_t>(std::clamp<std::int64_t>(Int(key, machine), 0, kMost));
  }
  StringId Text(Key key) const {
    return Has(key) && values[key].is(Kind::kText) ? Machine::TextId(values[key]) : kEmptyString;
  }
  // More than any device has; a damaged size must not spoil every sum.
  static constexpr std::int64_t kMost = std::int64_t{1} << 44;
};
static_assert(kKeyEnd <= 32);

std::optional<std::uint64_t> RowOf(Value value, Row row) {
  if (!value.is(Kind::kRecord) || RowRef::Of(value).row != row) return std::nullopt;
  return RowRef::Of(value).index;
}

void SnapshotShaper::InternKeys(Machine& machine) {
  for (const std::string_view key : kKeys) machine.InternText(key);
}

Result<std::optional<std::uint64_t>> SnapshotShaper::Shape(std::span<const Value> items,
                                                           Machine& machine) {
  Fields fields;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (!items[i].is(Kind::kText)) continue;
    const StringId key = Machine::TextId(items[i]);
    if (key == 0 || key >= kKeyEnd) continue;
    fields.values[key] = items[i + 1];
    fields.known |= 1u << key;
  }
  if (fields.known == 0) return std::optional<std::uint64_t>();
  if (fields.Has(kAction)) return std::optional(AddEvent(fields, machine));
  if (fields.Has(kFilename) && fields.Has(kName)) return std::optional(AddFrame(fields, machine));
  if (fields.Has(kBlocks) && fields.Has(kTotalSize))
    return std::optional(AddSegment(fields, machine));
  if (fields.Has(kState) && fields.Has(kSize)) return std::optional(AddBlock(fields, machine));
  if (fields.Has(kStage) && fields.Has(kName)) return std::optional(AddAnnotation(fields, machine));
  return std::optional<std::uint64_t>();
}

std::uint64_t SnapshotShaper::AddFrame(const Fields& fields, Machine& machine) {
  const std::size_t known = snapshot_.stacks.frame_count();
  const std::uint32_t frame = snapshot_.stacks.InternFrame(
      {fields.Text(kName), fields.Text(kFilename), fields.Int(kLine, machine)});
  if (snapshot_.stacks.frame_count() != known) machine.Count(2 * sizeof(snapshot::Frame) + 8);
  return RowRef{Row::kFrame, frame}.record();
}

// The list becomes the number of its stack, so that events that share it find that.
std::uint32_t SnapshotShaper::StackOf(Value frames, Machine& machine) {
  frames = machine.Resolve(frames);
  if (const auto stack = RowOf(frames, Row::kStack)) return static_cast<std::uint32_t>(*stack);
  if (!frames.is(Kind::kList)) return 0;
  const auto items = machine.Items(frames);
  if (items.empty()) return 0;
  frames_.clear();
  for (const Value item : items) {
    if (const auto frame = RowOf(machine.Resolve(item), Row::kFrame))
      frames_.push_back(static_cast<std::uint32_t>(*frame));
  }
  const std::size_t known = snapshot_.stacks.size();
  const std::uint32_t stack = snapshot_.stacks.InternStack(frames_);
  if (snapshot_.stacks.size() != known) machine.Count(frames_.size() * sizeof(frames_[0]) + 32);
  machine.Replace(frames, RowRef{Row::kStack, stack}.record());
  return stack;
}

std::uint32_t SnapshotShaper::StreamOf(std::int64_t stream) {
  auto& streams = snapshot_.streams;
  const auto found = std::find(streams.begin(), streams.end(), stream);
  if (found != streams.end()) return static_cast<std::uint32_t>(found - streams.begin());
  // More streams than any program has are one.
  constexpr std::size_t kMostStreams = 1000;
  if (streams.size() == kMostStreams) return kMostStreams - 1;
  streams.push_back(stream);
  return static_cast<std::uint32_t>(streams.size() - 1);
}

std::uint64_t SnapshotShaper::AddEvent(const Fields& fields, Machine& machine) {
  snapshot::Event event;
  event.action = ActionOf(machine.Text(Value(Kind::kText, fields.Text(kAction))));
  event.address = event.action == Action::kOom ? fields.Bytes(kDeviceFree, machine)
                                               : fields.Address(kAddr, machine);
  event.bytes = fields.Bytes(kSize, machine);
  event.time_us = fields.Int(kTime, machine, snapshot::kNoTime);
  event.stack = StackOf(fields.values[kFrames], machine);
  event.stream = StreamOf(fields.Int(kStream, machine));
  event.metadata = fields.Text(kMetadata);
  if (snapshot_.events.NeedsChunk(event_count_))
    machine.Count(Chunks<snapshot::Event>::kChunkBytes);
  snapshot_.events.Put(event_count_, event);
  return RowRef{Row::kEvent, event_count_++}.record();
}

std::uint64_t SnapshotShaper::AddBlock(const Fields& fields, Machine& machine) {
  snapshot::Block block;
  block.address = fields.Address(kAddress, machine);
  block.bytes = fields.Bytes(kSize, machine);
  block.state = StateOf(machine.Text(Value(Kind::kText, fields.Text(kState))));
  // Inactive blocks repeat what their last user requested.
  if (block.state != BlockState::kInactive)
    block.requested_bytes =
        fields.Has(kRequestedSize) ? fields.Bytes(kRequestedSize, machine) : block.bytes;
  block.stack = StackOf(fields.values[kFrames], machine);
  if (blocks_.NeedsChunk(block_count_)) machine.Count(2 * Chunks<snapshot::Block>::kChunkBytes);
  blocks_.Put(block_count_, block);
  return RowRef{Row::kBlock, block_count_++}.record();
}

std::uint64_t SnapshotShaper::AddSegment(const Fields& fields, Machine& machine) {
  SegmentRow row;
  snapshot::Segment& segment = row.segment;
  segment.address = fields.Address(kAddress, machine);
  segment.bytes = fields.Bytes(kTotalSize, machine);
  segment.device = fields.Int(kDevice, machine);
  segment.stream = StreamOf(fields.Int(kStream, machine));
  segment.type = fields.Text(kSegmentType);
  if (fields.values[kPool].is_container()) {
    const auto pool = machine.Items(fields.values[kPool]);
    for (std::size_t i = 0; i < 2 && i < pool.size(); ++i)
      segment.pool[i] = machine.Int(pool[i]).value_or(0);
  }
  if (fields.values[kIsExpandable].is(Kind::kBool))
    segment.is_expandable = fields.values[kIsExpandable].payload() != 0;
  if (fields.values[kBlocks].is(Kind::kList)) {
    for (const Value item : machine.Items(fields.values[kBlocks])) {
      if (const auto block = RowOf(machine.Resolve(item), Row::kBlock))
        row.blocks.push_back(*block);
    }
  }
  machine.Count(2 * sizeof(SegmentRow) + row.blocks.size() * sizeof(std::uint64_t));
  segments_.push_back(std::move(row));
  return RowRef{Row::kSegment, segments_.size() - 1}.record();
}

std::uint64_t SnapshotShaper::AddAnnotation(const Fields& fields, Machine& machine) {
  machine.Count(2 * sizeof(snapshot::Annotation));
  annotations_.push_back({fields.Int(kTime, machine, snapshot::kNoTime),
                          fields.Int(kDevice, machine), fields.Text(kName),
                          machine.Text(Value(Kind::kText, fields.Text(kStage))) == "START"});
  return RowRef{Row::kAnnotation, annotations_.size() - 1}.record();
}

}  // namespace rankscope::memory_snapshot
