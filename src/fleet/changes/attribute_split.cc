#include "fleet/changes/attribute_split.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace rankscope::fleet {
namespace {

// What explains this much less than the best one cannot be told from it.
constexpr double kAlike = 0.01;
// An attribute that explains less than this part of what the time of the change itself explains
// only happens to have changed near it.
constexpr double kAsWellAsTime = 0.95;
// A change of others is none while it is below this part of the change itself.
constexpr double kStayed = 1.0 / 3;
// Attributes whose values are places: a change of the whole fleet is not theirs.
bool IsPlace(std::string_view attribute) { return attribute == "host" || attribute == "rack"; }

struct Group {
  double n = 0, sum = 0, squares = 0;
  void Add(double value) {
    n += 1;
    sum += value;
    squares += value * value;
  }
  double Mean() const { return n > 0 ? sum / n : 0; }
};

double MeanOf(std::span<const double> values) {
  Group group;
  for (const double value : values) group.Add(value);
  return group.Mean();
}

struct Counts {
  double before = 0, after = 0;
};

std::map<std::string_view, Counts> CountValues(const Attribute& attribute, std::size_t change) {
  std::map<std::string_view, Counts> counts;
  for (std::size_t i = 0; i < attribute.values.size(); ++i) {
    Counts& count = counts[attribute.values[i]];
    (i < change ? count.before : count.after) += 1;
  }
  return counts;
}

// Part of the variance that a division of the runs in two explains.
template <typename IsOfFirst>
double Explained(std::span<const double> values, const IsOfFirst& is_of_first) {
  const double centre = MeanOf(values);  // keeps the digits of squares
  Group with, without;
  for (std::size_t i = 0; i < values.size(); ++i)
    (is_of_first(i) ? with : without).Add(values[i] - centre);
  if (with.n == 0 || without.n == 0) return 0;
  const double total = with.squares + without.squares;
  if (total <= 0) return 0;
  return (with.n * with.Mean() * with.Mean() + without.n * without.Mean() * without.Mean()) / total;
}

bool OthersStayed(std::span<const double> values, std::size_t change, const Attribute& attribute,
                  std::string_view value) {
  Group others, changed;
  for (std::size_t i = change; i < values.size(); ++i)
    (attribute.values[i] == value ? changed : others).Add(values[i]);
  const double before = MeanOf(values.first(change));
  return others.n > 0 &&
         std::abs(others.Mean() - before) < kStayed * std::abs(changed.Mean() - before);
}

std::string_view MostFrequentBefore(const std::map<std::string_view, Counts>& counts) {
  std::string_view value;
  double most = 0;
  for (const auto& [name, count] : counts) {
    if (count.before > most) {
      most = count.before;
      value = name;
    }
  }
  return value;
}

std::optional<AttributeSplit> BestOf(std::span<const double> values, std::size_t change,
                                     const Attribute& attribute) {
  const std::map<std::string_view, Counts> counts = CountValues(attribute, change);
  const auto before = static_cast<double>(change);
  const auto after = static_cast<double>(values.size() - change);
  std::optional<AttributeSplit> best;
  for (const auto& [value, count] : counts) {
    if (value.empty() || count.after / after <= count.before / before) continue;
    if (IsPlace(attribute.name) && !OthersStayed(values, change, attribute, value)) continue;
    const double explained = Explained(values, [&attribute, &value = value](std::size_t i) {
      return attribute.values[i] == value;
    });
    if (best && explained <= best->explained) continue;
    best = AttributeSplit{.attribute = attribute.name,
                          .value = value,
                          .before = MostFrequentBefore(counts),
                          .explained = explained,
                          .or_else = {}};
  }
  return best;
}

}  // namespace

std::optional<AttributeSplit> ExplainChange(std::span<const double> values, std::size_t change,
                                            std::span<const Attribute> attributes, double least) {
  if (change == 0 || change >= values.size()) return std::nullopt;
  std::vector<AttributeSplit> splits;
  for (const Attribute& attribute : attributes) {
    if (auto split = BestOf(values, change, attribute)) splits.push_back(*std::move(split));
  }
  if (splits.empty()) return std::nullopt;
  const double most = std::ranges::max_element(splits, {}, &AttributeSplit::explained)->explained;
  const double by_time = Explained(values, [&](std::size_t i) { return i >= change; });
  if (most < least || most < kAsWellAsTime * by_time) return std::nullopt;
  const auto is_alike = [&](const AttributeSplit& split) {
    return split.explained >= most - kAlike;
  };
  const auto best = std::ranges::find_if(splits, is_alike);
  AttributeSplit found = *best;
  for (auto other = best + 1; other != splits.end(); ++other) {
    if (is_alike(*other)) found.or_else.push_back(other->attribute);
  }
  return found;
}

}  // namespace rankscope::fleet
