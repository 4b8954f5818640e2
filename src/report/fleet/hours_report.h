// What `rankscope fleet hours` says to people.
#pragma once

#include <string>

#include "table/table.h"
#include "table/write_text.h"

namespace rankscope {

// `capacity` and `hours` are fleet_capacity and fleet_hours; `by` is what the values are of. Of
// periods there may be one or many.
std::string WriteHoursText(const Table& capacity, const Table& hours, const std::string& by,
                           const TextOptions& options);

}  // namespace rankscope
