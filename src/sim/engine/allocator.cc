#include "sim/engine/allocator.h"

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

CachingAllocator::Size& CachingAllocator::SizeOf(std::int64_t rounded_bytes) {
  for (Size& size : sizes_) {
    if (size.bytes == rounded_bytes) return size;
  }
  sizes_.push_back({.bytes = rounded_bytes, .free = {}});
  return sizes_.back();
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
  Block block{.bytes = RoundUp(bytes, kRounding)};
  std::vector<std::int64_t>& free = SizeOf(block.bytes).free;
  if (free.empty()) {
    block.address = FromSegment(block.bytes, asked_driver);
  } else {
    block.address = free.back();
    free.pop_back();
  }
  allocated_bytes_ += block.bytes;
  return block;
}

void CachingAllocator::Free(const Block& block) {
  SizeOf(block.bytes).free.push_back(block.address);
  allocated_bytes_ -= block.bytes;
}

}  // namespace rankscope::sim
