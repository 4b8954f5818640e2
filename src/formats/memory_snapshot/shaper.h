// Converts the dicts of a snapshot to rows while the pickle is read.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "formats/pickle/machine.h"
#include "snapshot/snapshot.h"

namespace rankscope::memory_snapshot {

// The result of a dict: the kind in the upper bits of the record, the row in the lower bits.
enum class Row : std::uint8_t { kFrame, kStack, kEvent, kBlock, kSegment, kAnnotation };

struct RowRef {
  Row row;
  std::uint64_t index;
  std::uint64_t record() const { return static_cast<std::uint64_t>(row) << 56 | index; }
  static RowRef Of(pickle::Value value) {
    return {static_cast<Row>(value.payload() >> 56),
            value.payload() & ((std::uint64_t{1} << 56) - 1)};
  }
};

// nullopt if the value is not a row of this kind.
std::optional<std::uint64_t> RowOf(pickle::Value value, Row row);

class SnapshotShaper : public pickle::Shaper {
 public:
  explicit SnapshotShaper(snapshot::Snapshot& snapshot) : snapshot_(snapshot) {}

  // Keys get fixed numbers: call once, before the machine runs.
  static void InternKeys(pickle::Machine& machine);

  Result<std::optional<std::uint64_t>> Shape(std::span<const pickle::Value> items,
                                             pickle::Machine& machine) override;

  std::uint64_t event_count() const { return event_count_; }
  std::uint64_t block_count() const { return block_count_; }
  // The blocks of each segment's list, in order; kept here until all are complete.
  struct SegmentRow {
    snapshot::Segment segment;
    std::vector<std::uint64_t> blocks;
  };
  std::vector<SegmentRow>& segments() { return segments_; }
  const Chunks<snapshot::Block>& blocks() const { return blocks_; }
  const std::vector<snapshot::Annotation>& annotations() const { return annotations_; }

 private:
  struct Fields;

  std::uint32_t StackOf(pickle::Value frames, pickle::Machine& machine);
  std::uint32_t StreamOf(std::int64_t stream);
  std::uint64_t AddFrame(const Fields& fields, pickle::Machine& machine);
  std::uint64_t AddEvent(const Fields& fields, pickle::Machine& machine);
  std::uint64_t AddBlock(const Fields& fields, pickle::Machine& machine);
  std::uint64_t AddSegment(const Fields& fields, pickle::Machine& machine);
  std::uint64_t AddAnnotation(const Fields& fields, pickle::Machine& machine);

  snapshot::Snapshot& snapshot_;
  std::uint64_t event_count_ = 0;
  std::uint64_t block_count_ = 0;
  Chunks<snapshot::Block> blocks_;
  std::vector<SegmentRow> segments_;
  std::vector<snapshot::Annotation> annotations_;
  std::vector<std::uint32_t> frames_;  // of the current stack
};

}  // namespace rankscope::memory_snapshot
