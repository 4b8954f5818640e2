// Job: one kind of training job. It lays out the ranks and writes what the ranks of each role do in
// a step; it knows nothing about time.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "sim/model/cause.h"
#include "sim/model/layout.h"
#include "sim/model/library.h"
#include "sim/model/options.h"
#include "sim/model/program.h"
#include "sim/model/routing.h"
#include "sim/model/step_size.h"

namespace rankscope::sim {

// What a program is asked for.
struct StepRequest {
  int role = 0;
  ActiveCauses causes;
  int variant = 0;                   // of the batch's length, below kBatchVariants
  std::int64_t healthy_step_ns = 0;  // what pauses are measured by
  bool cuda_graphs = false;          // layers are replayed from graphs
  bool run_ahead = false;            // no loss or norm is read back
};
inline constexpr int kBatchVariants = 8;

class Job {
 public:
  virtual ~Job() = default;

  virtual Layout MakeLayout() const = 0;
  // Ranks of the same role run the same program.
  virtual int RoleOf(int rank) const = 0;
  // What the rank is for, as truth.json says it.
  virtual std::string_view PurposeOf(int /*rank*/) const { return "trainer"; }
  // How many batches of the data loader a step takes.
  virtual int BatchesPerStep() const = 0;
  // How a rank's tokens are sent to experts, if they are.
  virtual Router RouterOf(int /*rank*/) const { return {}; }
  virtual Program MakeStep(const StepRequest& request) = 0;
};

// The job that the options ask for. `library` takes what its programs point to and must outlive it.
std::unique_ptr<Job> MakeJob(const SimulateOptions& options, const StepSize& size,
                             Library* library);

}  // namespace rankscope::sim
