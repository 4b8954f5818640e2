// The job's model FLOP utilisation, from the table over_ranks.
#pragma once

#include <optional>
#include <string>

#include "report/base/report.h"

namespace rankscope {

struct ModelFlopUtilisation {
  double pct = 0;              // mean over ranks and complete steps
  bool is_lower_bound = true;  // the FLOPs of a tenth of computing or more are not known
};

// Not known without shapes of ops, where less than half of computing has a model, and on a device
// of unknown peak.
std::optional<ModelFlopUtilisation> ModelFlopUtilisationOf(const Report& report);

// " MFU at least 38.2%.", to stand behind another sentence; "" where it is not known, or no more is
// than that it is not negative; beyond the peak it says so.
std::string FlopUtilisationSentence(const Report& report);

}  // namespace rankscope
