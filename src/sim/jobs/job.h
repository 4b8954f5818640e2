// Job: one kind of training job. It lays out the ranks and writes the program of each role for a
// step. It knows nothing about time.
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

// The parameters of a program.
struct StepRequest {
  int role = 0;
  ActiveCauses causes;
  int variant = 0;                   // of the batch's length; less than kBatchVariants
  std::int64_t healthy_step_ns = 0;  // the unit in which pauses are measured
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
  // The rank's purpose, as written in truth.json.
  virtual std::string_view PurposeOf(int /*rank*/) const { return "trainer"; }
  // The number of data loader batches that a step takes.
  virtual int BatchesPerStep() const = 0;
  // How a rank's tokens are sent to experts, if the job has experts.
  virtual Router RouterOf(int /*rank*/) const { return {}; }
  virtual Program MakeStep(const StepRequest& request) = 0;
};

// The job that the options ask for. `library` owns what the job's programs point to, and must
// outlive the job.
std::unique_ptr<Job> MakeJob(const SimulateOptions& options, const StepSize& size,
                             Library* library);

}  // namespace rankscope::sim
