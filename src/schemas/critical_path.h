// The tables of the critical path that others read.
#pragma once

#include <string_view>

#include "schemas/part_shares.h"

namespace rankscope {

struct JobCriticalPath : PartShares {
  static constexpr std::string_view kName = "job_critical_path";

  JobCriticalPath()
      : PartShares(
            "host, data_loading, launch, kernel_gap, compute, communication, copy, unexplained",
            "rank") {}
};

}  // namespace rankscope
