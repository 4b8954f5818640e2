// Job: one kind of training job. It lays out the ranks and writes what the ranks of each role do in
// a step; it knows nothing about time.
#pragma once

#include <memory>

#include "sim/cause.h"
#include "sim/layout.h"
#include "sim/library.h"
#include "sim/program.h"
#include "sim/simulate.h"
#include "sim/step_size.h"

namespace rankscope::sim {

class Job {
 public:
  virtual ~Job() = default;

  virtual Layout MakeLayout() const = 0;
  // Ranks of the same role run the same program.
  virtual int RoleOf(int rank) const = 0;
  virtual Program MakeStep(int role, const ActiveCauses& causes) = 0;
};

// The job that the options ask for. `library` takes what its programs point to and must outlive it.
std::unique_ptr<Job> MakeJob(const SimulateOptions& options, const StepSize& size,
                             Library* library);

}  // namespace rankscope::sim
