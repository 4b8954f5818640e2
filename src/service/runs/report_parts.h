// The parts of a run's reports, as they are stored.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/run.h"
#include "base/status.h"
#include "service/requests/route.h"
#include "store/run.h"

namespace rankscope::service {

// The requested report: the last, or ?version=. kNotFound lists the existing ones.
Result<const store::RunReport*> ReportOf(const store::Run& run, const Call& call);

// Null: the report has no such part.
const store::RunTable* FindPart(const store::RunReport& report, std::string_view name);

// Without what a report of another version lacks.
api::RunSummary SummaryOf(const store::RunReport& report);
// Of the last report; nullopt without one.
std::optional<api::RunSummary> SummaryOf(const store::Run& run);

// Whether it is a report on a serving program (rankscope serving), not on a job.
bool IsOfServing(const store::RunReport& report);

// The parameter by which ReportOf selects a report.
inline constexpr Parameter kVersionParameter = {"version", "query", "integer",
                                                "of the report; the last without"};

}  // namespace rankscope::service
