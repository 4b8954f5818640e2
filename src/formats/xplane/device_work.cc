#include "formats/xplane/device_work.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "formats/base/row_feed.h"

namespace rankscope::xplane {

DeviceWork WorkNamed(std::string_view name, HloRole role, bool has_copy_details) {
  if (name.starts_with("Memset")) return {EventKind::kMemset, CopyName(name)};
  if (has_copy_details || name.starts_with("Memcpy") || role == HloRole::kCopy)
    return {EventKind::kMemcpy, CopyName(name)};
  if (name.ends_with(".kd")) name.remove_suffix(3);
  return {EventKind::kKernel, name};
}

KernelArgs ReadKernelDetails(std::string_view text) {
  KernelArgs args;
  std::int64_t fixed = -1, dynamic = -1;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = word.substr(0, colon);
    std::int64_t numbers[3] = {-1, -1, -1};
    const char* at = word.data() + colon + 1;
    const char* const word_end = word.data() + word.size();
    for (std::int64_t& number : numbers) {
      const auto [after, error] = std::from_chars(at, word_end, number);
      if (error != std::errc()) break;
      at = after < word_end && *after == ',' ? after + 1 : word_end;
    }
    if (key == "regs") args.registers_per_thread = Narrow(numbers[0]);
    if (key == "static_shared") fixed = Narrow(numbers[0]);
    if (key == "dynamic_shared") dynamic = Narrow(numbers[0]);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (key == "grid") args.grid[axis] = Narrow(numbers[axis]);
      if (key == "block") args.block[axis] = Narrow(numbers[axis]);
    }
    if (key == "occ_pct" && numbers[0] >= 0 && numbers[0] <= 100)
      args.occupancy_pct = static_cast<float>(numbers[0]);
  }
  if (fixed >= 0 && dynamic >= 0) args.shared_memory_bytes = Narrow(fixed + dynamic);
  return args;
}

std::int64_t BytesOfCopy(std::string_view details) {
  const std::size_t at = details.find("size:");
  std::int64_t bytes = -1;
  if (at != std::string_view::npos)
    std::from_chars(details.data() + at + 5, details.data() + details.size(), bytes);
  return bytes;
}

std::string_view CopyName(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {{"MemcpyH2D", "Memcpy HtoD"},
                                                                      {"MemcpyD2H", "Memcpy DtoH"},
                                                                      {"MemcpyD2D", "Memcpy DtoD"},
                                                                      {"MemcpyH2H", "Memcpy HtoH"},
                                                                      {"MemcpyP2P", "Memcpy PtoP"}};
  for (const auto& [theirs, kinetos] : kNames) {
    if (name == theirs) return kinetos;
  }
  return name;
}

}  // namespace rankscope::xplane
