#include "service/runs/run_filter.h"

#include <algorithm>

namespace rankscope::service {

using store::RunCriterion;

Result<std::vector<RunCriterion>> RunFilterOf(const http::Fields& query,
                                              std::span<const std::string_view> others) {
  std::vector<RunCriterion> criteria;
  for (const auto& [name, value] : query) {
    if (std::ranges::find(others, name) != others.end()) continue;
    const auto texts = store::TextFields();
    const bool is_known = std::ranges::find(texts, name) != texts.end();
    if (!is_known && name != "state" && name != "tag")
      return Error(StatusCode::kInvalidArgument, "runs are not filtered by '{}'", name);
    auto same = std::ranges::find(criteria, name, &RunCriterion::field);
    if (same == criteria.end()) {
      criteria.push_back({.field = name, .values = {}});
      same = std::prev(criteria.end());
    }
    same->values.push_back(value);
  }
  return criteria;
}

}  // namespace rankscope::service
