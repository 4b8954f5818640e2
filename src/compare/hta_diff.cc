#include "compare/hta_diff.h"

#include <charconv>
#include <set>
#include <utility>

#include "base/saturating.h"
#include "schemas/hta_diff.h"

namespace rankscope {
namespace {

struct Sum {
  std::int64_t counts = 0;
  std::int64_t duration = 0;
};
using SumsByName = std::map<std::string, Sum>;

// The wanted one, or the first; iterations that are none (-1) only where there is no other.
Result<std::int64_t> Choose(const std::set<std::int64_t>& all, std::optional<std::int64_t> wanted,
                            std::string_view what, std::string_view side) {
  if (wanted && !all.contains(*wanted))
    return Error(StatusCode::kNotFound, "{} has no {} {}", side, what, *wanted);
  if (wanted) return *wanted;
  const auto first = all.lower_bound(0);
  return first != all.end() ? *first : -1;
}

Result<SumsByName> SumsOf(ViewOf<HtaOpsSummary> ops, std::string_view side,
                          std::optional<std::int64_t> rank, std::optional<std::int64_t> iteration,
                          std::string_view device_type) {
  const auto& columns = SchemaOf<HtaOpsSummary>();
  std::set<std::int64_t> ranks;
  for (std::size_t row = 0; row < ops.row_count(); ++row) ranks.insert(ops.Int(row, columns.rank));
  RS_ASSIGN_OR_RETURN(const std::int64_t of_rank, Choose(ranks, rank, "rank", side));
  std::set<std::int64_t> iterations;
  for (std::size_t row = 0; row < ops.row_count(); ++row) {
    if (ops.Int(row, columns.rank) == of_rank) iterations.insert(ops.Int(row, columns.iteration));
  }
  RS_ASSIGN_OR_RETURN(const std::int64_t of_iteration,
                      Choose(iterations, iteration, "iteration", side));
  SumsByName sums;
  for (std::size_t row = 0; row < ops.row_count(); ++row) {
    if (ops.Int(row, columns.rank) != of_rank || ops.Int(row, columns.iteration) != of_iteration ||
        (device_type != "ALL" && ops.String(row, columns.device_type) != device_type))
      continue;
    Sum& sum = sums[std::string(ops.String(row, columns.name))];
    AddSaturating(sum.counts, ops.Int(row, columns.counts));
    AddSaturating(sum.duration, ops.Int(row, columns.total_duration));
  }
  return sums;
}

}  // namespace

std::vector<TableOption> HtaDiffTableOptions() {
  return {
      {"control_rank", "", "rank of BASE; empty = its first"},
      {"test_rank", "", "rank of TEST; empty = its first"},
      {"control_iteration", "", "iteration of BASE's rank; empty = its first"},
      {"test_iteration", "", "iteration of TEST's rank; empty = its first"},
      {"device_type", "ALL", "ALL, CPU (events without a stream) or GPU (events with one)"},
      {"use_short_name", "false", "true: names without template arguments and parameters are one"}};
}

Result<HtaDiffOptions> ParseHtaDiffOptions(
    const std::map<std::string, std::string, std::less<>>& by_name) {
  HtaDiffOptions options;
  const std::map<std::string_view, std::optional<std::int64_t>*> numbers = {
      {"control_rank", &options.control_rank},
      {"test_rank", &options.test_rank},
      {"control_iteration", &options.control_iteration},
      {"test_iteration", &options.test_iteration}};
  for (const auto& [name, value] : by_name) {
    if (name == "device_type") {
      options.device_type = value.substr(value.rfind('.') + 1);
      if (options.device_type != "ALL" && options.device_type != "CPU" &&
          options.device_type != "GPU")
        return Error(StatusCode::kInvalidArgument, "device_type must be ALL, CPU or GPU, not '{}'",
                     value);
      continue;
    }
    const auto number = numbers.find(name);
    if (number == numbers.end())
      return Error(StatusCode::kInvalidArgument,
                   "there is no option '{}'; hta.trace_diff and hta.ops_diff have control_rank, "
                   "test_rank, control_iteration, test_iteration, device_type and use_short_name",
                   name);
    std::int64_t parsed = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
    if (error != std::errc() || end != value.data() + value.size())
      return Error(StatusCode::kInvalidArgument, "option {} must be a whole number, not '{}'", name,
                   value);
    *number->second = parsed;
  }
  return options;
}

Result<Table> HtaTraceDiffOf(const Table& control, const Table& test,
                             const HtaDiffOptions& options) {
  RS_ASSIGN_OR_RETURN(const SumsByName of_control,
                      SumsOf(control, "BASE", options.control_rank, options.control_iteration,
                             options.device_type));
  RS_ASSIGN_OR_RETURN(
      const SumsByName of_test,
      SumsOf(test, "TEST", options.test_rank, options.test_iteration, options.device_type));
  std::map<std::string, std::pair<Sum, Sum>> both;
  for (const auto& [name, sum] : of_control) both[name].first = sum;
  for (const auto& [name, sum] : of_test) both[name].second = sum;
  const auto& columns = SchemaOf<HtaTraceDiff>();
  auto table = columns.NewTable(std::string(HtaTraceDiff::kName));
  for (const auto& [name, sums] : both) {
    const auto& [base, other] = sums;
    const std::int64_t more = SaturatingSubtract(other.counts, base.counts);
    table.Add({columns.name = name, columns.control_counts = base.counts,
               columns.control_total_duration = base.duration, columns.test_counts = other.counts,
               columns.test_total_duration = other.duration, columns.diff_counts = more,
               columns.diff_duration = SaturatingSubtract(other.duration, base.duration),
               columns.counts_change_categories = more > 0   ? "+"
                                                  : more < 0 ? "-"
                                                             : "="});
  }
  return table;
}

Table HtaOpsDiffOf(ViewOf<HtaTraceDiff> trace_diff) {
  const auto& of_trace = SchemaOf<HtaTraceDiff>();
  const auto& columns = SchemaOf<HtaOpsDiff>();
  auto table = columns.NewTable(std::string(HtaOpsDiff::kName));
  const auto category = [&](std::size_t row) -> std::string_view {
    if (trace_diff.Int(row, of_trace.control_counts) == 0) return "added";
    if (trace_diff.Int(row, of_trace.test_counts) == 0) return "deleted";
    const std::int64_t more = trace_diff.Int(row, of_trace.diff_counts);
    return more > 0 ? "increased" : more < 0 ? "decreased" : "unchanged";
  };
  for (const std::string_view one : {"added", "deleted", "increased", "decreased", "unchanged"}) {
    for (std::size_t row = 0; row < trace_diff.row_count(); ++row) {
      if (category(row) == one)
        table.Add({columns.category = one, columns.name = trace_diff.String(row, of_trace.name)});
    }
  }
  return table;
}

}  // namespace rankscope
