// CachingAllocator: device memory as PyTorch hands it out.
//
// Freed blocks are kept and given out again to requests of about the same size; only when there
// is none does the driver get asked (cudaMalloc), for whole segments: 2 MiB for blocks up to 1 MiB,
// 20 MiB for blocks below 10 MiB, else the size rounded up to 2 MiB. A free block serves a request
// of at least half its size. Blocks are neither split nor joined otherwise, which is what the real
// one comes to when every step asks for the same sizes. Cost: ~10 ns a call.
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
  // `reserved_bytes` are held by weights and the like, `allocated_bytes` of them in use.
  CachingAllocator(std::int64_t reserved_bytes, std::int64_t allocated_bytes)
      : reserved_bytes_(reserved_bytes), allocated_bytes_(allocated_bytes) {}

  // Sets `asked_driver` when the driver had to be asked for a segment.
  Block Allocate(std::int64_t bytes, bool* asked_driver);
  void Free(const Block& block);

  // A segment for one request alone, which goes back to the driver by ReleaseSegment.
  Block TakeSegment(std::int64_t bytes);
  void ReturnSegment(const Block& segment) { allocated_bytes_ -= segment.bytes; }
  void ReleaseSegment(std::int64_t bytes) { reserved_bytes_ -= bytes; }
  // What else the process holds, in use or not.
  void Hold(std::int64_t reserved_bytes, std::int64_t allocated_bytes);

  std::int64_t reserved_bytes() const { return reserved_bytes_; }
  std::int64_t allocated_bytes() const { return allocated_bytes_; }

 private:
  struct Size {
    std::int64_t bytes = 0;
    std::vector<std::int64_t> free;  // addresses, the last freed one last
  };
  Size& SizeOf(std::int64_t bytes);
  bool FromFree(Block* block);
  std::int64_t FromSegment(std::int64_t rounded_bytes, bool* asked_driver);

  struct Rest {
    std::int64_t address = 0;
    std::int64_t bytes = 0;
  };
  std::vector<Size> sizes_;  // ascending; few: a model has few different tensors
  Rest small_, large_;       // what is left of the last shared segments
  std::int64_t next_address_ = 0x7F2A00000000;
  std::int64_t reserved_bytes_;
  std::int64_t allocated_bytes_;
};

}  // namespace rankscope::sim
