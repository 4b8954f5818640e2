// Memory snapshots and timelines of a command line, read and analysed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "report/memory_report.h"
#include "table/table.h"

namespace rankscope::cli {

struct MemoryArguments {
  std::vector<std::string> paths;  // one, or an earlier and a later snapshot
  std::optional<std::int64_t> device;
  std::optional<std::int64_t> device_bytes;
};

// With what the text, JSON and HTML reports need; `for_page` adds what only the page draws.
enum class MemoryUse { kReport, kPage };
Result<MemoryReport> ReadMemory(const MemoryArguments& arguments, MemoryUse use);

// One of them by its name.
Result<Table> ReadMemoryTable(const MemoryArguments& arguments, const std::string& name);

}  // namespace rankscope::cli
