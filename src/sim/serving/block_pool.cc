#include "sim/serving/block_pool.h"

#include <algorithm>

#include "base/check.h"

namespace rankscope::sim {
namespace {
constexpr std::uint32_t kNone = UINT32_MAX;
}

BlockPool::BlockPool(std::int64_t blocks)
    : slots_(static_cast<std::size_t>(blocks)), oldest_(kNone), newest_(kNone), free_(0) {
  for (std::uint32_t block = 0; block < slots_.size(); ++block) Append(block);
}

std::int64_t BlockPool::Held(std::span<const std::uint64_t> hashes) const {
  const auto first_missing =
      std::ranges::find_if(hashes, [&](std::uint64_t hash) { return !by_hash_.contains(hash); });
  return first_missing - hashes.begin();
}

bool BlockPool::Take(std::span<const std::uint64_t> hashes, std::int64_t fresh,
                     std::vector<std::uint32_t>& blocks) {
  std::int64_t from_free = fresh;
  for (const std::uint64_t hash : hashes) from_free += slots_[by_hash_.at(hash)].users == 0;
  if (from_free > free_) return false;
  // Held ones first, so that none of them is taken as fresh.
  for (const std::uint64_t hash : hashes) {
    const std::uint32_t block = by_hash_.at(hash);
    Use(block);
    blocks.push_back(block);
  }
  for (; fresh > 0; --fresh) blocks.push_back(TakeOldest());
  return true;
}

void BlockPool::Keep(std::uint32_t block, std::uint64_t hash) {
  Slot& slot = slots_[block];
  if (slot.holds || !by_hash_.emplace(hash, block).second) return;
  slot.holds = true;
  slot.hash = hash;
}

void BlockPool::Free(std::vector<std::uint32_t>& blocks) {
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
    Slot& slot = slots_[*block];
    RS_CHECK(slot.users > 0, "a block is freed that nobody uses");
    if (--slot.users == 0) Append(*block);
  }
  blocks.clear();
}

void BlockPool::Use(std::uint32_t block) {
  if (slots_[block].users++ == 0) Unlink(block);
}

std::uint32_t BlockPool::TakeOldest() {
  const std::uint32_t block = oldest_;
  Slot& slot = slots_[block];
  Unlink(block);
  slot.users = 1;
  if (slot.holds) by_hash_.erase(slot.hash);
  slot.holds = false;
  return block;
}

void BlockPool::Unlink(std::uint32_t block) {
  const Slot& slot = slots_[block];
  (slot.before == kNone ? oldest_ : slots_[slot.before].after) = slot.after;
  (slot.after == kNone ? newest_ : slots_[slot.after].before) = slot.before;
  --free_;
}

void BlockPool::Append(std::uint32_t block) {
  slots_[block].before = newest_;
  slots_[block].after = kNone;
  (newest_ == kNone ? oldest_ : slots_[newest_].after) = block;
  newest_ = block;
  ++free_;
}

}  // namespace rankscope::sim
