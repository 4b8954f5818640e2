#include "cpu_profile/image/segments.h"

namespace rankscope::cpu_profile {

std::optional<std::uint64_t> BiasOf(const std::vector<Segment>& segments, const Mapping& mapping) {
  constexpr std::uint64_t kPage = 4096;
  const Segment* of = nullptr;
  for (const Segment& segment : segments) {
    const std::uint64_t first = segment.offset / kPage * kPage;
    if (mapping.offset < first || mapping.offset >= segment.offset + segment.bytes) continue;
    const bool is_better =
        of == nullptr || (segment.is_code == mapping.is_code && of->is_code != mapping.is_code);
    if (is_better) of = &segment;
  }
  if (of == nullptr) return std::nullopt;
  return mapping.begin - (mapping.offset - of->offset / kPage * kPage) -
         of->address / kPage * kPage;
}

}  // namespace rankscope::cpu_profile
