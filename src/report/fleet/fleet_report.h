// The output of `rankscope fleet`: tables, and sentences for changes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "table/table.h"
#include "table/write_text.h"

namespace rankscope {

struct FleetReport {
  std::int64_t runs = 0;  // of the period, that have rows
  std::vector<Table> tables;

  const Table* Find(std::string_view name) const;
};

// For people: a heading and the rows of each table; what changed in paragraphs.
std::string WriteFleetText(const FleetReport& report, const TextOptions& options);
// {"schema":"rankscope.fleet/1","runs":N,"tables":{NAME:{"columns","rows"}}}
std::string WriteFleetJson(const FleetReport& report);

}  // namespace rankscope
