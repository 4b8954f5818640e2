// Who had which devices, from what schedulers say, and what there was to have.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "fleet/hours/claim.h"

namespace rankscope::fleet {

struct ReadOptions {
  std::int64_t offset_s = 0;  // of times without a zone, ahead of UTC
  std::int64_t now_ms = 0;    // until when what has not ended has its devices
};

// The output of
//   sacct -P -D -a
//   --format=JobIDRaw,JobName,User,Account,Partition,QOS,State,Start,End,NodeList,AllocTRES
// Rows of steps ("12.batch"), of jobs that never began and of jobs without devices are passed over.
// A job that was requeued has a row for each time (-D), and each counts. AllocTRES says the devices
// of all nodes together; they are divided evenly, what is left over to the first ones.
// gres/gpu:1g.10gb is a seventh of a device, gres/mps a hundredth. kBadData names file and line.
Status ReadSacct(const std::string& name, std::string_view text, const ReadOptions& options,
                 std::vector<Claim>& claims);

// What `kubectl get pods -A -o json` says: pods with nvidia.com/gpu, amd.com/gpu or
// nvidia.com/mig-NAME among their limits, that have a node and have begun.
Status ReadPods(const std::string& name, std::string_view text, const ReadOptions& options,
                std::vector<Claim>& claims);

// node,devices[,from,until]: `node` may be a list of Slurm's; without times it was always there.
Status ReadDevices(const std::string& name, std::string_view text, const ReadOptions& options,
                   std::vector<Capacity>& capacity);

// node,from,until,state: down, drained or reserved.
Status ReadAbsences(const std::string& name, std::string_view text, const ReadOptions& options,
                    std::vector<Absence>& absences);

}  // namespace rankscope::fleet
