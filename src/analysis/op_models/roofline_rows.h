// The rows of the roofline table: the ops of one kind on all ranks, compared with the roof of their
// device.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "op_cost/roof.h"
#include "table/table.h"

namespace rankscope {

// Ops of one kind. An empty op stands for computing without a model; it has only a device.
struct RooflineKey {
  std::string op, family, shapes, dtype, device;
  double flops = 0;  // of one run
  double bytes = 0;
  bool fits_matrix_cores = false;
  bool is_lower_bound = false;
  friend auto operator<=>(const RooflineKey&, const RooflineKey&) = default;
  friend bool operator==(const RooflineKey&, const RooflineKey&) = default;
};

struct RooflineSum {
  std::int64_t count = 0;  // runs; more than 0 for ops
  UnitTimes times;
  std::set<std::int64_t> ranks;
};

// Adds the time of one kernel, or of several of one name.
void AddKernelTime(UnitTimes& times, std::string_view kernel, std::int64_t duration_ns);

// Rows of all sums, unsorted.
Table RooflineRows(const std::map<RooflineKey, RooflineSum>& sums);

}  // namespace rankscope
