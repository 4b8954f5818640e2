// Scrub: a trace that can be shown to others. Names of hosts, users, files, modules, processes and
// everything else that is not known to be public are replaced, the same name by the same text in
// all traces that are scrubbed with one key; times, numbers and public names of ops and kernels
// stay, so that its analysis says what the trace's own does. Numbers are not replaced: process ids,
// addresses and shapes are what they were.
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

// A key made of any text; of an empty one a new key that nobody knows.
Result<SipKey> KeyOf(std::string_view secret);

// `log` may be null. Bounded memory, but for a log.
Result<ScrubReport> ScrubTrace(const std::string& from, const std::string& to, const SipKey& key,
                               ReplacementLog* log, int threads);

// The name of a file with the words replaced that are not public.
std::string ScrubFileName(const std::string& name, const SipKey& key, ReplacementLog* log);

}  // namespace rankscope::tools
