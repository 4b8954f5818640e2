#include <fmt/format.h>

#include "analysis/snoop/analyses.h"
#include "analysis/snoop/numbered_windows.h"
#include "base/saturating.h"
#include "schemas/snoop.h"
#include "table/or_null.h"

namespace rankscope {
namespace {

Result<Table> DeriveWindows(const InputTables&, const JobContext& job, const Options&) {
  const auto& columns = SchemaOf<SnoopWindows>();
  auto table = columns.NewTable(std::string(SnoopWindows::kName));
  for (const NumberedWindow& window : WindowsOf(job)) {
    const snoop_file::Window& head = *window.head;
    const bool is_snoop = window.snoop != nullptr;
    std::string libraries, late;
    std::int64_t hits = 0, probes_ns = 0, lost = 0;
    if (is_snoop) {
      const snoop_file::Probes& probes = window.snoop->probes;
      libraries = fmt::format("{}", fmt::join(window.snoop->libraries, "; "));
      late = fmt::format("{}", fmt::join(window.snoop->late_libraries, "; "));
      hits = probes.hits;
      probes_ns = probes.time_ns;
      lost = SaturatingAdd(SaturatingAdd(probes.lost_events, probes.lost_stacks), probes.lost_sums);
    } else {
      const snoop_file::OffCpuProbes& probes = window.offcpu->probes;
      hits = probes.switches;
      probes_ns = probes.time_ns;
      lost = SaturatingAdd(probes.lost_stacks, probes.lost_sums);
    }
    const std::string notes = fmt::format("{}", fmt::join(head.notes, "; "));
    table.Add({columns.window = window.number, columns.rank = window.rank,
               columns.kind = is_snoop ? "snoop" : "offcpu", columns.host = TextOrNull(head.host),
               columns.pid = head.pid, columns.command = TextOrNull(head.command),
               columns.begin_ns = window.begin_ns, columns.window_ns = head.window_ns,
               columns.cut = TextOrNull(head.cut), columns.hits = hits,
               columns.probes_ns = probes_ns, columns.lost = lost,
               columns.libraries = TextOrNull(libraries), columns.late_libraries = TextOrNull(late),
               columns.notes = TextOrNull(notes)});
  }
  return table;
}

}  // namespace

const Analysis& SnoopWindowsAnalysis() {
  static const Analysis kAnalysis = {
      .name = std::string(SnoopWindows::kName),
      .size = Size::kSummary,
      .summary =
          "windows of snoop and offcpu beside the traces: of which process, when, at what cost",
      .definition =
          "Files NAME.snoop.json and NAME.offcpu.json beside the traces, as rankscope-agent snoop "
          "and offcpu write them (--format json) and captures bring them (docs/snoop.md). The "
          "other tables of snoop have their numbers, by the number of the window. Empty without "
          "such files; one that cannot be read is in data_quality.",
      .example = "rankscope table snoop_windows traces/",
      .columns = SchemaOf<SnoopWindows>().columns(),
      .derive = DeriveWindows,
  };
  return kAnalysis;
}

}  // namespace rankscope
