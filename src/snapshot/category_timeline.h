// The data of FILE.raw.json(.gz) from torch.profiler's export_memory_timeline: changes of a
// device's memory by the category of the tensors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::snapshot {

// Indexed by the numbers in the file; the last is for tensors that the profiler could not classify.
inline constexpr std::string_view kCategories[] = {"parameter",       "optimizer_state", "input",
                                                   "temporary",       "activation",      "gradient",
                                                   "autograd_detail", "unknown"};
inline constexpr std::size_t kCategoryCount = std::size(kCategories);

struct CategoryChange {
  std::int64_t time_ns = 0;  // Unix time; -1: existed before
  std::int64_t bytes = 0;    // below 0: freed
  std::uint8_t category = 0;
  std::uint8_t action = 0;  // 1 existed before, 2 created, 3 changed, 4 destroyed
};

struct CategoryTimeline {
  std::string path;
  std::vector<CategoryChange> changes;  // in the order of the file
};

}  // namespace rankscope::snapshot
