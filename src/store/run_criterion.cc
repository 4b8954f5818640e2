#include "store/run_criterion.h"

#include <algorithm>

namespace rankscope::store {
namespace {

constexpr std::string_view kTexts[] = {"id",    "name",    "user",      "team",
                                       "model", "product", "framework", "hardware"};
constexpr std::string Run::*kMembers[] = {&Run::id,        &Run::name,    &Run::user,
                                          &Run::team,      &Run::model,   &Run::product,
                                          &Run::framework, &Run::hardware};

bool HasTag(const Run& run, std::string_view wanted) {
  const std::size_t equals = wanted.find('=');
  const auto tag = run.tags.find(std::string(wanted.substr(0, equals)));
  if (tag == run.tags.end()) return false;
  return equals == std::string_view::npos || tag->second == wanted.substr(equals + 1);
}

}  // namespace

std::span<const std::string_view> TextFields() { return kTexts; }

bool Fulfils(const Run& run, const RunCriterion& criterion) {
  if (criterion.field == "tag")
    return std::ranges::any_of(criterion.values,
                               [&](const std::string& value) { return HasTag(run, value); });
  const auto field = std::ranges::find(kTexts, criterion.field);
  const std::string_view text = field == std::end(kTexts)
                                    ? ToString(run.state)
                                    : std::string_view(run.*kMembers[field - std::begin(kTexts)]);
  return std::ranges::find(criterion.values, text) != criterion.values.end();
}

bool FulfilsAll(const Run& run, std::span<const RunCriterion> criteria) {
  return std::ranges::all_of(
      criteria, [&](const RunCriterion& criterion) { return Fulfils(run, criterion); });
}

}  // namespace rankscope::store
