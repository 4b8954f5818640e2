// Where a search begins: what the server bears with the settings that it has, what limits it, and
// which parameters that speaks for.
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
  // The highest rate that kept the objective, or was borne where there is none; else what one user
  // gets. 0: nothing was answered.
  double borne_per_s = 0;
  bool keeps_objective = false;  // there was such a rate
  double top_per_s = 0;          // to which ramps rise
  std::vector<DiagnosedCause> causes;
  std::vector<Hint> hints;  // empty: nothing speaks for any parameter, and all are searched
};

// Of the server at `url`, which has the defaults: rates are searched where the trials are ramps,
// else the load of trials runs once. `log` is the server's, read for what its iterations tell.
Result<Diagnosis> Diagnose(const TuneSpec& spec, const std::string& url, const std::string& log,
                           const std::string& folder, const load::LevelWatch& watch);

// Parameters that findings speak for, by the adapter. Of one that is both raised and lowered the
// direction is not known.
std::vector<Hint> HintsOf(const Adapter& adapter, const std::vector<DiagnosedCause>& causes);

}  // namespace rankscope::tune
