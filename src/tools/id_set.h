// IdSet: a set of 64-bit numbers that lie close together, as correlation ids do: a bit each in
// blocks that are full, two bytes each in others. Not thread-safe while it is changed.
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
  static constexpr std::size_t kMostListed = kBits / 16 / 2;  // half of what the bits would take
  struct Block {
    std::vector<std::uint16_t> list;  // sorted, while there are few
    std::vector<std::uint64_t> bits;  // else
  };
  boost::unordered_flat_map<std::int64_t, Block> blocks_;
  std::size_t size_ = 0;
};

}  // namespace rankscope
