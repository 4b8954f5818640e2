// The most expensive kernels, ops, modules and lines of code of a job, for `rankscope top`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/listener.h"
#include "app/open_job.h"
#include "base/status.h"
#include "table/table.h"

namespace rankscope::app {

// "kernels", "ops", "modules", "lines".
std::vector<std::string> TopKinds();

struct TopList {
  Table table;                       // all rows, most expensive first, with all columns
  std::vector<std::string> columns;  // the most important columns
  std::string missing;               // if it has no rows: why, and what to record
};

// kInvalidArgument for another kind.
Result<TopList> TopOf(std::string_view kind, const JobSpec& spec, Listener& listener);

}  // namespace rankscope::app
