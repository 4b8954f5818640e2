// Records in the format that the kernel writes into the ring of a perf event.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cpu_profile/native/stack_walk.h"

namespace rankscope::cpu_profile {

// Sampled with PERF_SAMPLE_TID, TIME and CALLCHAIN, in this order, optionally followed by REGS_USER
// with kStackRegisters, and STACK_USER.
struct PerfSample {
  std::uint32_t thread = 0;
  std::uint64_t time = 0;                // by the event's clock
  std::vector<std::uint64_t> addresses;  // of user space, innermost first
  Registers registers;                   // empty for samples of kernel threads
  StackCopy stack;                       // points into the record; valid only during the callback
};

// Contents of records.
enum class PerfParts : std::uint8_t { kChain, kChainAndStack };

// The general registers, the stack pointer and the instruction pointer of x86-64, as the kernel
// numbers them (PERF_REG_X86_...).
inline constexpr std::uint64_t kStackRegisters = 0xff01ff;

// Calls `take` for each sample in complete records; returns how many samples the kernel reports as
// lost. Damaged data ends the reading. O(bytes).
std::uint64_t ParsePerfRecords(std::span<const std::byte> bytes, PerfParts parts,
                               const std::function<void(const PerfSample&)>& take);

}  // namespace rankscope::cpu_profile
