// CachingAllocator: device memory as PyTorch hands it out.
//
// Freed blocks are kept and given out again to requests of the same rounded size; only when there
// is none does the driver get asked (cudaMalloc), for whole segments: 2 MiB for blocks up to 1 MiB,
// 20 MiB for blocks below 10 MiB, else the size rounded up to 2 MiB. Blocks are neither split nor
// joined otherwise, which is what the real one comes to when every step asks for the same sizes.
// Memory: 16 bytes per free block. Cost: ~10 ns a call.
#pragma once

#include <cstdint>
#include <vector>

namespace rankscope::sim {

struct Block {
  std::int64_t address = 0;
  std::int64_t bytes = 0;  // rounded to 512
};

class CachingAllocator {
 public:
  // `reserved_bytes` are held by weights and the like, `allocated_bytes` of them in use.
  CachingAllocator(std::int64_t reserved_bytes, std::int64_t allocated_bytes)
      : reserved_bytes_(reserved_bytes), allocated_bytes_(allocated_bytes) {}

  // Sets `asked_driver` when the driver had to be asked for a segment.
  Block Allocate(std::int64_t bytes, bool* asked_driver);
  void Free(const Block& block);

  std::int64_t reserved_bytes() const { return reserved_bytes_; }
  std::int64_t allocated_bytes() const { return allocated_bytes_; }

 private:
  struct Size {
    std::int64_t bytes = 0;
    std::vector<std::int64_t> free;  // addresses, the last freed one last
  };
  Size& SizeOf(std::int64_t rounded_bytes);
  std::int64_t FromSegment(std::int64_t rounded_bytes, bool* asked_driver);

  struct Rest {
    std::int64_t address = 0;
    std::int64_t bytes = 0;
  };
  std::vector<Size> sizes_;  // few: a model has few different tensors
  Rest small_, large_;       // what is left of the last shared segments
  std::int64_t next_address_ = 0x7F2A00000000;
  std::int64_t reserved_bytes_;
  std::int64_t allocated_bytes_;
};

}  // namespace rankscope::sim
