// A memory snapshot of PyTorch's caching allocator (torch.cuda.memory._dump_snapshot) in columns:
// the allocator's content at the end, segment by segment, and the history before it, of which the
// allocator keeps only the last events.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/chunks.h"
#include "trace/interner.h"

namespace rankscope::snapshot {

enum class Action : std::uint8_t {
  kAlloc,
  kFreeRequested,  // freed by the program
  kFreeCompleted,  // and no stream uses it any longer
  kSegmentAlloc,   // device memory was allocated, by cudaMalloc
  kSegmentFree,
  kSegmentMap,  // the same for expandable segments
  kSegmentUnmap,
  kOom,
  kOther,  // snapshot, workspace_snapshot, user_defined
};

inline constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();

struct Event {
  std::int64_t time_us = kNoTime;  // machine's clock; older versions of PyTorch have none
  std::uint64_t address = 0;       // for kOom: the device's free memory in bytes
  std::uint64_t bytes = 0;         // as requested, not rounded; for segments their size
  std::uint32_t stack = 0;
  std::uint32_t stream = 0;  // index in Snapshot::streams
  StringId metadata = kEmptyString;
  Action action = Action::kOther;
};
static_assert(sizeof(Event) == 40);

enum class BlockState : std::uint8_t { kAllocated, kPendingFree, kInactive };

struct Block {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t requested_bytes = 0;
  std::uint32_t stack = 0;
  BlockState state = BlockState::kInactive;
};

struct Segment {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::int64_t device = 0;
  std::uint32_t stream = 0;
  StringId type = kEmptyString;   // small, large
  std::int64_t pool[2] = {0, 0};  // (0, 0): default; others: CUDA graphs and MemPools
  std::optional<bool> is_expandable;
  std::uint32_t first_block = 0;
  std::uint32_t block_count = 0;
};

struct Annotation {  // from torch.profiler, record_function and similar
  std::int64_t time_us = kNoTime;
  std::int64_t device = 0;
  StringId name = kEmptyString;
  bool is_start = false;
};

struct Frame {
  StringId name = kEmptyString;
  StringId file = kEmptyString;
  std::int64_t line = 0;
  friend bool operator==(const Frame&, const Frame&) = default;
};

// Distinct lists of frames; number 0 is the empty list. Not thread-safe.
class Stacks {
 public:
  Stacks();
  std::uint32_t InternFrame(const Frame& frame);
  // Innermost first.
  std::uint32_t InternStack(std::span<const std::uint32_t> frames);

  std::size_t size() const { return ends_.size(); }
  std::span<const std::uint32_t> Frames(std::uint32_t stack) const;
  const Frame& frame(std::uint32_t index) const { return frames_[index]; }
  std::size_t frame_count() const { return frames_.size(); }
  std::uint64_t bytes() const;

 private:
  struct FrameHash {
    using is_avalanching = void;
    std::size_t operator()(const Frame& frame) const;
  };

  std::vector<Frame> frames_;
  boost::unordered_flat_map<Frame, std::uint32_t, FrameHash> frame_ids_;
  std::vector<std::uint32_t> frames_of_stacks_;
  std::vector<std::uint64_t> ends_;
  // By the hash of the frames; stacks with equal hashes are probed one after the other.
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> by_hash_;
};

// The history of a device: events [first, first + count) of Snapshot::events, in order.
struct Device {
  std::int64_t index = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

struct Settings {
  std::string text;  // PYTORCH_CUDA_ALLOC_CONF
  std::optional<bool> expandable_segments;
  std::optional<std::int64_t> max_split_bytes;
};

struct Snapshot {
  std::string path;
  std::uint64_t file_bytes = 0;
  std::uint64_t pickle_bytes = 0;
  std::uint64_t reader_bytes = 0;  // approximate peak memory of reading
  Interner texts;
  Stacks stacks;
  Chunks<Event> events;
  std::vector<Device> devices;  // devices with events or segments, by index
  std::vector<Segment> segments;
  std::vector<Block> blocks;
  std::vector<Annotation> annotations;
  std::vector<std::int64_t> streams;
  Settings settings;
};

}  // namespace rankscope::snapshot
