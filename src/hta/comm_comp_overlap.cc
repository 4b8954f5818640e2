#include "hta/analyses.h"
#include "hta/intervals.h"
#include "hta/kernel_types.h"
#include "hta/ranks.h"
#include "hta/stats.h"

namespace rankscope::hta {
namespace {

struct CommCompOverlapRows : Schema<CommCompOverlapRows, RowsOfRanks> {
  static constexpr std::string_view kName = "hta.comm_comp_overlap";

  RealColumn hidden_pct = Real("comp_comm_overlap_pctg", "",
                               "time in communication during which a computation kernel runs");
};

constexpr std::int64_t kCommunicates = 1;
constexpr std::int64_t kComputes = 2;

void MakeCommCompOverlap(const Frame& frame, const Options&, TableOf<CommCompOverlapRows>& table) {
  std::vector<Span> communication;
  std::vector<Span> computation;
  KernelTypes types(frame);
  for (const Event& event : frame.events) {
    if (!event.on_stream()) continue;
    const KernelType type = types.Of(event);
    if (type == KernelType::kCommunication) communication.push_back({event.ts, event.end()});
    if (type == KernelType::kComputation) computation.push_back({event.ts, event.end()});
  }
  communication = MergeSpans(std::move(communication));
  std::vector<Change> changes;
  AppendChanges(communication, kCommunicates, changes);
  AppendChanges(MergeSpans(std::move(computation)), kComputes, changes);
  std::int64_t both = 0;
  Sweep(changes, [&](std::int64_t running, std::int64_t duration) {
    if (running == kCommunicates + kComputes) both += duration;
  });
  const std::int64_t total = TotalOf(communication);
  const Value hidden =
      total == 0 ? Value(kNull)
                 : Value(Round(100 * (static_cast<double>(both) / static_cast<double>(total)), 2));
  table.Add({SchemaOf<CommCompOverlapRows>().hidden_pct = hidden});
}

}  // namespace

const Analysis& CommCompOverlap() {
  static const Analysis kAnalysis = JoinedOverRanks<CommCompOverlapRows>({
      .summary = "HTA's get_comm_comp_overlap: communication that computing hides, of each rank",
      .definition =
          "100 * |C and P| / |C|, rounded to 2 decimals, with C the union of HTA's communication "
          "kernels and P that of its computation kernels. Null without communication (HTA: NaN).",
      .example = "rankscope table hta.comm_comp_overlap traces/",
      .make = Filling(MakeCommCompOverlap),
  });
  return kAnalysis;
}

}  // namespace rankscope::hta
