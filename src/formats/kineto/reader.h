// Reads a Kineto (PyTorch profiler) or plain Chrome trace: .json or .json.gz of any size, on any
// number of threads.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "formats/base/byte_source.h"
#include "formats/kineto/edit/merged.h"
#include "formats/kineto/tokens/splitter.h"
#include "trace/builder.h"
#include "trace/trace.h"

namespace rankscope::kineto {

struct ReadOptions {
  int threads = 1;
  SplitLimits split;
  InflateLimits inflate;
  // Selects a trace of a merged file (edit/merged.h); such a file cannot be read as a whole.
  int part = kWholeFile;
  // Called from time to time, never by two threads at once, with the fraction of the file read (0
  // to 1) and the bytes of text so far. Returning false stops the reading.
  std::function<bool(double fraction, std::uint64_t text_bytes)> progress;
  // If set, receives the op numbers that an execution trace has as well.
  std::vector<RecordId>* record_ids = nullptr;
};

// Reads a trace file into columns with its links and steps. meta.quality lists what could not be
// read. The call fails only when there is nothing to show: no such file, no trace in it, or stopped
// by `progress`.
//
// Each thread in turn inflates and cuts the next chunk (about a megabyte), parses it on its own,
// and appends it in file order. So memory is the columns plus about 2 MB per thread, and the result
// does not depend on the number of threads.
Result<RankTrace> ReadTrace(const std::string& path, const ReadOptions& options = {});

// The same from any source; `path` names it in messages.
Result<RankTrace> ReadTrace(ByteSource& source, const std::string& path,
                            const ReadOptions& options = {});

}  // namespace rankscope::kineto
