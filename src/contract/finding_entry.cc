#include "contract/finding_entry.h"

#include <fmt/core.h>

#include "base/nearest_name.h"

namespace rankscope {

std::string NoSuchFinding(std::string_view typed, const std::vector<std::string>& names) {
  const std::string_view nearest = NearestName(typed, names);
  return fmt::format("there is no finding '{}'; {}rankscope explain lists all", typed,
                     nearest.empty() ? "" : fmt::format("did you mean {}? ", nearest));
}

}  // namespace rankscope
