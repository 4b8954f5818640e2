#include "service/run_filter.h"

#include <algorithm>

namespace rankscope::service {
namespace {

using store::Run;

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

std::span<const std::string_view> RunFilter::Texts() { return kTexts; }

Result<RunFilter> RunFilter::Of(const http::Fields& query,
                                std::span<const std::string_view> others) {
  RunFilter filter;
  for (const auto& [name, value] : query) {
    if (std::ranges::find(others, name) != others.end()) continue;
    const auto text = std::ranges::find(kTexts, name);
    if (text == std::end(kTexts) && name != "state" && name != "tag")
      return Error(StatusCode::kInvalidArgument, "runs are not filtered by '{}'", name);
    auto same = std::ranges::find(filter.criteria_, name, &Criterion::name);
    if (same == filter.criteria_.end()) {
      filter.criteria_.push_back(
          {.name = name,
           .text = text == std::end(kTexts) ? nullptr : kMembers[text - std::begin(kTexts)],
           .values = {}});
      same = std::prev(filter.criteria_.end());
    }
    same->values.push_back(value);
  }
  return filter;
}

bool RunFilter::Fulfils(const Run& run, const Criterion& criterion, std::string_view value) {
  if (criterion.text != nullptr) return run.*criterion.text == value;
  return criterion.name == "state" ? store::ToString(run.state) == value : HasTag(run, value);
}

bool RunFilter::Wants(const Run& run) const {
  return std::ranges::all_of(criteria_, [&](const Criterion& criterion) {
    return std::ranges::any_of(
        criterion.values, [&](const std::string& value) { return Fulfils(run, criterion, value); });
  });
}

}  // namespace rankscope::service
