// A job replayed with changes: the resulting step time.
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

// The table `what_if` (schemas/findings.h) for the changes, all applied at once. kInvalidArgument
// for an invalid change, kBadData if the replay of this job predicts nothing.
Result<Table> WhatIfOf(const JobSpec& spec, const std::vector<std::string>& changes,
                       Listener& listener);
// The same for an open job.
Result<Table> WhatIfOf(OpenedJob& job, const std::vector<std::string>& changes, Listener& listener);

}  // namespace rankscope::app
