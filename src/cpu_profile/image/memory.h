// Memory: the memory of another process, read from outside.
//
// The process is not stopped, so its memory may change between two reads. Code that follows
// pointers must check each of them, and must expect any value.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "base/status.h"

namespace rankscope::cpu_profile {

class Memory {
 public:
  virtual ~Memory() = default;
  // Reads everything or nothing: false if a part is not mapped or not readable.
  virtual bool Read(std::uint64_t address, void* to, std::size_t bytes) = 0;
};

template <typename T>
bool ReadValue(Memory& memory, std::uint64_t address, T& value) {
  return memory.Read(address, &value, sizeof(value));
}

// Memory of a process, by process_vm_readv: one system call per read.
class ProcessMemory final : public Memory {
 public:
  explicit ProcessMemory(pid_t pid) : pid_(pid) {}
  bool Read(std::uint64_t address, void* to, std::size_t bytes) override;
  // Tries to read a mapped address; kIo with the reason why this memory cannot be read.
  Status Try(std::uint64_t address);

 private:
  const pid_t pid_;
};

// Caches pages of another memory until Forget. The data of a Python stack is close together,
// so a sample needs a few system calls instead of hundreds. Holds up to `most_pages` of 4
// KiB.
class PagedMemory final : public Memory {
 public:
  explicit PagedMemory(Memory& memory, std::size_t most_pages = 2048)
      : memory_(memory), most_pages_(most_pages) {}
  bool Read(std::uint64_t address, void* to, std::size_t bytes) override;
  void Forget() { pages_.clear(); }

 private:
  static constexpr std::size_t kPageBytes = 4096;
  using Page = std::array<std::byte, kPageBytes>;
  const Page* PageAt(std::uint64_t number);

  Memory& memory_;
  const std::size_t most_pages_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;  // null: not readable
};

}  // namespace rankscope::cpu_profile
