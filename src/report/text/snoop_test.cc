#include <gtest/gtest.h>

#include "report/text/sections.h"
#include "schemas/snoop.h"
#include "table/style.h"

namespace rankscope {
namespace {

Report WithWindow() {
  Report report;
  const auto& windows = SchemaOf<SnoopWindows>();
  auto one = windows.NewTable(std::string(SnoopWindows::kName));
  one.Add({windows.window = 0, windows.rank = 3, windows.kind = "snoop"});
  report.tables.push_back(std::move(one));
  const auto& memory = SchemaOf<SnoopMemory>();
  auto levels = memory.NewTable(std::string(SnoopMemory::kName));
  for (const std::string_view level : {"CUDA runtime", "CUDA driver"})
    levels.Add({memory.window = 0, memory.rank = 3, memory.level = level, memory.memory = "device",
                memory.allocated_bytes = 9000, memory.freed_bytes = 1000, memory.live_bytes = 8000,
                memory.peak_bytes = 8500});
  report.tables.push_back(std::move(levels));
  const auto& calls = SchemaOf<SnoopCalls>();
  auto counts = calls.NewTable(std::string(SnoopCalls::kName));
  counts.Add({calls.window = 0, calls.rank = 3, calls.level = "CUDA runtime",
              calls.call = "cudaLaunchKernel", calls.kind = "launch", calls.calls = 800,
              calls.calls_per_s = 200.0});
  counts.Add({calls.window = 0, calls.rank = 3, calls.level = "CUDA driver",
              calls.call = "cuLaunchKernel", calls.kind = "launch", calls.calls = 900,
              calls.calls_per_s = 225.0});
  report.tables.push_back(std::move(counts));
  return report;
}

// What the driver is called by the runtime is not told again.
TEST(TextSnoop, TellsTheHighestLevels) {
  std::string text;
  AppendSnoop(text, WithWindow());
  EXPECT_EQ(Resolve(text, false),
            "\nPROCESSES SEEN FROM OUTSIDE (1 window)\n"
            "  - rank 3, device memory by CUDA runtime: 9.00 kB allocated, 1.00 kB freed,\n"
            "    8.00 kB kept, 8.50 kB at most\n"
            "  - rank 3: 200 a second of cudaLaunchKernel\n"
            "  rankscope table snoop_allocations PATH has the stacks, snoop_waits the waits.\n");
}

TEST(TextSnoop, WithoutWindowsSaysNothing) {
  std::string text;
  AppendSnoop(text, Report());
  EXPECT_EQ(text, "");
}

}  // namespace
}  // namespace rankscope
