// What torch.profiler's export_memory_timeline writes as FILE.raw.json(.gz): changes of a device's
// memory by the category of the tensors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::snapshot {

// In the order of their numbers in the file; the last is what the profiler could not tell.
inline constexpr std::string_view kCategories[] = {"parameter",       "optimizer_state", "input",
                                                   "temporary",       "activation",      "gradient",
                                                   "autograd_detail", "unknown"};
inline constexpr std::size_t kCategoryCount = std::size(kCategories);

struct CategoryChange {
  std::int64_t time_ns = 0;  // Unix time; -1: existed before
  std::int64_t bytes = 0;    // below 0: given back
  std::uint8_t category = 0;
  std::uint8_t action = 0;  // 1 existed before, 2 created, 3 changed, 4 destroyed
};

struct CategoryTimeline {
  std::string path;
  std::vector<CategoryChange> changes;  // in the order of the file
};

}  // namespace rankscope::snapshot
