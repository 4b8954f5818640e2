// The output of `memory` about one or two memory snapshots, or a memory timeline, only from tables
// (schemas/snapshot.h).
#pragma once

#include <string>
#include <vector>

#include "table/table.h"

namespace rankscope {

struct MemoryReport {
  std::string path;
  std::string later;         // the second snapshot, or ""
  std::string settings;      // PYTORCH_CUDA_ALLOC_CONF, "" where nothing is set
  bool is_timeline = false;  // of torch.profiler, not a snapshot
  std::vector<Table> tables;

  // The table of that name, or null.
  const Table* Find(std::string_view name) const;
};

// A device's line in front, and what follows from it. Of a timeline there is one.
struct MemoryWords {
  std::string headline;
  std::vector<std::string> reasons;
};
std::vector<MemoryWords> WordsOfMemory(const MemoryReport& report);

struct MemoryTextOptions {
  bool colour = false;
  bool full = false;  // all rows of the tables that the text has
};

// For a terminal, 80 columns: the peak, who holds it, what is unused, and why memory ran out.
std::string WriteMemoryText(const MemoryReport& report, const MemoryTextOptions& options = {});

// {"schema": "rankscope.memory/1", "path": .., "later": .., "devices": [{"headline": ..,
//  "reasons": [..]}], "tables": {..}}
std::string WriteMemoryJson(const MemoryReport& report);

// What the page draws, as JSON.
std::string WriteMemoryView(const MemoryReport& report);

// One file: the timeline with the stack at the pointer, the segments, and who holds the peak.
std::string WriteMemoryHtml(const MemoryReport& report);

}  // namespace rankscope
