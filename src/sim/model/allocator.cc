#include "sim/model/allocator.h"

#include <algorithm>

namespace rankscope::sim {
namespace {

constexpr std::int64_t kRounding = 512;
constexpr std::int64_t kSmallBlock = std::int64_t{1} << 20;
constexpr std::int64_t kSmallSegment = std::int64_t{2} << 20;
constexpr std::int64_t kLargeBlock = std::int64_t{10} << 20;
constexpr std::int64_t kLargeSegment = std::int64_t{20} << 20;

std::int64_t RoundUp(std::int64_t bytes, std::int64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

CachingAllocator::Size& CachingAllocator::SizeOf(std::int64_t bytes) {
  const auto at = std::lower_bound(sizes_.begin(), sizes_.end(), bytes,
                                   [](const Size& size, std::int64_t b) { return size.bytes < b; });
  if (at != sizes_.end() && at->bytes == bytes) return *at;
  return *sizes_.insert(at, {.bytes = bytes, .free = {}});
}

bool CachingAllocator::FromFree(Block* block) {
  const Size* const least = &SizeOf(block->bytes);  // first: it may move all sizes
  auto at = sizes_.begin() + (least - sizes_.data());
  for (; at != sizes_.end() && at->bytes <= 2 * block->bytes; ++at) {
    if (at->free.empty()) continue;
    block->address = at->free.back();
    block->size = at->bytes;
    at->free.pop_back();
    return true;
  }
  return false;
}

std::int64_t CachingAllocator::FromSegment(std::int64_t rounded_bytes, bool* asked_driver) {
  const bool small = rounded_bytes <= kSmallBlock;
  const bool shared = rounded_bytes < kLargeBlock;
  Rest own;
  Rest& rest = small ? small_ : shared ? large_ : own;
  if (rest.bytes < rounded_bytes) {
    const std::int64_t segment = small    ? kSmallSegment
                                 : shared ? kLargeSegment
                                          : RoundUp(rounded_bytes, kSmallSegment);
    rest = {.address = next_address_, .bytes = segment};
    next_address_ += segment;
    reserved_bytes_ += segment;
    *asked_driver = true;
  }
  const std::int64_t address = rest.address;
  rest.address += rounded_bytes;
  rest.bytes -= rounded_bytes;
  return address;
}

Block CachingAllocator::Allocate(std::int64_t bytes, bool* asked_driver) {
  *asked_driver = false;
  const std::int64_t rounded = RoundUp(bytes, kRounding);
  Block block{.bytes = rounded, .size = rounded};
  if (!FromFree(&block)) block.address = FromSegment(rounded, asked_driver);
  allocated_bytes_ += rounded;
  return block;
}

void CachingAllocator::Free(const Block& block) {
  SizeOf(block.size).free.push_back(block.address);
  allocated_bytes_ -= block.bytes;
}

Block CachingAllocator::TakeSegment(std::int64_t bytes) {
  const std::int64_t rounded = RoundUp(bytes, kSmallSegment);
  const Block segment{.address = next_address_, .bytes = rounded, .size = rounded};
  next_address_ += rounded;
  reserved_bytes_ += rounded;
  allocated_bytes_ += rounded;
  return segment;
}

void CachingAllocator::Hold(std::int64_t reserved_bytes, std::int64_t allocated_bytes) {
  reserved_bytes_ += reserved_bytes;
  allocated_bytes_ += allocated_bytes;
}

}  // namespace rankscope::sim
