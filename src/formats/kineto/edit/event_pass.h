// A pass over the events of a trace on several threads, in bounded memory: chunks are processed in
// parallel and delivered in file order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/status.h"
#include "formats/base/byte_source.h"
#include "formats/kineto/tokens/splitter.h"

namespace rankscope::kineto {

// One per thread. The chunk lives until Deliver has returned.
class ChunkWorker {
 public:
  virtual ~ChunkWorker() = default;
  // Runs on any thread, in parallel with others.
  virtual Status Work(Chunk& chunk) = 0;
  // Runs on one thread at a time, in chunk order.
  virtual Status Deliver(const Chunk& chunk) = 0;
};

struct PassOptions {
  int threads = 1;
  SplitLimits split;
};

// What a pass found besides the events.
struct PassResult {
  TopLevel top;
  QualityLog problems;
  std::uint64_t lost_events = 0;
  std::uint64_t text_bytes = 0;
  std::uint64_t file_bytes = 0;
};

// Each thread in turn inflates and cuts the next chunk, processes it, and delivers it in its turn.
// The first error ends the pass. Memory: about 2 MB per thread plus the workers' own.
Result<PassResult> ForEachChunk(ByteSource& source, const PassOptions& options,
                                const std::function<std::unique_ptr<ChunkWorker>()>& make_worker);

// OK, or one sentence why there is no trace in what was read; the same sentence as reading gives.
Status CheckIsTrace(const PassResult& result, const std::string& path);

}  // namespace rankscope::kineto
