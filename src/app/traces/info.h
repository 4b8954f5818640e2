// Contents and faults of trace files: the use case of `trace info`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/listener.h"
#include "base/status.h"

namespace rankscope::app {

// kText is for people; kJson for programs, with the keys of docs/trace-model.md: times are strings
// of absolute nanoseconds.
enum class InfoFormat : std::uint8_t { kText, kJson };

struct TraceInfos {
  std::string text;
  Status status;  // the first error if no file could be read; the text names all
};

// For traces, dumps of Flight Recorders and execution traces, each read separately; errors appear
// in place of unreadable files. Folders that cannot be listed are notices.
Result<TraceInfos> InfoOfTraces(const std::vector<std::string>& paths, InfoFormat format,
                                int threads, Listener& listener);

}  // namespace rankscope::app
