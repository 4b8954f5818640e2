#include "fleet/rows/rollup.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/saturating.h"
#include "statistics/duration_buckets.h"
#include "table/or_null.h"

namespace rankscope::fleet {
namespace {

struct Sums {
  std::int64_t runs = 0, runs_once = 0, launches = 0, total = 0, unweighted = 0;
  std::optional<std::int64_t> fleet_launches, fleet_ms;
  DurationBuckets buckets;
  bool has_all_buckets = true;
  std::string example;
  std::int64_t example_total = -1;
};

void AddKnown(const std::optional<std::int64_t>& value, std::optional<std::int64_t>& sum) {
  if (value) sum = SaturatingAdd(sum.value_or(0), *value);
}

// "" is not known, which no name is.
constexpr std::size_t kNames = 10;
using Names = std::array<std::string, kNames>;

}  // namespace

struct DayRollup::State {
  using Strata = std::map<Names, Sums>;
  // A run counts in the first of its strata, whatever the order of the rows.
  void CountOnce(std::string kernel_of_run, Strata::iterator stratum) {
    const auto [counted, is_new] = counted_in.try_emplace(std::move(kernel_of_run), stratum);
    if (!is_new && stratum->first >= counted->second->first) return;
    if (!is_new) --counted->second->second.runs_once;
    ++stratum->second.runs_once;
    counted->second = stratum;
  }

  Strata strata;
  std::unordered_map<std::string, Strata::iterator> counted_in;
};

DayRollup::DayRollup() : state_(std::make_unique<State>()) {}
DayRollup::~DayRollup() = default;

Status DayRollup::Add(ViewOf<KernelRun> rows) {
  const auto& columns = SchemaOf<KernelRun>();
  for (std::size_t row = 0; row < rows.row_count(); ++row) {
    const auto text = [&](auto column) { return std::string(rows.TextOrEmpty(row, column)); };
    std::string run = text(columns.run_id);
    const Names names = {text(columns.day),          text(columns.team),
                         text(columns.model),        text(columns.device_model),
                         text(columns.kernel_key),   text(columns.kernel_class),
                         text(columns.work),         text(columns.bound),
                         text(columns.shape_bucket), text(columns.dtype)};
    std::string kernel_of_run = run;
    for (const std::size_t part : {3, 4, 5, 6, 9}) kernel_of_run += '\0' + names[part];
    const auto stratum = state_->strata.try_emplace(names).first;
    state_->CountOnce(std::move(kernel_of_run), stratum);
    Sums& sums = stratum->second;
    const std::int64_t total = rows.Int(row, columns.total_ns);
    ++sums.runs;
    AddSaturating(sums.launches, rows.Int(row, columns.launches));
    AddSaturating(sums.total, total);
    AddKnown(rows.Known(row, columns.fleet_launches), sums.fleet_launches);
    AddKnown(rows.Known(row, columns.fleet_ms), sums.fleet_ms);
    if (rows.IsNull(row, columns.fleet_ms)) AddSaturating(sums.unweighted, total);
    if (total > sums.example_total || (total == sums.example_total && run < sums.example)) {
      sums.example_total = total;
      sums.example = std::move(run);
    }
    if (rows.IsNull(row, columns.sketch)) {
      sums.has_all_buckets = false;
      continue;
    }
    RS_ASSIGN_OR_RETURN(const DurationBuckets buckets,
                        DurationBuckets::Decode(rows.String(row, columns.sketch)));
    sums.buckets.Merge(buckets);
  }
  return OkStatus();
}

TableOf<KernelDay> DayRollup::Finish() {
  const auto& columns = SchemaOf<KernelDay>();
  auto table = columns.NewTable(std::string(KernelDay::kName));
  for (const auto& [names, sums] : state_->strata) {
    const bool is_known = sums.has_all_buckets;
    const auto quantile = [&is_known, &sums = sums](double q) {
      return is_known ? Value(sums.buckets.Quantile(q)) : Value(kNull);
    };
    const std::string sketch = is_known ? sums.buckets.Encode() : std::string();
    table.Add({columns.day = names[0],
               columns.team = TextOrNull(names[1]),
               columns.model = TextOrNull(names[2]),
               columns.device_model = TextOrNull(names[3]),
               columns.kernel_key = names[4],
               columns.kernel_class = names[5],
               columns.work = names[6],
               columns.bound = TextOrNull(names[7]),
               columns.shape_bucket = TextOrNull(names[8]),
               columns.dtype = TextOrNull(names[9]),
               columns.runs = sums.runs,
               columns.runs_once = sums.runs_once,
               columns.launches = sums.launches,
               columns.total_ns = sums.total,
               columns.fleet_launches = sums.fleet_launches,
               columns.fleet_ms = sums.fleet_ms,
               columns.unweighted_ns = sums.unweighted,
               columns.p50_ns = quantile(0.5),
               columns.p90_ns = quantile(0.9),
               columns.p99_ns = quantile(0.99),
               columns.sketch = TextOrNull(sketch),
               columns.example_run = sums.example});
  }
  return table;
}

}  // namespace rankscope::fleet
