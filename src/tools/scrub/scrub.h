// Scrub: makes a trace that can be shared. Names of hosts, users, files, modules, processes and
// everything else that is not known to be public are replaced. A name gets the same replacement in
// all traces that are scrubbed with one key. Times, numbers and public names of ops and kernels
// stay, so that an analysis gives the same result. Numbers are not replaced: process ids, addresses
// and shapes stay unchanged.
#pragma once

#include <string>
#include <vector>

#include "tools/scrub/name_scrubber.h"
#include "tools/write_traces.h"

namespace rankscope::tools {

struct ScrubReport {
  Written written;
  std::vector<std::string> losses;  // sentences on what could not be read
};

// Derives a key from any text; an empty text gives a new secret key.
Result<SipKey> KeyOf(std::string_view secret);

// `log` may be null. Memory is bounded, except for a log.
Result<ScrubReport> ScrubTrace(const std::string& from, const std::string& to, const SipKey& key,
                               ReplacementLog* log, int threads);

// A file name in which words that are not public are replaced.
std::string ScrubFileName(const std::string& name, const SipKey& key, ReplacementLog* log);

}  // namespace rankscope::tools
