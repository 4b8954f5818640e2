// What is sent of the files that processes wrote: packed with gzip, in bounded memory, readable for
// the agent alone.
#pragma once

#include <string>
#include <vector>

#include "agent/captures/captures.h"
#include "base/status.h"
#include "cpu_profile/samples/profile.h"

namespace rankscope::agent {

// Into the head of a trace that says no rank itself come `distributedInfo`, as torch.profiler
// writes it, and `rankscope_capture`, the sidecar. `profiles` of its process become events of it.
// kIo, and kBadData for what does not begin as an object.
Status PackTrace(const WrittenFile& from, const std::string& to, const CaptureMember& member,
                 const std::string& sidecar,
                 const std::vector<cpu_profile::Profile>& profiles = {});

// A file as it is. kIo.
Status PackFile(const WrittenFile& from, const std::string& to);

}  // namespace rankscope::agent
