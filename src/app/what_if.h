// A job replayed with changes: how long would a step take.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/listener.h"
#include "app/open_job.h"
#include "base/status.h"
#include "table/table.h"

namespace rankscope::app {

struct ChangeForm {
  std::string_view form;  // "scale:kind=KIND,factor=F"
  std::string_view what;
};
std::vector<ChangeForm> ChangeForms();

// The table `what_if` (schemas/findings.h) of the changes, all made at once. kInvalidArgument for
// what is no change, kBadData where the replay of this job predicts nothing.
Result<Table> WhatIfOf(const JobSpec& spec, const std::vector<std::string>& changes,
                       Listener& listener);
// Of a job that is open already.
Result<Table> WhatIfOf(OpenedJob& job, const std::vector<std::string>& changes, Listener& listener);

}  // namespace rankscope::app
