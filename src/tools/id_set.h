// IdSet: a set of 64-bit numbers that are close together, like correlation ids. Full blocks take
// one bit per number, others two bytes. Not thread-safe during changes.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <memory>
#include <vector>

namespace rankscope {

class IdSet {
 public:
  void Add(std::int64_t id);
  bool Contains(std::int64_t id) const;
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kBits = 65'536;
  static constexpr std::size_t kMostListed = kBits / 16 / 2;  // half the size of the bits
  struct Block {
    std::vector<std::uint16_t> list;  // sorted; for few entries
    std::vector<std::uint64_t> bits;  // for many entries
  };
  boost::unordered_flat_map<std::int64_t, Block> blocks_;
  std::size_t size_ = 0;
};

}  // namespace rankscope
