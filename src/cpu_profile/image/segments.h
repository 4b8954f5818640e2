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
};
// What is added to the file's addresses where this mapping of it lies; nullopt: it is no mapping of
// what is loaded.
std::optional<std::uint64_t> BiasOf(const std::vector<Segment>& segments, const Mapping& mapping);

}  // namespace rankscope::cpu_profile
