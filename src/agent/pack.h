// Packs the files that processes wrote, with gzip, in bounded memory, readable only for the agent.
#pragma once

#include <string>
#include <vector>

#include "agent/captures/captures.h"
#include "base/status.h"
#include "cpu_profile/samples/profile.h"

namespace rankscope::agent {

// Adds `distributedInfo`, as torch.profiler writes it, to the head of a trace that states no rank,
// and `rankscope_capture`, the sidecar. The `profiles` of its process become its events. kIo;
// kBadData if the text does not begin as an object.
Status PackTrace(const WrittenFile& from, const std::string& to, const CaptureMember& member,
                 const std::string& sidecar,
                 const std::vector<cpu_profile::Profile>& profiles = {});

// A file as it is. kIo.
Status PackFile(const WrittenFile& from, const std::string& to);

}  // namespace rankscope::agent
