#include "table/packed_ints.h"

#include <algorithm>
#include <utility>

namespace rankscope {
namespace {

std::uint8_t WidthOf(std::uint64_t reach) {
  if (reach <= UINT8_MAX) return 1;
  if (reach <= UINT16_MAX) return 2;
  return reach <= UINT32_MAX ? 4 : 8;
}

}  // namespace

PackedInts::Block PackedInts::BlockOf(std::span<const std::int64_t> numbers) {
  const auto [smallest, biggest] = std::minmax_element(numbers.begin(), numbers.end());
  const auto from = static_cast<std::uint64_t>(*smallest);
  Block block;
  block.packing = {*smallest, WidthOf(static_cast<std::uint64_t>(*biggest) - from)};
  block.deltas.resize(numbers.size() * block.packing.width);
  WithWidth(block.packing.width, [&](auto type) {
    using Delta = decltype(type);
    std::uint8_t* to = block.deltas.data();
    for (const std::int64_t number : numbers) {
      const auto delta = static_cast<Delta>(static_cast<std::uint64_t>(number) - from);
      std::memcpy(to, &delta, sizeof(Delta));
      to += sizeof(Delta);
    }
  });
  return block;
}

void PackedInts::PackTail() {
  blocks_.push_back(BlockOf(tail_));
  tail_.clear();
}

void PackedInts::Append(const PackedInts& other) {
  if (tail_.empty()) {
    blocks_.insert(blocks_.end(), other.blocks_.begin(), other.blocks_.end());
    tail_ = other.tail_;
  } else {
    other.ForEach([this](std::int64_t number) { PushBack(number); });
  }
}

void PackedInts::Truncate(std::size_t count) {
  if (count >= size()) return;
  const std::size_t blocks = count / kBlock;
  const std::size_t behind = count % kBlock;
  if (blocks < blocks_.size()) {
    tail_.clear();
    for (std::size_t at = 0; at < behind; ++at) tail_.push_back(blocks_[blocks].At(at));
    blocks_.resize(blocks);
  } else {
    tail_.resize(behind);
  }
}

std::vector<std::int64_t> PackedInts::Take() {
  if (blocks_.empty()) return std::exchange(tail_, {});
  std::vector<std::int64_t> all;
  all.reserve(size());
  ForEach([&](std::int64_t number) { all.push_back(number); });
  *this = {};
  return all;
}

void PackedInts::AddPacked(Packing packing, std::span<const std::uint8_t> deltas) {
  Block block{packing, {deltas.begin(), deltas.end()}};
  if (tail_.empty() && block.size() == kBlock) {
    blocks_.push_back(std::move(block));
  } else {
    block.ForEach([this](std::int64_t number) { PushBack(number); });
  }
}

}  // namespace rankscope
