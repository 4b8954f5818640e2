// What of a program or library is loaded, and where a mapping puts it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cpu_profile/image/maps.h"

namespace rankscope::cpu_profile {

// What of a file is loaded, and where.
struct Segment {
  std::uint64_t offset = 0, address = 0, bytes = 0;
  bool is_code = false;
};
// What is added to the file's addresses where this mapping of it lies; nullopt: it is no mapping of
// what is loaded. A linker may let segments share a page of the file (lld does: code then begins at
// 0x5d0 of the file and at address 0x15d0), which is mapped once for each: code is of the mapping
// that may be run.
std::optional<std::uint64_t> BiasOf(const std::vector<Segment>& segments, const Mapping& mapping);

}  // namespace rankscope::cpu_profile
