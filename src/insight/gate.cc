#include "insight/gate.h"

#include <fmt/core.h>

#include <array>
#include <string>
#include <vector>

#include "base/nearest_name.h"
#include "insight/all_rules.h"
#include "insight/job_findings.h"
#include "schemas/findings.h"

namespace rankscope {
namespace {

// The worst first.
constexpr std::array<std::string_view, 3> kSeverities = {"high", "medium", "low"};

// kSeverities.size() for what is no severity.
std::size_t LevelOf(std::string_view severity) {
  std::size_t level = 0;
  while (level < kSeverities.size() && kSeverities[level] != severity) ++level;
  return level;
}

}  // namespace

Status CheckGate(std::string_view gate) {
  if (LevelOf(gate) < kSeverities.size() || RuleOf(gate) != nullptr) return OkStatus();
  std::vector<std::string> names = JobFindingNames();
  names.insert(names.end(), kSeverities.begin(), kSeverities.end());
  const std::string_view nearest = NearestName(gate, names);
  return Error(StatusCode::kInvalidArgument,
               "--fail-on takes high, medium, low or the id of a finding, not '{}'{}; rankscope "
               "explain lists all findings",
               gate, nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest));
}

Result<std::optional<std::string>> GateHit(std::string_view gate, ViewOf<Findings> findings,
                                           const Table* not_evaluated) {
  const std::size_t level = LevelOf(gate);
  const bool is_level = level < kSeverities.size();
  const auto& columns = SchemaOf<Findings>();
  for (std::size_t row = 0; row < findings.row_count(); ++row) {
    const std::string_view severity = findings.TextOrEmpty(row, columns.severity);
    const std::string_view id = findings.TextOrEmpty(row, columns.id);
    if (is_level ? LevelOf(severity) > level : id != gate) continue;
    return std::optional(fmt::format("--fail-on {}: {} ({}): {}", gate, id, severity,
                                     findings.TextOrEmpty(row, columns.title)));
  }
  if (is_level || not_evaluated == nullptr) return std::optional<std::string>();
  const auto& missing = SchemaOf<NotEvaluated>();
  const ViewOf<NotEvaluated> unseen = *not_evaluated;
  for (std::size_t row = 0; row < unseen.row_count(); ++row) {
    if (unseen.TextOrEmpty(row, missing.id) != gate) continue;
    return Error(StatusCode::kNotFound, "--fail-on {} cannot be decided: {}", gate,
                 unseen.TextOrEmpty(row, missing.reason));
  }
  return std::optional<std::string>();
}

}  // namespace rankscope
