// Reads who had which devices from schedulers' output, and which devices existed.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "fleet/hours/claim.h"

namespace rankscope::fleet {

struct ReadOptions {
  std::int64_t offset_s = 0;  // for times without a zone, ahead of UTC
  std::int64_t now_ms = 0;    // end of claims that have not ended
};

// The output of
//   sacct -P -D -a
//   --format=JobIDRaw,JobName,User,Account,Partition,QOS,State,Start,End,NodeList,AllocTRES
// Skips rows of steps ("12.batch"), of jobs that never began and of jobs without devices. A
// requeued job has one row per run (-D), and each counts. AllocTRES gives the devices of all nodes
// together; they are divided evenly, and the remainder goes to the first nodes. gres/gpu:1g.10gb is
// a seventh of a device, gres/mps a hundredth. kBadData with file and line.
Status ReadSacct(const std::string& name, std::string_view text, const ReadOptions& options,
                 std::vector<Claim>& claims);

struct PodClaims {
  std::vector<Claim> claims;
  std::set<std::string> uncounted;  // resources that are devices, of kinds that are not known
};
// The output of `kubectl get pods -A -o json`: pods with nvidia.com/gpu, amd.com/gpu or
// nvidia.com/mig-NAME among their limits, also with .shared behind it, that have a node and have
// started. A pod holds what its containers take together, or an init container if that takes more.
Status ReadPods(const std::string& name, std::string_view text, const ReadOptions& options,
                PodClaims& found);

// node,devices[,from,until]: `node` may be a Slurm list; without times the devices always exist.
// kBadData, with both lines, if two rows tell of a node at the same time.
Status ReadDevices(const std::string& name, std::string_view text, const ReadOptions& options,
                   std::vector<Capacity>& capacity);

// node,from,until,state: down, drained or reserved.
Status ReadAbsences(const std::string& name, std::string_view text, const ReadOptions& options,
                    std::vector<Absence>& absences);

}  // namespace rankscope::fleet
