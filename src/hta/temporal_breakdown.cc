#include "hta/analyses.h"
#include "hta/intervals.h"
#include "hta/kernel_types.h"
#include "hta/ranks.h"
#include "hta/stats.h"

namespace rankscope::hta {
namespace {

Value PercentOf(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return kNull;
  return Round(100 * (static_cast<double>(part) / static_cast<double>(whole)), 2);
}

void Make(const Frame& frame, const Options&, Table& table) {
  std::vector<Span> all;
  std::vector<Span> computing;
  KernelTypes types(frame);
  for (const Event& event : frame.events) {
    if (!event.on_stream()) continue;
    all.push_back({event.ts, event.end()});
    if (types.Of(event) == KernelType::kComputation) computing.push_back(all.back());
  }
  if (all.empty()) return;
  const std::vector<Span> busy = MergeSpans(std::move(all));
  const std::int64_t window = busy.back().end - busy.front().begin;
  const std::int64_t idle = window - TotalOf(busy);
  const std::int64_t compute = TotalOf(MergeSpans(std::move(computing)));
  const std::int64_t other = window - compute - idle;
  table.AddRow({idle, compute, other, window, PercentOf(idle, window), PercentOf(compute, window),
                PercentOf(other, window)});
}

}  // namespace

const Analysis& TemporalBreakdown() {
  const auto time = [](const char* name, const char* doc) {
    return ColumnSpec{name, ColumnType::kInt64, "", doc};
  };
  const auto percent = [](const char* name, const char* doc) {
    return ColumnSpec{name, ColumnType::kDouble, "", doc};
  };
  static const Analysis kAnalysis = JoinedOverRanks({
      .name = "hta.temporal_breakdown",
      .summary = "HTA's get_temporal_breakdown: idle, computing and other time of each rank",
      .definition =
          "Over all events with a stream, waits included: kernel_time = end of the last less begin "
          "of the first; idle_time = kernel_time less the union of all; compute_time = union of "
          "HTA's computation kernels; non_compute_time = the rest. Percentages are of kernel_time, "
          "rounded to 2 decimals. A rank without such events has no row (HTA fails).",
      .example = "rankscope table hta.temporal_breakdown traces/",
      .columns = {time("idle_time(us)", "nothing runs"),
                  time("compute_time(us)", "a computation kernel runs"),
                  time("non_compute_time(us)", "only something else runs"),
                  time("kernel_time(us)", "from the first event with a stream to the last"),
                  percent("idle_time_pctg", "idle_time of kernel_time"),
                  percent("compute_time_pctg", "compute_time of kernel_time"),
                  percent("non_compute_time_pctg", "non_compute_time of kernel_time")},
      .make = Make,
  });
  return kAnalysis;
}

}  // namespace rankscope::hta
