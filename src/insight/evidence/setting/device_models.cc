#include "insight/evidence/setting/device_models.h"

#include <algorithm>
#include <set>

namespace rankscope {

std::vector<std::string_view> DeviceModels(const RuleInput& input) {
  std::vector<std::string_view> models(input.ranks());
  for (const JobGraph::CaptureNodes& capture : input.graph().captures())
    models[capture.rank] = input.job().captures[capture.capture].device_name;
  return models;
}

bool AreOfOtherModels(const RuleInput& input, const std::vector<std::uint32_t>& ranks) {
  const std::vector<std::string_view> models = DeviceModels(input);
  std::set<std::string_view> theirs, others;
  for (std::uint32_t rank = 0; rank < models.size(); ++rank) {
    if (models[rank].empty()) return false;
    (std::binary_search(ranks.begin(), ranks.end(), rank) ? theirs : others).insert(models[rank]);
  }
  return !theirs.empty() && !others.empty() &&
         std::none_of(theirs.begin(), theirs.end(),
                      [&](std::string_view model) { return others.contains(model); });
}

}  // namespace rankscope
