// BlockPool: the KV cache in blocks, with their users counted, and what free blocks still hold.
//
// A full block of a prompt may be kept under a hash of all tokens up to its end. Freed, it stays
// where it is until its room is needed, the one that was used longest ago first: until then a
// prompt that begins the same takes it as it is. All calls O(1) a block.
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
  std::int64_t free() const { return free_; }  // also those that hold something

  // How many of these, in their order, are held.
  std::int64_t Held(std::span<const std::uint64_t> hashes) const;
  // Adds to `blocks` those that hold `hashes`, all of them held, and `fresh` others. False, and
  // nothing has changed, where there are too few.
  bool Take(std::span<const std::uint64_t> hashes, std::int64_t fresh,
            std::vector<std::uint32_t>& blocks);
  // `block` holds what `hash` stands for. Where another does already, nothing.
  void Keep(std::uint32_t block, std::uint64_t hash);
  // Of one user. The end of a sequence goes before its beginning.
  void Free(std::vector<std::uint32_t>& blocks);

 private:
  struct Slot {
    std::uint32_t users = 0;
    std::uint32_t before = 0, after = 0;  // among the free
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
