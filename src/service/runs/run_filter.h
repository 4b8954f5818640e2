// RunFilter: the runs that a list shows, by the parameters of its request:
// ?state=ready&tag=branch=main. Several of one name are alternatives; of different names all hold.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "http/message.h"
#include "store/run_criterion.h"

namespace rankscope::service {

// Converts the parameters of `query`, except those of `others`, to a query of the catalogue.
// kInvalidArgument for a name that is no filter of runs.
Result<std::vector<store::RunCriterion>> RunFilterOf(const http::Fields& query,
                                                     std::span<const std::string_view> others);

}  // namespace rankscope::service
