// The parts of a run's reports, as they are stored.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "service/route.h"
#include "store/run.h"

namespace rankscope::service {

// The report that a call asks for: the last, or ?version=. kNotFound says which there are.
Result<const store::RunReport*> ReportOf(const store::Run& run, const Call& call);

// Null: the report has no such part.
const store::RunTable* FindPart(const store::RunReport& report, std::string_view name);

// It is of what a serving program recorded (rankscope serving), not of a job.
bool IsOfServing(const store::RunReport& report);

// The parameter by which ReportOf tells reports apart.
inline constexpr Parameter kVersionParameter = {"version", "query", "integer",
                                                "of the report; the last without"};

}  // namespace rankscope::service
