#include "analysis/snoop/analyses.h"
#include "analysis/snoop/numbered_windows.h"
#include "schemas/snoop.h"
#include "table/or_null.h"

namespace rankscope {
namespace {

Result<Table> Threads(const InputTables&, const JobContext& job, const Options&) {
  const auto& columns = SchemaOf<SnoopThreads>();
  auto table = columns.NewTable(std::string(SnoopThreads::kName));
  for (const NumberedWindow& window : WindowsOf(job)) {
    if (window.offcpu == nullptr) continue;
    for (const snoop_file::ThreadTime& one : window.offcpu->threads) {
      table.Add({columns.window = window.number, columns.rank = window.rank,
                 columns.thread = one.thread, columns.name = TextOrNull(one.name),
                 columns.lived_ns = one.lived_ns, columns.on_cpu_ns = one.on_cpu_ns,
                 columns.sleeping_ns = one.sleeping_ns, columns.disk_ns = one.disk_ns,
                 columns.runnable_ns = one.runnable_ns, columns.other_ns = one.other_ns});
    }
  }
  return table;
}

Result<Table> Waits(const InputTables&, const JobContext& job, const Options&) {
  const auto& columns = SchemaOf<SnoopWaits>();
  auto table = columns.NewTable(std::string(SnoopWaits::kName));
  for (const NumberedWindow& window : WindowsOf(job)) {
    if (window.offcpu == nullptr) continue;
    for (const snoop_file::Wait& one : window.offcpu->waits) {
      const std::string place = PlaceText(one.stack), stack = StackText(one.stack);
      table.Add({columns.window = window.number, columns.rank = window.rank,
                 columns.reason = TextOrNull(one.reason), columns.waited_for = TextOrNull(one.what),
                 columns.place = TextOrNull(place), columns.total_ns = one.total_ns,
                 columns.count = one.count, columns.longest_ns = one.longest_ns,
                 columns.threads = one.threads, columns.stack = TextOrNull(stack)});
    }
  }
  return table;
}

}  // namespace

const Analysis& SnoopThreadsAnalysis() {
  static const Analysis kAnalysis = {
      .name = std::string(SnoopThreads::kName),
      .size = Size::kSummary,
      .summary = "where the time of threads went in windows of offcpu",
      .definition =
          "Between switches of the scheduler: on a core, and off it for a reason. They sum to "
          "lived_ns, the time that the thread lived in the window, to the ns.",
      .example = "rankscope table snoop_threads traces/",
      .columns = SchemaOf<SnoopThreads>().columns(),
      .derive = Threads,
  };
  return kAnalysis;
}

const Analysis& SnoopWaitsAnalysis() {
  static const Analysis kAnalysis = {
      .name = std::string(SnoopWaits::kName),
      .size = Size::kDetail,
      .summary = "waits of threads in windows of offcpu, by what was waited for and stack",
      .definition =
          "The time of threads off a core, by reason, what they waited for and stack, summed over "
          "threads; the longest first. A wait that lasted when the window began is counted from "
          "there, and its stack is not known.",
      .example = "rankscope table snoop_waits traces/ --limit 20",
      .columns = SchemaOf<SnoopWaits>().columns(),
      .derive = Waits,
  };
  return kAnalysis;
}

}  // namespace rankscope
