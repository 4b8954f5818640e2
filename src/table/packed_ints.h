// PackedInts: a growing sequence of integers in as few bytes as possible.
//
// Every 4,096 numbers become a block when complete: each number is stored as its difference from
// the block's smallest, in 1, 2, 4 or 8 bytes. Numbers after the last block are stored unpacked, so
// a short sequence is a plain vector. Ids, counts and close times take 1 to 4 bytes this way, where
// a vector takes 8, and half as much again while it grows.
//
// Numbers are only appended, so equal sequences have equal memory. Reading one takes about a
// nanosecond more than from a vector; ForEach reads all at memory speed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace rankscope {

// The encoding of a block: differences from its smallest number.
struct Packing {
  std::int64_t smallest = 0;
  std::uint8_t width = 1;  // bytes of each: 1, 2, 4 or 8
  friend bool operator==(const Packing&, const Packing&) = default;
};
// Calls visit(T{}) with the unsigned type of that width.
template <typename Visit>
decltype(auto) WithWidth(std::uint8_t width, const Visit& visit) {
  switch (width) {
    case 1:
      return visit(std::uint8_t{});
    case 2:
      return visit(std::uint16_t{});
    case 4:
      return visit(std::uint32_t{});
    default:
      return visit(std::uint64_t{});
  }
}

class PackedInts {
 public:
  static constexpr std::size_t kBlock = 4096;

  std::size_t size() const { return blocks_.size() * kBlock + tail_.size(); }
  bool empty() const { return size() == 0; }
  // Approximate memory.
  std::size_t bytes() const {
    std::size_t bytes = tail_.size() * sizeof(std::int64_t);
    for (const Block& block : blocks_) bytes += sizeof(Block) + block.deltas.size();
    return bytes;
  }
  std::int64_t operator[](std::size_t at) const {
    const std::size_t block = at / kBlock;
    return block < blocks_.size() ? blocks_[block].At(at % kBlock)
                                  : tail_[at - blocks_.size() * kBlock];
  }
  // Calls visit(number) for all in their order.
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (const Block& block : blocks_) block.ForEach(visit);
    for (const std::int64_t number : tail_) visit(number);
  }

  void PushBack(std::int64_t number) {
    tail_.push_back(number);
    if (tail_.size() == kBlock) PackTail();
  }
  void Append(const PackedInts& other);
  // Keeps the first `count`, all when there are fewer.
  void Truncate(std::size_t count);
  // As a vector; nothing is left here.
  std::vector<std::int64_t> Take();

  // Calls visit(packing, deltas) for each block, and for the rest after the last one, as a block.
  template <typename Visit>
  void ForEachPacked(const Visit& visit) const {
    for (const Block& block : blocks_) visit(block.packing, std::span(block.deltas));
    if (tail_.empty()) return;
    const Block last = BlockOf(tail_);
    visit(last.packing, std::span(last.deltas));
  }
  // Adds the output of ForEachPacked, in its order: blocks first.
  void AddPacked(Packing packing, std::span<const std::uint8_t> deltas);

  friend bool operator==(const PackedInts&, const PackedInts&) = default;

 private:
  struct Block {
    Packing packing;
    std::vector<std::uint8_t> deltas;

    std::size_t size() const { return deltas.size() / packing.width; }
    std::int64_t At(std::size_t at) const {
      return WithWidth(packing.width, [&](auto type) { return Read<decltype(type)>(at); });
    }
    template <typename Visit>
    void ForEach(const Visit& visit) const {
      WithWidth(packing.width, [&](auto type) {
        for (std::size_t at = 0; at < size(); ++at) visit(Read<decltype(type)>(at));
      });
    }
    // Unsigned, because the distance of two int64 may not fit an int64.
    template <typename T>
    std::int64_t Read(std::size_t at) const {
      T delta;
      std::memcpy(&delta, deltas.data() + at * sizeof(T), sizeof(T));
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(packing.smallest) + delta);
    }
    friend bool operator==(const Block&, const Block&) = default;
  };
  static Block BlockOf(std::span<const std::int64_t> numbers);  // at least one

  void PackTail();

  std::vector<Block> blocks_;       // of kBlock numbers each
  std::vector<std::int64_t> tail_;  // fewer than kBlock
};

}  // namespace rankscope
