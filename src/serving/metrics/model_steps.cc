#include "serving/metrics/model_steps.h"

#include <cmath>
#include <vector>

namespace rankscope::serving {
namespace {

constexpr double kSameCount = 0.02;
constexpr double kLeastTime = 0.7, kMostTime = 1.02;  // of the steps, by the ensemble's

}  // namespace

ModelSteps StepsOf(const std::map<std::string, ModelCounts>& models) {
  ModelSteps found;
  for (const auto& [name, whole] : models) {
    if (!(whole.finished > 0)) continue;
    std::vector<std::string> steps;
    double time = 0;
    for (const auto& [other, counts] : models) {
      const bool is_alike =
          std::abs(counts.finished - whole.finished) <= kSameCount * whole.finished;
      if (other == name || !is_alike || counts.request_ns >= whole.request_ns) continue;
      steps.push_back(other);
      time += counts.request_ns;
    }
    if (steps.size() < 2 || time < kLeastTime * whole.request_ns ||
        time > kMostTime * whole.request_ns)
      continue;
    found.ensembles.insert(name);
    found.steps.insert(steps.begin(), steps.end());
  }
  return found;
}

}  // namespace rankscope::serving
