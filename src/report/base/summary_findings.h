// The findings in a run's summary, of the tables of findings of all subjects.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "api/run.h"

namespace rankscope {

template <typename Rows>
api::FindingCounts CountsOf(const Rows& findings) {
  api::FindingCounts counts;
  for (std::size_t row = 0; row < findings.rows(); ++row) {
    const auto severity = findings.String(row, findings->severity);
    if (severity == "high") ++counts.high;
    if (severity == "medium") ++counts.medium;
    if (severity == "low") ++counts.low;
  }
  return counts;
}

// The first of them, without `who`, which not every subject has.
template <typename Rows>
std::vector<api::SummaryFinding> TopOf(const Rows& findings) {
  constexpr std::size_t kMostInSummary = 3;
  std::vector<api::SummaryFinding> top;
  for (std::size_t row = 0; row < std::min(findings.rows(), kMostInSummary); ++row)
    top.push_back({.id = std::string(findings.String(row, findings->id)),
                   .severity = std::string(findings.String(row, findings->severity)),
                   .gain_pct = findings.Number(row, findings->gain_pct),
                   .title = std::string(findings.String(row, findings->title)),
                   .who = ""});
  return top;
}

}  // namespace rankscope
