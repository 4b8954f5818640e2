// Which attribute of runs goes with a change of their values: the suspected cause.
//
// An attribute is split in two: the runs that have one of its values, and all others. It explains
// 1 - (squares around the two means) / (squares around the mean of all) of the variance of the
// values of both regimes. The split that explains most is suspected. Attributes that split the runs
// alike cannot be told apart, and are named together.
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
  std::vector<std::string_view> values;  // of each run; "" is not known
};

struct AttributeSplit {
  std::string_view attribute;
  std::string_view value;   // that the changed runs have
  std::string_view before;  // the most frequent value of the runs before; "" is not known
  double explained = 0;     // 0 to 1, of the variance
  std::vector<std::string_view> or_else;  // other attributes that explain as much, within 1 %
};

// `values` of runs in the order of time, those from `change` on are of the new regime. Attributes
// stand in the order in which they are preferred when they explain the same. nullopt when nothing
// explains `least` of the variance, and 95 % of what the moment of the change explains: what
// changed some days earlier or later only lies near it. A value that as many of the runs before
// have as after, and one that is not known, is no cause. A host is one only if the runs of other
// hosts after the change stayed where they were: those differ from the level before by less than a
// third of the change. O(attributes x values x runs).
std::optional<AttributeSplit> ExplainChange(std::span<const double> values, std::size_t change,
                                            std::span<const Attribute> attributes, double least);

}  // namespace rankscope::fleet
