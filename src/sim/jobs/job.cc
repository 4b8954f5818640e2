#include "sim/jobs/job.h"

#include "sim/jobs/ddp.h"

namespace rankscope::sim {

std::unique_ptr<Job> MakeJob(const SimulateOptions& options, const StepSize& size,
                             Library* library) {
  switch (options.job) {
    case JobKind::kDdp:
      break;
  }
  return std::make_unique<DdpJob>(options, size, library);
}

}  // namespace rankscope::sim
