// Writes the report on a serving program for commands.
#pragma once

#include <string>

#include "base/status.h"
#include "report/serving/serving_report.h"

namespace rankscope::cli {

// `format`: text, json, markdown, html, view or folder. `output`: a file, the folder, or "" for
// standard output.
Status WriteServing(const ServingReport& report, const std::string& format,
                    const std::string& output);

}  // namespace rankscope::cli
