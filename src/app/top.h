// The dearest kernels, ops, modules and lines of code of a job: what `rankscope top` prints.
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
  Table table;                       // all rows, the dearest first, with all columns
  std::vector<std::string> columns;  // those to look at first
  std::string missing;               // why it has no rows and what to record; else empty
};

// kInvalidArgument for another kind.
Result<TopList> TopOf(std::string_view kind, const JobSpec& spec, Listener& listener);

}  // namespace rankscope::app
