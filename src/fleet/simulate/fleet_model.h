// The workload of a simulated fleet: models with their kernels, devices, and their changes over
// days.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/simulate/simulate_fleet.h"

namespace rankscope::fleet {

// Gives the same numbers on every machine, unlike the distributions of the standard library.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
  std::uint64_t Next();
  double Uniform();  // [0, 1)
  std::int64_t Below(std::int64_t bound);
  double Normal();
  double LogNormal(double sigma);  // median 1

 private:
  std::uint64_t state_;
};

struct SimulatedKernel {
  std::string name;  // "#" stands for a counter that differs from run to run
  std::string kernel_class, work;
  double ns = 0;              // median duration on an H100
  std::int64_t launches = 0;  // per step and rank
  bool is_shared = false;     // other models have a kernel with that name
  double gflop = 0;           // of its op; 0: unknown
};

struct SimulatedModel {
  std::string name, team;
  double share = 1;  // of all runs, before normalisation to 1
  std::vector<SimulatedKernel> kernels;
};

struct Planted {
  Plant plant;
  std::int64_t day = 0;    // 0 is the first
  std::size_t model = 0;   // for a refactoring, a new kernel and new shapes
  std::size_t kernel = 0;  // that gets slower, or is new
  std::size_t from = 0;    // for a refactoring: the kernel whose work it takes over
  std::string kernel_name;
  double factor = 1;                 // of its duration
  std::string old_value, new_value;  // of the cause
};

struct FleetModel {
  std::vector<SimulatedModel> models;
  std::vector<Planted> plants;
};

FleetModel MakeFleet(const FleetSimulation& options, Dice& dice);

}  // namespace rankscope::fleet
