#include <fmt/format.h>

#include "analysis/snoop/analyses.h"
#include "analysis/snoop/numbered_windows.h"
#include "schemas/snoop.h"
#include "table/or_null.h"

namespace rankscope {
namespace {

Result<Table> NeverFreed(const InputTables&, const JobContext& job, const Options&) {
  const auto& columns = SchemaOf<SnoopAllocations>();
  auto table = columns.NewTable(std::string(SnoopAllocations::kName));
  for (const NumberedWindow& window : WindowsOf(job)) {
    if (window.snoop == nullptr) continue;
    for (const snoop_file::NeverFreed& one : window.snoop->never_freed) {
      const std::string place = PlaceText(one.stack), stack = StackText(one.stack);
      table.Add({columns.window = window.number, columns.rank = window.rank,
                 columns.level = TextOrNull(one.level), columns.memory = TextOrNull(one.memory),
                 columns.call = TextOrNull(one.call), columns.place = TextOrNull(place),
                 columns.bytes = one.bytes, columns.count = one.count,
                 columns.allocations = one.allocations_of_the_stack,
                 columns.bytes_per_s = static_cast<double>(one.bytes) / window.seconds(),
                 columns.grows = one.in_all_quarters, columns.inner = one.inside_a_level_above,
                 columns.oldest_ns = one.oldest_ns, columns.youngest_ns = one.youngest_ns,
                 columns.stack = TextOrNull(stack)});
    }
  }
  return table;
}

std::string ErrorsText(const std::vector<snoop_file::ErrorCount>& errors) {
  std::string text;
  for (const snoop_file::ErrorCount& one : errors)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", one.status, one.count);
  return text;
}

Result<Table> Failures(const InputTables&, const JobContext& job, const Options&) {
  const auto& columns = SchemaOf<SnoopFailures>();
  auto table = columns.NewTable(std::string(SnoopFailures::kName));
  for (const NumberedWindow& window : WindowsOf(job)) {
    if (window.snoop == nullptr) continue;
    for (const snoop_file::Failure& one : window.snoop->failures) {
      const std::string place = PlaceText(one.stack), stack = StackText(one.stack);
      const std::string errors = ErrorsText(one.errors);
      table.Add({columns.window = window.number, columns.rank = window.rank,
                 columns.call = TextOrNull(one.call), columns.place = TextOrNull(place),
                 columns.count = one.count, columns.asked_bytes = one.asked_bytes,
                 columns.errors = TextOrNull(errors), columns.inner = one.inside_a_level_above,
                 columns.stack = TextOrNull(stack)});
    }
  }
  return table;
}

}  // namespace

const Analysis& SnoopAllocationsAnalysis() {
  static const Analysis kAnalysis = {
      .name = std::string(SnoopAllocations::kName),
      .size = Size::kDetail,
      .summary = "memory that was allocated in windows of snoop and never freed in them, by stack",
      .definition =
          "Allocated in the window and live at its end, by level, kind of memory, call and stack; "
          "the largest first. That is a leak only where it goes on: grows says that each quarter "
          "of the window added to it. bytes_per_s = bytes / length of the window. Rows with inner "
          "are made inside a call of a level above, which has the same memory in a row of its own. "
          "Levels are never added up (docs/snoop.md).",
      .example = "rankscope query traces/ \"FROM snoop_allocations WHERE grows AND NOT inner\"",
      .columns = SchemaOf<SnoopAllocations>().columns(),
      .derive = NeverFreed,
  };
  return kAnalysis;
}

const Analysis& SnoopFailuresAnalysis() {
  static const Analysis kAnalysis = {
      .name = std::string(SnoopFailures::kName),
      .size = Size::kDetail,
      .summary = "allocations that failed in windows of snoop, by stack and error",
      .definition =
          "Calls that allocate and returned another number than 0: cudaErrorMemoryAllocation is 2, "
          "CUDA_ERROR_OUT_OF_MEMORY 2, hipErrorOutOfMemory 2. PyTorch's allocator asks again after "
          "it has given cached memory back, so that a failure need not be an error of the program.",
      .example = "rankscope table snoop_failures traces/",
      .columns = SchemaOf<SnoopFailures>().columns(),
      .derive = Failures,
  };
  return kAnalysis;
}

}  // namespace rankscope
