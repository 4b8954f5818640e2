// Two jobs of a command line, opened and compared.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "cli/command.h"
#include "report/diff_report.h"
#include "stage/analysis.h"

namespace rankscope::cli {

enum class HtaTables { kNot, kToo };  // hta.trace_diff and hta.ops_diff with HTA's defaults

Result<DiffReport> CompareJobs(const JobArguments& base, const JobArguments& test, HtaTables hta);

// A report of HTA's two tables alone, by its parameters.
Result<DiffReport> CompareAsHta(const JobArguments& base, const JobArguments& test,
                                const Options& settings);

bool IsHtaTable(std::string_view name);
// A usage error for what is no table of a comparison.
Status CheckDiffTable(const std::string& name);

}  // namespace rankscope::cli
