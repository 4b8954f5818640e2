// The result of a rerun, for humans and for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rerun/experiment.h"
#include "rerun/measured_gain.h"

namespace rankscope::rerun {

struct Outcome {
  std::string finding;  // "": none was given
  Promise promise;
  std::string promise_words;      // "16.1%, 762 us per step"
  std::vector<std::string> what;  // the change, one line each
  SideRuns before, after;
  MeasuredGain gain;
  Verdict verdict = Verdict::kUnknown;
  // From the recording after the change.
  bool was_recorded_after = false;
  std::optional<std::string> gain_left;  // of the finding, in words; nullopt: the finding is gone
  std::string kept;                      // the folder with all runs; "": nothing was kept
};

// Lines of at most 80 characters, except quotations.
std::string WriteOutcomeText(const Outcome& outcome);
// {"schema": "rankscope.rerun/1", "finding", "promised_pct", "is_bound", "change", "measured":
// "step" or "run", "clock", "before_ns", "after_ns", "gain_pct", "low_pct", "high_pct", "verdict",
// "finding_after", "kept"}
std::string WriteOutcomeJson(const Outcome& outcome);

}  // namespace rankscope::rerun
