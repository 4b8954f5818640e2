// The start of a search: the load that the server bears with its current settings, what limits it,
// and which parameters the findings suggest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tune/run/spec.h"
#include "tune/search/optimiser.h"

namespace rankscope::tune {

struct DiagnosedCause {
  std::string id, title;
};

struct Diagnosis {
  // The highest rate that kept the objective; without one, the highest rate that the server could
  // sustain; otherwise the rate of a single user. 0: nothing was answered.
  double borne_per_s = 0;
  bool keeps_objective = false;  // some rate did
  double top_per_s = 0;          // end of the trials' ramps
  std::vector<DiagnosedCause> causes;
  std::vector<Hint> hints;  // empty: findings suggest no parameter, so all are searched
};

// Diagnoses the server at `url`, which runs with the defaults. If trials are ramps, it searches
// rates; otherwise it runs the trials' load once. `log` is the server's log, read for iteration
// details.
Result<Diagnosis> Diagnose(const TuneSpec& spec, const std::string& url, const std::string& log,
                           const std::string& folder, const load::LevelWatch& watch);

// Parameters that findings suggest, according to the adapter. The direction is unknown for a
// parameter that is both raised and lowered.
std::vector<Hint> HintsOf(const Adapter& adapter, const std::vector<DiagnosedCause>& causes);

}  // namespace rankscope::tune
