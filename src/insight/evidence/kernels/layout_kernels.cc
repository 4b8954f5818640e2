#include "insight/evidence/kernels/layout_kernels.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"

namespace rankscope {

bool ChangesLayout(const NodeKind& kind) {
  constexpr std::array<std::string_view, 5> kNames = {"nchwToNhwc", "nhwcToNchw", "nchwToFold",
                                                      "batched_transpose", "NCHWToNHWC"};
  return kind.work == Work::kCompute && std::ranges::any_of(kNames, [&](std::string_view name) {
           return Contains(kind.name, name);
         });
}

bool PadsChannels(const NodeKind& kind) {
  return kind.work == Work::kCompute &&
         (Contains(kind.name, "AddPadding") || Contains(kind.name, "addPadding"));
}

}  // namespace rankscope
