// HTA's kernel classes, by its name patterns (hta/common/types.py), including quirks: every name
// that begins with "hip" is communication, and names with "Sync" or "dma" are not compute.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hta/frame.h"

namespace rankscope::hta {

enum class KernelType : std::uint8_t { kComputation, kCommunication, kMemory, kOther };
inline constexpr int kKernelTypeCount = 4;
std::string_view ToString(KernelType type);  // "COMPUTATION", ...

KernelType KernelTypeOf(std::string_view name);

// HTA's name for a copy or memset: "Memset", "Memcpy DtoH", "Memcpy Unknown".
std::string_view MemoryTypeOf(std::string_view name);

// The classes of a frame's events; each name is classified once.
class KernelTypes {
 public:
  explicit KernelTypes(const Frame& frame)
      : frame_(frame), known_(frame.trace->strings.size(), kUnknown) {}
  KernelType Of(const Event& event) {
    std::uint8_t& known = known_[frame_.trace->name[event.row]];
    if (known == kUnknown) known = static_cast<std::uint8_t>(KernelTypeOf(frame_.NameOf(event)));
    return static_cast<KernelType>(known);
  }

 private:
  static constexpr std::uint8_t kUnknown = 0xFF;
  const Frame& frame_;
  std::vector<std::uint8_t> known_;
};

}  // namespace rankscope::hta
