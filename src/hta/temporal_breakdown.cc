#include "hta/analyses.h"
#include "hta/intervals.h"
#include "hta/kernel_types.h"
#include "hta/ranks.h"
#include "hta/stats.h"

namespace rankscope::hta {
namespace {

struct TemporalBreakdownRows : Schema<TemporalBreakdownRows, RowsOfRanks> {
  static constexpr std::string_view kName = "hta.temporal_breakdown";

  IntColumn idle_us = Int("idle_time(us)", "", "nothing runs");
  IntColumn compute_us = Int("compute_time(us)", "", "a computation kernel runs");
  IntColumn non_compute_us = Int("non_compute_time(us)", "", "only something else runs");
  IntColumn kernel_us =
      Int("kernel_time(us)", "", "from the first event with a stream to the last");
  RealColumn idle_pct = Real("idle_time_pctg", "", "idle_time of kernel_time");
  RealColumn compute_pct = Real("compute_time_pctg", "", "compute_time of kernel_time");
  RealColumn non_compute_pct = Real("non_compute_time_pctg", "", "non_compute_time of kernel_time");
};

Value PercentOf(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return kNull;
  return Round(100 * (static_cast<double>(part) / static_cast<double>(whole)), 2);
}

void MakeTemporalBreakdown(const Frame& frame, const Options&,
                           TableOf<TemporalBreakdownRows>& table) {
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
  const auto& columns = SchemaOf<TemporalBreakdownRows>();
  table.Add({columns.idle_us = idle, columns.compute_us = compute, columns.non_compute_us = other,
             columns.kernel_us = window, columns.idle_pct = PercentOf(idle, window),
             columns.compute_pct = PercentOf(compute, window),
             columns.non_compute_pct = PercentOf(other, window)});
}

}  // namespace

const Analysis& TemporalBreakdown() {
  static const Analysis kAnalysis = JoinedOverRanks<TemporalBreakdownRows>({
      .summary = "HTA's get_temporal_breakdown: idle, computing and other time of each rank",
      .definition =
          "Over all events with a stream, waits included: kernel_time = end of the last less begin "
          "of the first; idle_time = kernel_time less the union of all; compute_time = union of "
          "HTA's computation kernels; non_compute_time = the rest. Percentages are of kernel_time, "
          "rounded to 2 decimals. A rank without such events has no row (HTA fails).",
      .example = "rankscope table hta.temporal_breakdown traces/",
      .make = Filling(MakeTemporalBreakdown),
  });
  return kAnalysis;
}

}  // namespace rankscope::hta
