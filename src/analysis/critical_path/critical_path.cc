#include <array>
#include <utility>

#include "analysis/critical_path/analyses.h"
#include "facts/path_charges.h"
#include "facts/window_pieces.h"
#include "facts/windows.h"
#include "schemas/critical_path.h"
#include "stage/reduce.h"
#include "table/move_tables.h"

namespace rankscope {

const std::string_view kPathDefinition =
    "The critical path goes back from the end of the recording (the last work of the main thread "
    "or of a device) to its begin: from each piece of work to what it waited for last, so that "
    "every instant has one owner, and work that is not on the path did not decide when the "
    "recording ended. Time spent waiting is not part of the path. Work depends on what ran before "
    "it on its thread or stream; device work also on its launch and on streams whose events it "
    "waits for; the host on the device work that synchronisation, cudaFree, blocking copies and "
    "launches into a full queue wait for, and the main thread on autograd's threads. The time "
    "between the begin of a "
    "launch call and its work, when the stream was free, is launch (until 100 us after the call's "
    "return; not of a copy or memset that begins more than 100 us after its call: what held it up "
    "was not recorded); between work and what it waited for else, up to 30 us, kernel gap. Time "
    "for which the trace shows no reason is unexplained.";

namespace {

std::vector<Table> MapCriticalPath(const TraceFacts& facts, const MapOptions& options) {
  const Windows windows = Windows::OfRank(facts, options.steps);
  std::vector<std::array<std::int64_t, kChargeCauseCount>> sums(windows.size());
  WindowPieces pieces(windows);
  for (const Charge& charge : facts.path()) {
    pieces.Divide({charge.begin_ns, charge.end_ns}, [&](std::size_t window, std::int64_t length) {
      sums[window][static_cast<std::size_t>(charge.cause)] += length;
    });
  }
  const auto& columns = SchemaOf<CriticalPathCauses>();
  auto table = columns.NewPartial("critical_path");
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const auto time = [&](ChargeCause cause) { return sums[i][static_cast<std::size_t>(cause)]; };
    table.Add({columns.step = windows[i].StepValue(), columns.duration_ns = windows[i].Duration(),
               columns.host_ns = time(ChargeCause::kHost),
               columns.data_loading_ns = time(ChargeCause::kDataLoading),
               columns.launch_ns = time(ChargeCause::kLaunch),
               columns.kernel_gap_ns = time(ChargeCause::kKernelGap),
               columns.compute_ns = time(ChargeCause::kCompute),
               columns.communication_ns = time(ChargeCause::kCommunication),
               columns.copy_ns = time(ChargeCause::kCopy),
               columns.unexplained_ns = time(ChargeCause::kUnexplained),
               columns.complete = windows[i].complete});
  }
  return MoveTables(std::move(table));
}

}  // namespace

const Analysis& CriticalPathAnalysis() {
  static const Analysis kAnalysis = {
      .name = "critical_path",
      .summary = "what decides the length of each step, by cause; sums exactly to the wall time",
      .definition =
          std::string(kPathDefinition) +
          " The path is found once for the whole recording, and each window has the part "
          "of it that lies inside. One rank is looked at: how long a collective waits for "
          "other ranks is inside communication.",
      .example = "rankscope table critical_path traces/ --steps 551",
      .columns = SchemaOf<CriticalPathCauses>().columns(),
      .mapper = {.name = "critical_path",
                 .version = 2,
                 .tables = {SchemaOf<CriticalPathCauses>().BareColumns()},
                 .map = MapCriticalPath},
      .reducer = JoinRows<CriticalPathCauses>(SchemaOf<CriticalPathCauses>().step),
  };
  return kAnalysis;
}

}  // namespace rankscope
