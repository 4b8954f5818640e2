#include "cpu_profile/image/segments.h"

namespace rankscope::cpu_profile {

std::optional<std::uint64_t> BiasOf(const std::vector<Segment>& segments, const Mapping& mapping) {
  constexpr std::uint64_t kPage = 4096;
  for (const Segment& segment : segments) {
    const std::uint64_t first = segment.offset / kPage * kPage;
    if (mapping.offset < first || mapping.offset >= segment.offset + segment.bytes) continue;
    return mapping.begin - (mapping.offset - first) - segment.address / kPage * kPage;
  }
  return std::nullopt;
}

}  // namespace rankscope::cpu_profile
