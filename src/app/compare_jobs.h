// Two jobs, opened and compared: what `diff` says.
#pragma once

#include <string>
#include <string_view>

#include "app/listener.h"
#include "app/open_job.h"
#include "base/status.h"
#include "report/diff_report.h"

namespace rankscope::app {

enum class HtaTables { kNot, kToo };  // hta.trace_diff and hta.ops_diff with HTA's defaults

// kNotFound where one of them has no step of those that were chosen.
Result<DiffReport> CompareJobs(const JobSpec& base, const JobSpec& test, HtaTables hta,
                               Listener& listener);

// A report of HTA's two tables alone, by its parameters.
Result<DiffReport> CompareAsHta(const JobSpec& base, const JobSpec& test, const Settings& settings,
                                Listener& listener);

// Of jobs that are open already.
Result<DiffReport> CompareJobs(OpenedJob& base, OpenedJob& test, HtaTables hta, Listener& listener);

bool IsHtaTable(std::string_view name);
// A usage error for what is no table of a comparison.
Status CheckDiffTable(const std::string& name);

}  // namespace rankscope::app
