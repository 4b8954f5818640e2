// The calls that are known: which functions of CUDA's runtime and driver, of HIP and of PyTorch's
// allocator allocate, free, launch, wait and copy, and where their arguments are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "snoop/bpf/records.h"

namespace rankscope::snoop {

// Who is called. A runtime calls the driver, so that one allocation is seen at both: numbers of
// levels are never added up. In the order of records.h.
enum class Level : std::uint8_t { kAllocator, kRuntime, kHip, kDriver };
std::string_view ToString(Level level);  // "PyTorch's allocator", "CUDA runtime", ...

// What memory an allocation is of.
enum class Where : std::uint8_t {
  kDevice,    // and managed memory
  kHost,      // pinned
  kPhysical,  // of the device, told by a handle and not by an address (cuMemCreate)
};
std::string_view ToString(Where where);  // "device", "pinned host", "device, by handle"

struct Call {
  std::string name;     // as it is exported; of C++ demangled
  std::string library;  // the file that has it, without its folder
  Level level = Level::kRuntime;
  Where where = Where::kDevice;
  CallAt at{};

  CallKind kind() const { return static_cast<CallKind>(at.kind); }
  bool allocates() const { return kind() == kAllocate || kind() == kAllocated; }
  bool is_of_memory() const { return allocates() || kind() == kFree || kind() == kAllocateThrow; }
  // Whether it is known when it returned, and with what.
  bool returns() const { return kind() == kAllocate || kind() == kWait; }
};

// By the exported name, without its version (hipMalloc of hipMalloc@@hip_4.2), of a library of that
// level; `library` stays empty. nullptr: it is none that is looked at.
const Call* FindCall(Level level, std::string_view name);
// A method of PyTorch's allocator by its mangled name. These throw when there is no memory, and a
// probe at the return of what throws would end the process: they are seen at entry alone.
bool IsAllocatorMethod(std::string_view mangled, Call& call);

// `number`, from 0, of the arguments of a C function that are integers or pointers.
SourceOf Argument(int number, std::int8_t bytes = 8);

}  // namespace rankscope::snoop
