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
  // Which trace of a merged file (edit/merged.h); such a file is not read as a whole.
  int part = kWholeFile;
  // Called now and then by one thread at a time with the part of the file that was read (0 to 1)
  // and the bytes of text so far; false stops the reading.
  std::function<bool(double fraction, std::uint64_t text_bytes)> progress;
  // Takes the numbers of ops that an execution trace has, too, where somebody asks for them.
  std::vector<RecordId>* record_ids = nullptr;
};

// Reads a trace file into columns with its links and steps. What cannot be read is in meta.quality;
// the call fails only when there is nothing to show: no such file, no trace in it, or stopped by
// `progress`.
//
// Every thread takes its turn to inflate and cut the next chunk (about a megabyte), parses it on
// its own, and appends it in file order; so memory is the columns plus about 2 MB per thread, and
// the result does not depend on the number of threads.
Result<RankTrace> ReadTrace(const std::string& path, const ReadOptions& options = {});

// The same from any source; `path` names it in messages.
Result<RankTrace> ReadTrace(ByteSource& source, const std::string& path,
                            const ReadOptions& options = {});

}  // namespace rankscope::kineto
