// For use cases, not for their users: tables by name as the engine takes them.
#pragma once

#include <memory>
#include <vector>

#include "app/open_job.h"
#include "base/status.h"
#include "engine/job.h"

namespace rankscope::app {

// kInvalidArgument for a table that there is not. Settings are checked when it is made.
Result<Request> RequestOf(const TableRequest& request);
Result<std::vector<Request>> RequestsOf(const std::vector<TableRequest>& requests);

// OpenJob of tables that are in no list.
Result<std::unique_ptr<OpenedJob>> OpenJobFor(const JobSpec& spec,
                                              const std::vector<Request>& planned,
                                              Listener& listener);
// The error that making the table would be, before anything is read.
Status CheckSettings(const TableRequest& request);

}  // namespace rankscope::app
