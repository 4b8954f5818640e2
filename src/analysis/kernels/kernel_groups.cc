#include "analysis/kernels/kernel_groups.h"

#include <algorithm>
#include <tuple>

namespace rankscope {

std::vector<KernelGroup> GroupKernels(const TraceFacts& facts, const Windows& windows) {
  const RankTrace& trace = facts.trace();
  struct Item {
    std::size_t window;
    StringId name;
    KernelClass kernel_class;
    Row row;
    auto Key() const { return std::tuple(window, name, kernel_class); }
  };
  std::vector<KernelGroup> groups;
  for (const DeviceTime& device : facts.devices()) {
    std::vector<Item> items;
    items.reserve(device.work.size());
    for (const Row row : device.work) {
      const std::size_t window = windows.OfWork(row);
      if (window == Windows::kNone) continue;
      items.push_back({window, trace.name[row], facts.classes().ClassOf(row), row});
    }
    std::stable_sort(items.begin(), items.end(),
                     [](const Item& a, const Item& b) { return a.Key() < b.Key(); });
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Item& item = items[i];
      if (i == 0 || items[i - 1].Key() != item.Key())
        groups.push_back({device.device, item.window, item.name, item.kernel_class, {}});
      groups.back().rows.push_back(item.row);
    }
  }
  return groups;
}

}  // namespace rankscope
