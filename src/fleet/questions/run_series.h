// The runs of a period and the series of their kernels, in which changes are searched.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/status.h"
#include "fleet/questions/fleet_sql.h"

namespace rankscope::fleet {

// Attributes of runs, in the order of preference when several explain a change equally.
inline constexpr std::array<std::string_view, 11> kCauses = {
    "driver", "cuda",    "framework", "image", "commit", "host",
    "rack",   "cluster", "model",     "team",  "user"};

struct RunInfo {
  std::string id, day, job, host, model, device_model;
  std::int64_t start_ns = 0;
  std::optional<double> rank_steps;                // recorded steps x recorded ranks
  std::array<std::string, kCauses.size()> causes;  // "": unknown
};

// A unit of comparison: a kernel of a model on a device with inputs of one size. Unknown sizes of
// one model are assumed equal. Equal sizes of different models may still be matrices with different
// sides.
struct Stratum {
  std::string kernel_key, kernel_class, device_model, shape_bucket, dtype, model;
  auto Names() const {
    return std::tie(kernel_key, kernel_class, device_model, shape_bucket, dtype, model);
  }
  friend bool operator<(const Stratum& a, const Stratum& b) { return a.Names() < b.Names(); }
};

// A kernel in a run.
struct Sighting {
  std::uint32_t run = 0;  // index into RunSeries::runs
  std::optional<double> log_p50;
  std::int64_t total_ns = 0, launches = 0;
  std::optional<std::int64_t> fleet_ms;
};

// A kernel of a model on a device, regardless of its shapes.
struct GroupKernel {
  std::string kernel_key, kernel_class, dtype;
  auto Names() const { return std::tie(kernel_key, kernel_class, dtype); }
  friend bool operator<(const GroupKernel& a, const GroupKernel& b) {
    return a.Names() < b.Names();
  }
};
// The runs of a model on a device in time order, and their kernels.
struct RunGroup {
  std::vector<std::uint32_t> runs;
  std::map<GroupKernel, std::vector<Sighting>> kernels;
};

struct RunSeries {
  std::vector<RunInfo> runs;  // in time order
  std::map<Stratum, std::vector<Sighting>> strata;
  std::map<std::pair<std::string, std::string>, RunGroup> groups;  // by model and device
};

// Only computing kernels: those of communication contain waiting. Memory: about 100 bytes per row
// of kernel_run.
Result<RunSeries> ReadSeries(FleetSql& sql);

}  // namespace rankscope::fleet
