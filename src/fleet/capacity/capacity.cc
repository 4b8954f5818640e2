#include "fleet/capacity/capacity.h"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <utility>

namespace rankscope::fleet {
namespace {

constexpr double kSecondsPerDay = 86'400;
// What a report leaves: its tables, and its rows of kernels with a sketch each.
constexpr double kTablesMb = 0.3;
constexpr double kKernelsPerReport = 400;
constexpr double kRowBytes = 250;

// Sizes of reports, and how many of a hundred are so.
struct ReportSize {
  const char* name;
  double share_pct;
  double ranks;
  double json_gb_per_rank;
};
constexpr std::array kSizes = {ReportSize{"8 ranks x 60 MB", 90, 8, 0.06},
                               ReportSize{"64 ranks x 60 MB", 9, 64, 0.06},
                               ReportSize{"256 ranks x 200 MB", 1, 256, 0.2}};

class Rows {
 public:
  void Add(std::string_view what, double value, std::string_view unit, std::string_view formula) {
    const auto& columns = SchemaOf<Capacity>();
    table_.Add({columns.what = what, columns.value = value, columns.of_unit = unit,
                columns.formula = formula});
  }
  TableOf<Capacity> Take() { return std::move(table_); }

 private:
  TableOf<Capacity> table_ = SchemaOf<Capacity>().NewTable(std::string(Capacity::kName));
};

Status Check(const CapacityOptions& options) {
  const std::pair<const char*, double> numbers[] = {{"--reports-per-day", options.reports_per_day},
                                                    {"--cpu-s-per-gb", options.cpu_s_per_gb},
                                                    {"--gz-ratio", options.gz_ratio},
                                                    {"--peak", options.peak},
                                                    {"--use", options.use_pct},
                                                    {"--raw-days", options.raw_days},
                                                    {"--table-days", options.table_days}};
  for (const auto& [name, number] : numbers) {
    if (!std::isfinite(number) || number <= 0)
      return Error(StatusCode::kInvalidArgument, "{} {}: a number above 0 is needed", name, number);
  }
  if (options.use_pct > 100)
    return Error(StatusCode::kInvalidArgument, "--use {}: at most 100 percent", options.use_pct);
  return OkStatus();
}

}  // namespace

Result<TableOf<Capacity>> CapacityFor(const CapacityOptions& options) {
  RS_RETURN_IF_ERROR(Check(options));
  Rows rows;
  double json_gb = 0;
  for (const ReportSize& size : kSizes) {
    const double reports = options.reports_per_day * size.share_pct / 100;
    const double gb = reports * size.ranks * size.json_gb_per_rank;
    json_gb += gb;
    rows.Add(fmt::format("processor time of reports of {}", size.name), gb * options.cpu_s_per_gb,
             "CPU s/day",
             fmt::format("{:.0f} reports x {:.2f} GB of JSON x {} s", reports,
                         size.ranks * size.json_gb_per_rank, options.cpu_s_per_gb));
  }
  const double cpu_s = json_gb * options.cpu_s_per_gb;
  const double busy = cpu_s / kSecondsPerDay;
  rows.Add("processor time of all reports", cpu_s, "CPU s/day", "the sum");
  rows.Add("cores that are busy in the mean", busy, "cores", "CPU s / 86400");
  rows.Add("cores to have", busy * options.peak / (options.use_pct / 100), "cores",
           fmt::format("mean x peak {} / use {}%", options.peak, options.use_pct));
  const double in_tb = json_gb / options.gz_ratio / 1000;
  rows.Add("uploads", in_tb, "TB/day", fmt::format("JSON / {}", options.gz_ratio));
  const double mean_mb_per_s = in_tb * 1e6 / kSecondsPerDay;
  rows.Add("uploads in the mean", mean_mb_per_s, "MB/s", "TB/day / 86400 s");
  rows.Add("uploads at the peak", mean_mb_per_s * options.peak, "MB/s",
           fmt::format("mean x {}", options.peak));
  rows.Add("traces that are kept", in_tb * options.raw_days, "TB",
           fmt::format("uploads x {} days", options.raw_days));
  rows.Add("reports and tables that are kept",
           options.reports_per_day * kTablesMb * options.table_days / 1e6, "TB",
           fmt::format("{} MB a report x {} days", kTablesMb, options.table_days));
  const double kernels = options.reports_per_day * kKernelsPerReport;
  rows.Add("fleet rows", kernels, "rows/day",
           fmt::format("{:.0f} kernel keys a report", kKernelsPerReport));
  rows.Add("fleet rows that are kept", kernels * kRowBytes * options.table_days / 1e12, "TB",
           fmt::format("{:.0f} bytes a row before compression x {} days", kRowBytes,
                       options.table_days));
  return rows.Take();
}

}  // namespace rankscope::fleet
