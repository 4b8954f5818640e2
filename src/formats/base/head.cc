#include "formats/base/head.h"

namespace rankscope {

std::string HeadOf(const std::string& path, const InflateLimits& limits) {
  const auto source = OpenByteSource(path, limits);
  if (!source.ok()) return {};
  std::string head(kHeadBytes, '\0');
  std::size_t size = 0;
  while (const std::size_t read = (*source)->Read(head.data() + size, head.size() - size)) {
    size += read;
    if (size == head.size()) break;
  }
  head.resize(size);
  return head;
}

}  // namespace rankscope
