// CachingAllocator: device memory, managed as in PyTorch.
//
// Freed blocks are kept and reused for requests of about the same size. Only if there is none does
// it ask the driver (cudaMalloc), for whole segments: 2 MiB for blocks up to 1 MiB, 20 MiB for
// blocks below 10 MiB, otherwise the size rounded up to 2 MiB. A free block serves a request of at
// least half its size. Blocks are not split or joined otherwise; PyTorch's allocator ends up the
// same way when every step asks for the same sizes. Cost: ~10 ns a call.
#pragma once

#include <cstdint>
#include <vector>

namespace rankscope::sim {

struct Block {
  std::int64_t address = 0;
  std::int64_t bytes = 0;  // rounded to 512
  std::int64_t size = 0;   // of the block that serves it
};

class CachingAllocator {
 public:
  // Weights and the like reserve `reserved_bytes`; `allocated_bytes` of them are in use.
  CachingAllocator(std::int64_t reserved_bytes, std::int64_t allocated_bytes)
      : reserved_bytes_(reserved_bytes), allocated_bytes_(allocated_bytes) {}

  // Sets `asked_driver` when it had to ask the driver for a segment.
  Block Allocate(std::int64_t bytes, bool* asked_driver);
  void Free(const Block& block);

  // A segment for a single request; ReleaseSegment returns it to the driver.
  Block TakeSegment(std::int64_t bytes);
  void ReturnSegment(const Block& segment) { allocated_bytes_ -= segment.bytes; }
  void ReleaseSegment(std::int64_t bytes) { reserved_bytes_ -= bytes; }
  // Other memory that the process holds, in use or not.
  void Hold(std::int64_t reserved_bytes, std::int64_t allocated_bytes);

  std::int64_t reserved_bytes() const { return reserved_bytes_; }
  std::int64_t allocated_bytes() const { return allocated_bytes_; }

 private:
  struct Size {
    std::int64_t bytes = 0;
    std::vector<std::int64_t> free;  // addresses, the one freed last at the end
  };
  Size& SizeOf(std::int64_t bytes);
  bool FromFree(Block* block);
  std::int64_t FromSegment(std::int64_t rounded_bytes, bool* asked_driver);

  struct Rest {
    std::int64_t address = 0;
    std::int64_t bytes = 0;
  };
  std::vector<Size> sizes_;  // ascending; few, since a model has few tensor sizes
  Rest small_, large_;       // the remainder of the last shared segments
  std::int64_t next_address_ = 0x7F2A00000000;
  std::int64_t reserved_bytes_;
  std::int64_t allocated_bytes_;
};

}  // namespace rankscope::sim
