// Finds the attribute of runs that coincides with a change of their values: the suspected cause.
//
// An attribute splits runs in two: the runs with one of its values, and all others. The split
// explains 1 - (squares around the two means) / (squares around the mean of all) of the variance of
// the values of both regimes. The split that explains most is the suspect. Attributes that split
// the runs in the same way cannot be distinguished, and are named together.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::fleet {

struct Attribute {
  std::string_view name;                 // "driver"
  std::vector<std::string_view> values;  // per run; "": unknown
};

struct AttributeSplit {
  std::string_view attribute;
  std::string_view value;                 // value of the changed runs
  std::string_view before;                // the most frequent value of the runs before; "": unknown
  double explained = 0;                   // share of the variance, 0 to 1
  std::vector<std::string_view> or_else;  // other attributes that explain as much, within 1 %
};

// `values` are runs in time order; those from `change` on belong to the new regime. Attributes are
// in order of preference for equal explanations. nullopt if nothing explains both `least` of the
// variance and 95 % of what the moment of the change explains; an attribute that changed some days
// earlier or later is only nearby. A value is no cause if it is unknown, or not more frequent after
// the change than before. A host is a cause only if the runs of other hosts stayed at the old level
// after the change: they differ from it by less than a third of the change. O(attributes x values x
// runs).
std::optional<AttributeSplit> ExplainChange(std::span<const double> values, std::size_t change,
                                            std::span<const Attribute> attributes, double least);

}  // namespace rankscope::fleet
