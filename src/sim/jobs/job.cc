#include "sim/jobs/job.h"

#include "sim/jobs/ddp.h"
#include "sim/jobs/dlrm.h"
#include "sim/jobs/fsdp.h"
#include "sim/jobs/moe.h"
#include "sim/jobs/post_training.h"
#include "sim/jobs/three_d.h"

namespace rankscope::sim {

std::unique_ptr<Job> MakeJob(const SimulateOptions& options, const StepSize& size,
                             Library* library) {
  switch (options.job) {
    case JobKind::kDdp:
    case JobKind::kSingle:
      break;
    case JobKind::kPostTraining:
      return std::make_unique<PostTrainingJob>(options, size, library);
    case JobKind::kFsdp:
    case JobKind::kHsdp:
      return std::make_unique<FsdpJob>(options, size, library);
    case JobKind::kThreeD:
      return std::make_unique<ThreeDJob>(options, size, library);
    case JobKind::kMoe:
      return std::make_unique<MoeJob>(options, size, library);
    case JobKind::kDlrm:
      return std::make_unique<DlrmJob>(options, size, library);
  }
  return std::make_unique<DdpJob>(options, size, library);
}

}  // namespace rankscope::sim
