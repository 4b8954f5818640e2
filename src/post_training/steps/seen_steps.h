// Detects log steps that occur in several files: a run's console and its file of rows have the
// same.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "post_training/base/data.h"

namespace rankscope::post_training {

class SeenSteps {
 public:
  // Whether another file has that step with the same time, to 0.1 %. The step must outlive this.
  bool IsAgain(const LogStep& log);
  // Notes how many there were, and whether files have different times for a step, as of different
  // runs.
  void AddNotes(const PostData& data, std::vector<std::string>& notes) const;

 private:
  std::map<std::int64_t, const LogStep*> first_;  // by the step's number
  std::int64_t again_ = 0, differing_ = 0;
  const LogStep* another_ = nullptr;  // the first step that differs
};

}  // namespace rankscope::post_training
