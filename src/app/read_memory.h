// Reads and analyses memory snapshots and timelines: the use case of `memory`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/listener.h"
#include "base/status.h"
#include "report/memory/memory_report.h"
#include "table/table.h"

namespace rankscope::app {

struct MemorySpec {
  std::vector<std::string> paths;  // one, or an earlier and a later snapshot
  std::optional<std::int64_t> device;
  std::optional<std::int64_t> device_bytes;
};

// kPage adds data that only the page draws.
enum class MemoryUse : std::uint8_t { kReport, kPage };
Result<MemoryReport> ReadMemory(const MemorySpec& spec, MemoryUse use, Listener& listener);

// One of them by its name.
Result<Table> ReadMemoryTable(const MemorySpec& spec, const std::string& name, Listener& listener);

}  // namespace rankscope::app
