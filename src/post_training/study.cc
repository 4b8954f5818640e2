#include "post_training/study.h"

#include <utility>

namespace rankscope::post_training {

Study StudyOf(PostData data) {
  Study study;
  Analysis& analysis = study.analysis;
  std::vector<std::string> notes;
  analysis.roles = RoleStepsOf(data, notes);
  analysis.overlap = OverlapOf(analysis.roles, data);
  analysis.batches = BatchesOf(data.rollouts);
  analysis.staleness = StalenessOf(data);
  analysis.padding = PaddingOf(data.sequences);
  for (std::string& note : notes) data.notes.push_back(std::move(note));
  analysis.data = std::move(data);
  study.causes = FindCauses(analysis);
  return study;
}

}  // namespace rankscope::post_training
