// Report: the output of `analyze` about a job, made only from tables; it computes nothing that is
// not in a table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "table/table.h"

namespace rankscope {

struct Report {
  std::vector<std::int64_t> ranks;
  bool ranks_are_chosen = false;     // by the user: missing others are expected
  std::int64_t world_size = -1;      // -1 = no trace states it
  std::vector<std::string> devices;  // distinct names
  std::int64_t origin_ns = 0;        // absolute time of 0 in the tables
  std::string traces = "TRACES";     // the job's paths in commands of the text report
  std::vector<std::pair<std::string, std::string>> not_evaluated;  // finding id, reason
  std::vector<Table> tables;                                       // by the analyses' names

  std::optional<std::int64_t> StatedWorldSize() const {
    return world_size < 0 ? std::nullopt : std::optional(world_size);
  }

  // The table of that name, or null.
  const Table* Find(std::string_view name) const;
};

}  // namespace rankscope
