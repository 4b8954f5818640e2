// A job's report as a notebook that opens the same job.
#pragma once

#include <string>

#include "app/open_job.h"
#include "report/report.h"

namespace rankscope::app {

// report/notebook.h. kInvalidArgument where the job came from standard input, which no notebook can
// open again.
// `run_url`: of the server's run whose traces `spec` names; the notebook fetches them from there.
// "" where the traces are files of whoever opens it.
Result<std::string> NotebookOf(const JobSpec& spec, const Report& report,
                               const std::string& run_url = "");

}  // namespace rankscope::app
