// BlockPool: the blocks of the KV cache with reference counts, and the cached content of free
// blocks.
//
// A full block of a prompt may be kept under a hash of all tokens up to its end. After it is freed
// it keeps its content until its room is needed; the least recently used block is evicted first.
// Until then a prompt with the same prefix reuses it. All calls are O(1) per block.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <span>
#include <vector>

namespace rankscope::sim {

class BlockPool {
 public:
  explicit BlockPool(std::int64_t blocks);

  std::int64_t size() const { return static_cast<std::int64_t>(slots_.size()); }
  std::int64_t free() const { return free_; }  // including those with cached content

  // How many of the leading `hashes` are held.
  std::int64_t Held(std::span<const std::uint64_t> hashes) const;
  // Appends to `blocks` the blocks that hold `hashes` (all must be held) and `fresh` new ones. If
  // there are too few, returns false and changes nothing.
  bool Take(std::span<const std::uint64_t> hashes, std::int64_t fresh,
            std::vector<std::uint32_t>& blocks);
  // Registers the content of `block` under `hash`. Does nothing if another block holds it already.
  void Keep(std::uint32_t block, std::uint64_t hash);
  // Frees the blocks of one user. The end of a sequence is evicted before its beginning.
  void Free(std::vector<std::uint32_t>& blocks);

 private:
  struct Slot {
    std::uint32_t users = 0;
    std::uint32_t before = 0, after = 0;  // neighbours in the free list
    std::uint64_t hash = 0;
    bool holds = false;
  };
  void Use(std::uint32_t block);
  std::uint32_t TakeOldest();
  void Unlink(std::uint32_t block);
  void Append(std::uint32_t block);

  std::vector<Slot> slots_;
  std::uint32_t oldest_, newest_;
  std::int64_t free_;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> by_hash_;
};

}  // namespace rankscope::sim
