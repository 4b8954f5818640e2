#include "fleet/rows/run_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <set>
#include <tuple>

#include "base/saturating.h"
#include "fleet/rows/kernel_key.h"
#include "schemas/captures.h"
#include "schemas/device.h"
#include "schemas/findings.h"
#include "schemas/kernels.h"
#include "schemas/roofline.h"
#include "schemas/steps.h"
#include "statistics/duration_buckets.h"
#include "table/or_null.h"

namespace rankscope::fleet {
namespace {

constexpr double kMsAnHour = 3.6e6;
constexpr double kNsAMillisecond = 1e6;
// A class is bound by what binds this part of its modelled time.
constexpr double kMostly = 0.9;
// 2000-01-01. A clock that says less counts from a boot or from the begin of the recording.
constexpr std::int64_t kFirstDayNs = std::int64_t{946'684'800} * 1'000'000'000;
// Weights and products of them beyond are no durations of devices.
constexpr double kMostInteger = 9e18;

std::string TagOf(const RunInput& run, const char* name) {
  const auto found = run.tags.find(name);
  return found == run.tags.end() ? std::string() : found->second;
}

template <typename S>
bool Has(const Table* table) {
  return table != nullptr && SchemaOf<S>().Fits(*table);
}

Value Rounded(double value) {
  if (!std::isfinite(value) || std::abs(value) > kMostInteger) return kNull;
  return static_cast<std::int64_t>(std::llround(value));
}

// What the run is as a whole.
struct RunFacts {
  std::string day;
  std::int64_t start_ns = 0;
  std::string host, device_model;
  std::int64_t ranks = 0;
  Value steps = kNull;
  std::int64_t wall_ns = 0, busy_ns = 0;
  std::optional<std::int64_t> device_ms;
  std::optional<double> weight;
};

void TakeCaptures(const RunInput& run, RunFacts& facts) {
  std::set<std::string> hosts, devices;
  std::set<std::int64_t> ranks;
  if (Has<Captures>(run.captures)) {
    const auto& columns = SchemaOf<Captures>();
    const ViewOf<Captures> rows = *run.captures;
    for (std::size_t row = 0; row < rows.row_count(); ++row) {
      if (rows.IsNull(row, columns.analysed) || !rows.Bool(row, columns.analysed)) continue;
      hosts.insert(std::string(rows.TextOrEmpty(row, columns.host)));
      devices.insert(std::string(rows.TextOrEmpty(row, columns.device)));
      if (const auto rank = rows.Known(row, columns.rank)) ranks.insert(*rank);
    }
  }
  facts.ranks = static_cast<std::int64_t>(ranks.size());
  if (hosts.size() == 1) facts.host = *hosts.begin();
  if (devices.size() == 1) facts.device_model = *devices.begin();
  if (devices.empty() || (devices.size() == 1 && facts.device_model.empty()))
    facts.device_model = run.hardware;
}

void TakeUtilisation(const RunInput& run, RunFacts& facts) {
  if (!Has<Utilisation>(run.utilisation)) return;
  const auto& columns = SchemaOf<Utilisation>();
  const ViewOf<Utilisation> rows = *run.utilisation;
  for (std::size_t row = 0; row < rows.row_count(); ++row) {
    AddSaturating(facts.wall_ns, rows.Known(row, columns.duration_ns).value_or(0));
    AddSaturating(facts.busy_ns, rows.Known(row, columns.busy_ns).value_or(0));
  }
}

std::optional<double> PositiveNumber(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value) || value <= 0) return std::nullopt;
  return value;
}

RunFacts FactsOf(const RunInput& run) {
  RunFacts facts;
  const bool is_of_day = run.origin_ns && *run.origin_ns >= kFirstDayNs;
  facts.start_ns = is_of_day ? *run.origin_ns : run.added_s * std::int64_t{1'000'000'000};
  facts.day = DayOf(facts.start_ns);
  TakeCaptures(run, facts);
  TakeUtilisation(run, facts);
  if (Has<JobSteps>(run.job_steps) && run.job_steps->row_count() > 0)
    facts.steps = static_cast<std::int64_t>(run.job_steps->row_count());
  const std::optional<double> hours = PositiveNumber(TagOf(run, "device_hours"));
  if (hours && *hours * kMsAnHour < kMostInteger)
    facts.device_ms = static_cast<std::int64_t>(std::llround(*hours * kMsAnHour));
  if (facts.device_ms && facts.wall_ns > 0) {
    facts.weight = static_cast<double>(*facts.device_ms) * kNsAMillisecond /
                   static_cast<double>(facts.wall_ns);
  }
  return facts;
}

void AddRunRow(const RunInput& run, const RunFacts& facts, FleetRows& rows) {
  const auto& columns = SchemaOf<FleetRun>();
  const std::string job = TagOf(run, "job").empty() ? run.name : TagOf(run, "job");
  const std::string driver = TagOf(run, "driver"), cuda = TagOf(run, "cuda"),
                    image = TagOf(run, "image"), commit = TagOf(run, "commit"),
                    cluster = TagOf(run, "cluster"), rack = TagOf(run, "rack");
  rows.runs.Add({columns.run_id = run.id,
                 columns.day = facts.day,
                 columns.start_ns = facts.start_ns,
                 columns.name = TextOrNull(run.name),
                 columns.job = TextOrNull(job),
                 columns.team = TextOrNull(run.team),
                 columns.user = TextOrNull(run.user),
                 columns.model = TextOrNull(run.model),
                 columns.product = TextOrNull(run.product),
                 columns.framework = TextOrNull(run.framework),
                 columns.driver = TextOrNull(driver),
                 columns.cuda = TextOrNull(cuda),
                 columns.image = TextOrNull(image),
                 columns.commit = TextOrNull(commit),
                 columns.cluster = TextOrNull(cluster),
                 columns.rack = TextOrNull(rack),
                 columns.host = TextOrNull(facts.host),
                 columns.device_model = TextOrNull(facts.device_model),
                 columns.world_size = run.world_size >= 0 ? Value(run.world_size) : Value(kNull),
                 columns.ranks = facts.ranks,
                 columns.steps = facts.steps,
                 columns.step_ns = run.step_ns,
                 columns.device_ms = facts.device_ms,
                 columns.traced_wall_ns = facts.wall_ns > 0 ? Value(facts.wall_ns) : Value(kNull),
                 columns.traced_busy_ns = facts.wall_ns > 0 ? Value(facts.busy_ns) : Value(kNull),
                 columns.weight = facts.weight,
                 columns.bottleneck = TextOrNull(run.bottleneck),
                 columns.content = run.content});
}

// What binds the ops of each class, by the roofline's families, which are called like classes but
// for matrix products.
std::map<std::string, std::string> BoundsOf(const RunInput& run) {
  std::map<std::string, std::map<std::string, double>> time;  // class -> bound -> ns
  if (Has<Roofline>(run.roofline)) {
    const auto& columns = SchemaOf<Roofline>();
    const ViewOf<Roofline> rows = *run.roofline;
    for (std::size_t row = 0; row < rows.row_count(); ++row) {
      std::string family(rows.TextOrEmpty(row, columns.family));
      const std::string bound(rows.TextOrEmpty(row, columns.bound));
      if (family.empty() || bound.empty()) continue;
      if (family == "matmul") family = "gemm";
      time[family][bound] += static_cast<double>(rows.Known(row, columns.device_ns).value_or(0));
    }
  }
  std::map<std::string, std::string> bounds;
  for (const auto& [name, by_bound] : time) {
    double all = 0;
    for (const auto& [bound, ns] : by_bound) all += ns;
    if (all <= 0) continue;
    bounds[name] = "mixed";
    for (const auto& [bound, ns] : by_bound) {
      if (ns >= kMostly * all) bounds[name] = bound;
    }
  }
  return bounds;
}

// Kernels of one key.
struct OfKey {
  std::string longest_name;
  std::int64_t longest_total = -1;
  std::int64_t names = 0, ranks = 0, launches = 0, total = 0;
  std::int64_t shortest = INT64_MAX, longest = 0;
  DurationBuckets buckets;
  bool has_buckets = true;
  Value p50 = kNull, p90 = kNull, p99 = kNull;  // where there are no buckets, and one name
};
// By key, class, work, data type and size of the op.
using Keys = std::map<std::array<std::string, 5>, OfKey>;

// Of either table of kernels.
template <typename S>
OfKey& Take(const ViewOf<S>& rows, std::size_t row, std::string_view size, Keys& keys) {
  const auto& columns = SchemaOf<S>();
  const std::string_view name = rows.String(row, columns.name);
  const std::string_view work = rows.String(row, columns.work);
  OfKey& key = keys[{KernelKey(name, work), std::string(rows.String(row, columns.class_)),
                     std::string(work), std::string(DtypeOf(name)), std::string(size)}];
  const std::int64_t total = rows.Int(row, columns.total_ns);
  if (total > key.longest_total) {
    key.longest_total = total;
    key.longest_name = name;
  }
  ++key.names;
  key.ranks = std::max(key.ranks, rows.Int(row, columns.ranks));
  AddSaturating(key.launches, rows.Int(row, columns.count));
  AddSaturating(key.total, total);
  key.shortest = std::min(key.shortest, rows.Int(row, columns.min_ns));
  key.longest = std::max(key.longest, rows.Int(row, columns.max_ns));
  return key;
}

Result<Keys> KeysOf(const RunInput& run) {
  Keys keys;
  if (Has<KernelSketches>(run.kernel_sketches)) {
    const auto& columns = SchemaOf<KernelSketches>();
    const ViewOf<KernelSketches> rows = *run.kernel_sketches;
    for (std::size_t row = 0; row < rows.row_count(); ++row) {
      OfKey& key = Take(rows, row, rows.TextOrEmpty(row, columns.size), keys);
      RS_ASSIGN_OR_RETURN(const DurationBuckets buckets,
                          DurationBuckets::Decode(rows.TextOrEmpty(row, columns.sketch)));
      key.buckets.Merge(buckets);
    }
    return keys;
  }
  if (!Has<KernelsByName>(run.kernels_by_name)) return keys;
  const auto& columns = SchemaOf<KernelsByName>();
  const ViewOf<KernelsByName> rows = *run.kernels_by_name;
  for (std::size_t row = 0; row < rows.row_count(); ++row) {
    OfKey& key = Take(rows, row, "", keys);
    key.has_buckets = false;
    const bool is_alone = key.names == 1;  // percentiles of several are none of all
    key.p50 = is_alone ? rows.At(row, columns.p50_ns) : Value(kNull);
    key.p90 = is_alone ? rows.At(row, columns.p90_ns) : Value(kNull);
    key.p99 = is_alone ? rows.At(row, columns.p99_ns) : Value(kNull);
  }
  return keys;
}

Status AddKernels(const RunInput& run, const RunFacts& facts, FleetRows& rows) {
  RS_ASSIGN_OR_RETURN(const Keys keys, KeysOf(run));
  const std::map<std::string, std::string> bounds = BoundsOf(run);
  const auto& columns = SchemaOf<KernelRun>();
  for (const auto& [names, key] : keys) {
    const auto& [kernel_key, kernel_class, work, dtype, size] = names;
    const auto bound = bounds.find(kernel_class);
    const auto quantile = [&key = key](double q, const Value& known) {
      if (!key.has_buckets) return known;
      return Value(std::clamp(key.buckets.Quantile(q), key.shortest, key.longest));
    };
    const auto weighted = [&](std::int64_t value, double unit) {
      return facts.weight ? Rounded(static_cast<double>(value) * *facts.weight / unit)
                          : Value(kNull);
    };
    const std::string sketch = key.has_buckets ? key.buckets.Encode() : std::string();
    rows.kernels.Add(
        {columns.run_id = run.id,
         columns.day = facts.day,
         columns.team = TextOrNull(run.team),
         columns.model = TextOrNull(run.model),
         columns.device_model = TextOrNull(facts.device_model),
         columns.kernel_key = kernel_key,
         columns.kernel_name = key.longest_name,
         columns.kernel_class = kernel_class,
         columns.work = work,
         columns.bound = bound == bounds.end() ? Value(kNull) : TextOrNull(bound->second),
         columns.shape_bucket = TextOrNull(size),
         columns.dtype = TextOrNull(dtype),
         columns.ranks = key.ranks,
         columns.launches = key.launches,
         columns.total_ns = key.total,
         columns.fleet_launches = weighted(key.launches, 1),
         columns.fleet_ms = weighted(key.total, 1e6),
         columns.min_ns = key.shortest,
         columns.max_ns = key.longest,
         columns.p50_ns = quantile(0.5, key.p50),
         columns.p90_ns = quantile(0.9, key.p90),
         columns.p99_ns = quantile(0.99, key.p99),
         columns.log_mean = key.has_buckets ? Value(key.buckets.LogMean()) : Value(kNull),
         columns.log_var = key.has_buckets ? Value(key.buckets.LogVariance()) : Value(kNull),
         columns.sketch = TextOrNull(sketch)});
  }
  return OkStatus();
}

void AddFindings(const RunInput& run, const RunFacts& facts, FleetRows& rows) {
  if (!Has<Findings>(run.findings)) return;
  const auto& from = SchemaOf<Findings>();
  const auto& columns = SchemaOf<FindingRun>();
  const ViewOf<Findings> findings = *run.findings;
  for (std::size_t row = 0; row < findings.row_count(); ++row) {
    // What recording alone makes is lost in no run that is not recorded.
    const std::optional<double> unprofiled = findings.Known(row, from.gain_unprofiled_pct);
    const std::optional<double> gain = unprofiled ? unprofiled : findings.Known(row, from.gain_pct);
    const Value lost = gain && facts.device_ms
                           ? Rounded(static_cast<double>(*facts.device_ms) * *gain / 100)
                           : Value(kNull);
    rows.findings.Add(
        {columns.run_id = run.id, columns.day = facts.day, columns.team = TextOrNull(run.team),
         columns.model = TextOrNull(run.model), columns.finding = findings.At(row, from.id),
         columns.severity = findings.At(row, from.severity), columns.gain_pct = gain,
         columns.gain_method = findings.At(row, from.gain_method), columns.lost_ms = lost});
  }
}

}  // namespace

std::string DayOf(std::int64_t ns_since_1970) {
  const std::time_t time = ns_since_1970 / 1'000'000'000;
  std::tm parts{};
  if (gmtime_r(&time, &parts) == nullptr) return "";
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

Status AddRun(const RunInput& run, FleetRows& rows) {
  const RunFacts facts = FactsOf(run);
  RS_RETURN_IF_ERROR(AddKernels(run, facts, rows));
  AddRunRow(run, facts, rows);
  AddFindings(run, facts, rows);
  return OkStatus();
}

}  // namespace rankscope::fleet
