// Only for use cases: tables by name, for the engine.
#pragma once

#include <memory>
#include <vector>

#include "app/open_job.h"
#include "base/status.h"
#include "engine/job.h"

namespace rankscope::app {

// kInvalidArgument for an unknown table. Settings are checked when the table is made.
Result<Request> RequestOf(const TableRequest& request);
Result<std::vector<Request>> RequestsOf(const std::vector<TableRequest>& requests);

// OpenJob for tables that are in no list.
Result<std::unique_ptr<OpenedJob>> OpenJobFor(const JobSpec& spec,
                                              const std::vector<Request>& planned,
                                              Listener& listener);
// The error that making the table would give, before anything is read.
Status CheckSettings(const TableRequest& request);

}  // namespace rankscope::app
