#include <algorithm>

#include "analysis/snoop/analyses.h"
#include "analysis/snoop/numbered_windows.h"
#include "base/saturating.h"
#include "schemas/snoop.h"
#include "table/or_null.h"

namespace rankscope {
namespace {

Result<Table> Calls(const InputTables&, const JobContext& job, const Options&) {
  const auto& columns = SchemaOf<SnoopCalls>();
  auto table = columns.NewTable(std::string(SnoopCalls::kName));
  for (const NumberedWindow& window : WindowsOf(job)) {
    if (window.snoop == nullptr) continue;
    for (const snoop_file::CallCount& one : window.snoop->calls) {
      table.Add({columns.window = window.number, columns.rank = window.rank,
                 columns.level = TextOrNull(one.level), columns.call = TextOrNull(one.call),
                 columns.library = TextOrNull(one.library), columns.kind = TextOrNull(one.kind),
                 columns.calls = one.calls,
                 columns.calls_per_s = static_cast<double>(one.calls) / window.seconds(),
                 columns.failed = IntOrNull(one.failed),
                 columns.unfinished = IntOrNull(one.unfinished),
                 columns.bytes = IntOrNull(one.bytes), columns.time_ns = IntOrNull(one.time_ns)});
    }
  }
  return table;
}

Result<Table> Rates(const InputTables&, const JobContext& job, const Options&) {
  const auto& columns = SchemaOf<SnoopRates>();
  auto table = columns.NewTable(std::string(SnoopRates::kName));
  for (const NumberedWindow& window : WindowsOf(job)) {
    if (window.snoop == nullptr) continue;
    for (const snoop_file::Rate& one : window.snoop->rates) {
      const std::int64_t length_ns = std::max<std::int64_t>(one.end_ns - one.begin_ns, 0);
      const Value per_s =
          length_ns > 0
              ? Value(static_cast<double>(one.calls) * 1e9 / static_cast<double>(length_ns))
              : Value(kNull);
      table.Add({columns.window = window.number, columns.rank = window.rank,
                 columns.level = TextOrNull(one.level), columns.kind = TextOrNull(one.kind),
                 columns.ts_ns = SaturatingAdd(window.begin_ns, one.begin_ns),
                 columns.duration_ns = length_ns, columns.calls = one.calls,
                 columns.calls_per_s = per_s});
    }
  }
  return table;
}

Result<Table> Uses(const InputTables&, const JobContext& job, const Options&) {
  const auto& columns = SchemaOf<SnoopUses>();
  auto table = columns.NewTable(std::string(SnoopUses::kName));
  for (const NumberedWindow& window : WindowsOf(job)) {
    if (window.snoop == nullptr) continue;
    for (const snoop_file::Use& one : window.snoop->uses) {
      const std::string place = PlaceText(one.stack), stack = StackText(one.stack);
      table.Add({columns.window = window.number, columns.rank = window.rank,
                 columns.level = TextOrNull(one.level), columns.kind = TextOrNull(one.kind),
                 columns.call = TextOrNull(one.call), columns.function = TextOrNull(one.function),
                 columns.place = TextOrNull(place), columns.count = one.count,
                 columns.bytes = IntOrNull(one.bytes), columns.time_ns = IntOrNull(one.time_ns),
                 columns.inner = one.inside_a_level_above, columns.stack = TextOrNull(stack)});
    }
  }
  return table;
}

}  // namespace

const Analysis& SnoopCallsAnalysis() {
  static const Analysis kAnalysis = {
      .name = std::string(SnoopCalls::kName),
      .size = Size::kSummary,
      .summary = "calls of the CUDA runtime, its driver and HIP in windows of snoop, by function",
      .definition =
          "Calls that began in the window, counted in the kernel, so that they are exact. The "
          "runtime calls the driver: what is seen at one level is seen again below, and levels are "
          "never added up. time_ns of waits is by the clock, from the call to its return.",
      .example = "rankscope table snoop_calls traces/ --sort -calls",
      .columns = SchemaOf<SnoopCalls>().columns(),
      .derive = Calls,
  };
  return kAnalysis;
}

const Analysis& SnoopRatesAnalysis() {
  static const Analysis kAnalysis = {
      .name = std::string(SnoopRates::kName),
      .size = Size::kDetail,
      .summary = "calls a second in windows of snoop, by level and kind, over time",
      .definition =
          "Calls that began between two looks about a second apart. A second without calls of a "
          "kind has no row.",
      .example = "rankscope table snoop_rates traces/",
      .columns = SchemaOf<SnoopRates>().columns(),
      .derive = Rates,
  };
  return kAnalysis;
}

const Analysis& SnoopUsesAnalysis() {
  static const Analysis kAnalysis = {
      .name = std::string(SnoopUses::kName),
      .size = Size::kDetail,
      .summary = "launches, waits and copies in windows of snoop, by stack",
      .definition =
          "By call, launched function and stack, the most frequent first; summed in the kernel. "
          "Rows with inner are made inside a call of a level above, which has a row of its own. "
          "Allocations of PyTorch's allocator without static probes are here, too: they are seen "
          "at their entry alone.",
      .example = "rankscope table snoop_uses traces/ --sort -count --limit 20",
      .columns = SchemaOf<SnoopUses>().columns(),
      .derive = Uses,
  };
  return kAnalysis;
}

}  // namespace rankscope
