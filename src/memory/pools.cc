#include "memory/pools.h"

#include <tuple>

namespace rankscope::memory {

using snapshot::BlockState;

void PoolSums::Add(const snapshot::Segment& segment, const snapshot::Snapshot& snapshot) {
  std::int64_t unused = 0;
  std::int64_t covered = 0;
  bool is_used = false;
  for (std::uint32_t i = 0; i < segment.block_count; ++i) {
    const snapshot::Block& block = snapshot.blocks[segment.first_block + i];
    const auto bytes = static_cast<std::int64_t>(block.bytes);
    covered += bytes;
    if (block.state == BlockState::kInactive) {
      unused += bytes;
      ++free_blocks;
      largest_free = std::max(largest_free, bytes);
      continue;
    }
    is_used = true;
    if (block.state == BlockState::kPendingFree) {
      pending += bytes;
    } else {
      const auto of_program = std::min(static_cast<std::int64_t>(block.requested_bytes), bytes);
      requested += of_program;
      rounding += bytes - of_program;
    }
  }
  ++segments;
  // Blocks cover their segment; what a damaged file leaves out counts as unused.
  const auto bytes = static_cast<std::int64_t>(segment.bytes);
  if (covered < bytes) unused += bytes - covered;
  reserved += std::max(covered, bytes);
  (is_used ? split : idle_segments) += unused;
}

void PoolSums::Merge(const PoolSums& other) {
  segments += other.segments;
  reserved += other.reserved;
  requested += other.requested;
  rounding += other.rounding;
  pending += other.pending;
  split += other.split;
  idle_segments += other.idle_segments;
  free_blocks += other.free_blocks;
  largest_free = std::max(largest_free, other.largest_free);
}

std::vector<PoolSums> PoolsOf(const snapshot::Snapshot& snapshot, std::int64_t device) {
  std::vector<PoolSums> pools;
  for (const snapshot::Segment& segment : snapshot.segments) {
    if (segment.device != device) continue;
    const auto key = std::tuple(segment.type, segment.stream, segment.pool[0], segment.pool[1]);
    auto found = std::find_if(pools.begin(), pools.end(), [&](const PoolSums& one) {
      return std::tuple(one.type, one.stream, one.pool[0], one.pool[1]) == key;
    });
    // A damaged file may have a pool per segment; no program has more than some dozens.
    constexpr std::size_t kMostPools = 4096;
    if (found == pools.end() && pools.size() < kMostPools) {
      PoolSums pool;
      pool.type = segment.type;
      pool.stream = segment.stream;
      std::copy(std::begin(segment.pool), std::end(segment.pool), std::begin(pool.pool));
      pools.push_back(pool);
      found = pools.end() - 1;
    }
    (found == pools.end() ? pools.back() : *found).Add(segment, snapshot);
  }
  return pools;
}

}  // namespace rankscope::memory
