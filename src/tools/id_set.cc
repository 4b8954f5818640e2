#include "tools/id_set.h"

#include <algorithm>

namespace rankscope {

void IdSet::Add(std::int64_t id) {
  Block& block = blocks_[id >> 16];
  const auto low = static_cast<std::uint16_t>(id & 0xFFFF);
  if (!block.bits.empty()) {
    std::uint64_t& word = block.bits[low >> 6];
    const std::uint64_t bit = std::uint64_t{1} << (low & 63);
    size_ += (word & bit) == 0;
    word |= bit;
    return;
  }
  const auto place = std::lower_bound(block.list.begin(), block.list.end(), low);
  if (place != block.list.end() && *place == low) return;
  ++size_;
  block.list.insert(place, low);
  if (block.list.size() <= kMostListed) return;
  block.bits.resize(kBits / 64);
  for (const std::uint16_t one : block.list) block.bits[one >> 6] |= std::uint64_t{1} << (one & 63);
  block.list = {};
}

bool IdSet::Contains(std::int64_t id) const {
  const auto found = blocks_.find(id >> 16);
  if (found == blocks_.end()) return false;
  const auto low = static_cast<std::uint16_t>(id & 0xFFFF);
  const Block& block = found->second;
  if (!block.bits.empty()) return ((block.bits[low >> 6] >> (low & 63)) & 1) != 0;
  return std::binary_search(block.list.begin(), block.list.end(), low);
}

}  // namespace rankscope
