// A job's report as a notebook that opens the same job.
#pragma once

#include <string>

#include "app/open_job.h"
#include "report/base/report.h"

namespace rankscope::app {

// See report/documents/notebook.h. kInvalidArgument if the job came from standard input, which a
// notebook cannot open again. `run_url`: the server's run with the traces of `spec`; the notebook
// fetches them from there. "" if the traces are local files.
Result<std::string> NotebookOf(const JobSpec& spec, const Report& report,
                               const std::string& run_url = "");

}  // namespace rankscope::app
