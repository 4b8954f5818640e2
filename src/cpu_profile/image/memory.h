// Memory: the memory of another process, as it is read from outside.
//
// The process is not stopped, so what is read may change between two reads: whoever follows
// pointers in it checks each of them, and takes any answer for possible.
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
  // All of it or nothing: false for what is not there or may not be read.
  virtual bool Read(std::uint64_t address, void* to, std::size_t bytes) = 0;
};

template <typename T>
bool ReadValue(Memory& memory, std::uint64_t address, T& value) {
  return memory.Read(address, &value, sizeof(value));
}

// That of a process, by process_vm_readv: one call of the kernel for each read.
class ProcessMemory final : public Memory {
 public:
  explicit ProcessMemory(pid_t pid) : pid_(pid) {}
  bool Read(std::uint64_t address, void* to, std::size_t bytes) override;
  // Why this memory cannot be read, tried at an address that is mapped. kIo.
  Status Try(std::uint64_t address);

 private:
  const pid_t pid_;
};

// Another memory through pages that are read once until Forget: what a stack of Python needs lies
// close together, so a sample costs a few calls of the kernel in place of hundreds. Holds up to
// `most_pages` of 4 KiB.
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
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;  // null: cannot be read
};

}  // namespace rankscope::cpu_profile
