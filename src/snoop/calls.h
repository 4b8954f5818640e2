// The known calls: functions of CUDA's runtime and driver, of HIP and of PyTorch's allocator that
// allocate, free, launch, wait and copy, and where their arguments are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "snoop/bpf/records.h"

namespace rankscope::snoop {

// The API level of a call. A runtime calls the driver, so one allocation appears at both levels:
// never add numbers of different levels. In the order of records.h.
enum class Level : std::uint8_t { kAllocator, kRuntime, kHip, kDriver };
std::string_view ToString(Level level);  // "PyTorch's allocator", "CUDA runtime", ...

// The kind of memory of an allocation.
enum class Where : std::uint8_t {
  kDevice,    // includes managed memory
  kHost,      // pinned
  kPhysical,  // device memory identified by a handle, not an address (cuMemCreate)
};
std::string_view ToString(Where where);  // "device", "pinned host", "device, by handle"

struct Call {
  std::string name;     // as exported; demangled for C++
  std::string library;  // file name of its library, without folder
  Level level = Level::kRuntime;
  Where where = Where::kDevice;
  CallAt at{};

  CallKind kind() const { return static_cast<CallKind>(at.kind); }
  bool allocates() const { return kind() == kAllocate || kind() == kAllocated; }
  bool is_of_memory() const { return allocates() || kind() == kFree || kind() == kAllocateThrow; }
  // Whether its return is probed.
  bool returns() const { return kind() == kAllocate || kind() == kWait; }
};

// Finds a call by the exported name, without its version (hipMalloc of hipMalloc@@hip_4.2), for a
// library of that level; `library` stays empty. nullptr: not probed.
const Call* FindCall(Level level, std::string_view name);
// Recognises a method of PyTorch's allocator by its mangled name. These throw when memory runs out,
// and a return probe on a function that throws would end the process, so they are probed only at
// entry.
bool IsAllocatorMethod(std::string_view mangled, Call& call);

// Argument `number` (from 0), counted among the integer and pointer arguments of a C function.
SourceOf Argument(int number, std::int8_t bytes = 8);

}  // namespace rankscope::snoop
