// A serving program's data looked at as a whole, and of a load run at the level that shows most.
#pragma once

#include <optional>
#include <vector>

#include "serving/causes/analysis.h"
#include "serving/causes/cause.h"
#include "serving/load/saturation.h"

namespace rankscope::serving {

struct Study {
  Objective objective;
  std::vector<LevelResult> levels;
  Saturation saturation;
  Analysis all;
  std::optional<std::size_t> focus;  // of levels; what is said of causes is of it (load/focus.h)
  std::optional<Analysis> of_focus;
  Causes causes;

  const Analysis& part() const { return of_focus ? *of_focus : all; }
};

// O(n log n) in requests, iterations and samples; a second copy of a level's records where there
// are several levels.
Study StudyOf(ServingData data, const Objective& objective);

}  // namespace rankscope::serving
