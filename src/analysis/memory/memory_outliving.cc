#include "analysis/memory/analyses.h"

#include <map>
#include <utility>

#include "analysis/memory/memory_owners.h"
#include "base/saturating.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "schemas/rank_rows.h"
#include "stage/reduce.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

struct MemoryOutliving : Schema<MemoryOutliving, RankRows> {
  static constexpr std::string_view kName = "memory_outliving";

  StringColumn device_type = Text(column::MemoryDeviceType());
  IntColumn device = Int(column::MemoryDevice());
  IntColumn step = Int("step", "", "step in which the memory was allocated");
  StringColumn op = Text("op", "innermost op on the allocating thread; null when none was open");
  IntColumn count = Int("count", "", "allocations that are still live at the end of the step");
  IntColumn bytes = Int("bytes", "bytes", "sum over them");
  IntColumn kept_count =
      Int("kept_count", "", "those of them that are never freed in the recording");
  IntColumn kept_bytes = Int("kept_bytes", "bytes", "sum over these");
  FlagColumn complete = Flag(column::Complete());
};

struct MemoryOutlivingSum {
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  std::int64_t kept_count = 0;
  std::int64_t kept_bytes = 0;
};

// The allocations of a step that it leaves behind, by name of the op; "" = no op.
std::map<std::string_view, MemoryOutlivingSum> LeftBehind(
    const RankTrace& trace, const MemoryDevice& device, MemoryDevice::Range step,
    const MemoryOwners& owners, std::vector<Allocation>::const_iterator& next) {
  std::map<std::string_view, MemoryOutlivingSum> by_op;
  while (next != device.allocations.end() && next->begin < step.begin) ++next;
  for (; next != device.allocations.end() && next->begin < step.end; ++next) {
    if (!next->IsLiveAfter(step.end)) continue;
    const MemoryEvent& event = device.events[next->begin];
    const Row op = owners.Of(event.row).op;
    MemoryOutlivingSum& sum = by_op[op == kNoRow ? std::string_view() : trace.name_of(op)];
    ++sum.count;
    AddSaturating(sum.bytes, event.bytes);
    if (next->end != Allocation::kNever) continue;
    ++sum.kept_count;
    AddSaturating(sum.kept_bytes, event.bytes);
  }
  return by_op;
}

std::vector<Table> MapMemoryOutliving(const TraceFacts& facts, const MapOptions& options) {
  const auto& columns = SchemaOf<MemoryOutliving>();
  auto table = columns.NewPartial("memory_outliving");
  const RankTrace& trace = facts.trace();
  if (facts.memory().empty()) return MoveTables(std::move(table));
  const Windows windows = Windows::OfHost(facts, options.steps);
  const MemoryOwners owners(trace);
  for (const MemoryDevice& device : facts.memory()) {
    const std::string type = DeviceTypeName(device.type);
    auto next = device.allocations.begin();
    for (const Window& window : windows) {
      if (!window.step) continue;
      const MemoryDevice::Range range = device.EventsIn(window.intervals.front(), trace);
      for (const auto& [op, sum] : LeftBehind(trace, device, range, owners, next)) {
        table.Add({columns.device_type = type, columns.device = device.IdValue(),
                   columns.step = window.StepValue(),
                   columns.op = op.empty() ? Value(kNull) : Value(op), columns.count = sum.count,
                   columns.bytes = sum.bytes, columns.kept_count = sum.kept_count,
                   columns.kept_bytes = sum.kept_bytes, columns.complete = window.complete});
      }
    }
  }
  return MoveTables(std::move(table));
}

}  // namespace

const Analysis& MemoryOutlivingAnalysis() {
  static const Analysis kAnalysis = {
      .name = "memory_outliving",
      .size = Size::kDetail,
      .summary = "allocations that outlive the step in which they were made, by op",
      .definition =
          "Allocations whose instant lies in the step and whose free does not: they are live at "
          "its end. A free belongs to the last allocation of its address on that device; an "
          "address that is allocated again without a free was freed unseen, at that time; a free "
          "of an address that is not live is of memory older than the recording. In training, "
          "gradients that the next step frees and optimizer state that the first step makes "
          "outlive their step by design; what every step keeps (kept_bytes of steps long before "
          "the recording's end) is what memory_growth grows by. Instants without an address do not "
          "count.",
      .example = "rankscope table memory_outliving traces/ --ranks 0",
      .columns = SchemaOf<MemoryOutliving>().columns(),
      .mapper = {.name = "memory_outliving",
                 .version = 2,
                 .tables = {SchemaOf<MemoryOutliving>().BareColumns()},
                 .map = MapMemoryOutliving},
      .reducer = JoinRows<MemoryOutliving>(SchemaOf<MemoryOutliving>().op),
  };
  return kAnalysis;
}

}  // namespace rankscope
