// The loaded segments of a program or library, and where a mapping places them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cpu_profile/image/maps.h"

namespace rankscope::cpu_profile {

// A loaded part of a file, and its address.
struct Segment {
  std::uint64_t offset = 0, address = 0, bytes = 0;
  bool is_code = false;
};
// What to add to the file's addresses to get those of this mapping; nullopt: it does not map a
// loaded segment. A linker may let segments share a page of the file (lld does: code then begins at
// 0x5d0 of the file and at address 0x15d0). The page is then mapped once per segment; code belongs
// to the executable mapping.
std::optional<std::uint64_t> BiasOf(const std::vector<Segment>& segments, const Mapping& mapping);

}  // namespace rankscope::cpu_profile
