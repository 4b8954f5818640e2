// The analysis of a serving program's data as a whole, and for a load run of its most telling
// level.
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

// O(n log n) in requests, iterations and samples; keeps a second copy of a level's records if there
// are several levels.
Study StudyOf(ServingData data, const Objective& objective);

}  // namespace rankscope::serving
