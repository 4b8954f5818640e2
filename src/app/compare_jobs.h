// Opens and compares two jobs: the use case of `diff`.
#pragma once

#include <string>
#include <string_view>

#include "app/listener.h"
#include "app/open_job.h"
#include "base/status.h"
#include "report/diff/diff_report.h"

namespace rankscope::app {

enum class HtaTables { kNot, kToo };  // hta.trace_diff and hta.ops_diff with HTA's defaults

// kNotFound if one of them has none of the selected steps.
Result<DiffReport> CompareJobs(const JobSpec& base, const JobSpec& test, HtaTables hta,
                               Listener& listener);

// A report of only HTA's two tables, with HTA's parameters.
Result<DiffReport> CompareAsHta(const JobSpec& base, const JobSpec& test, const Settings& settings,
                                Listener& listener);

// The same for open jobs.
Result<DiffReport> CompareJobs(OpenedJob& base, OpenedJob& test, HtaTables hta, Listener& listener);

bool IsHtaTable(std::string_view name);
// A usage error if `name` is not a table of a comparison.
Status CheckDiffTable(const std::string& name);

}  // namespace rankscope::app
