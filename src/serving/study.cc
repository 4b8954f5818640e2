#include "serving/study.h"

#include <utility>

#include "serving/load/focus.h"

namespace rankscope::serving {

Study StudyOf(ServingData data, const Objective& objective) {
  Study study{.objective = objective};
  study.levels = LevelsOf(data, objective);
  study.saturation = SaturationOf(study.levels, objective);
  study.focus = FocusOf(study.levels, study.saturation);
  if (study.focus) study.of_focus = Analyse(PartOf(data, study.levels[*study.focus].level));
  study.all = Analyse(std::move(data));
  if (study.all.data.HasRecords()) study.causes = FindCauses(study.part());
  return study;
}

}  // namespace rankscope::serving
