// The ranks that the findings accuse: who comes last somewhere may have waited for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/base/report.h"

namespace rankscope {

struct AtFault {
  std::vector<std::int64_t> ranks;
  std::string who;      // "rank 5"
  std::string finding;  // its id
  std::string what;     // "slower kernels", as its contribution says
};

// Of the first finding of high or medium severity that accuses some of the recorded ranks and not
// all of them; nullopt without any.
std::optional<AtFault> RanksAtFault(const Report& report);

}  // namespace rankscope
