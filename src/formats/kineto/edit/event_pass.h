// A pass over the events of a trace on several threads, in bounded memory: chunks are worked on
// side by side and handed over in the order of the file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/status.h"
#include "formats/base/byte_source.h"
#include "formats/kineto/tokens/splitter.h"

namespace rankscope::kineto {

// Of one thread. The chunk lives until Deliver has returned.
class ChunkWorker {
 public:
  virtual ~ChunkWorker() = default;
  // Any thread, beside the others.
  virtual Status Work(Chunk& chunk) = 0;
  // One thread at a time, chunk by chunk.
  virtual Status Deliver(const Chunk& chunk) = 0;
};

struct PassOptions {
  int threads = 1;
  SplitLimits split;
};

// What a pass saw beside the events.
struct PassResult {
  TopLevel top;
  QualityLog problems;
  std::uint64_t lost_events = 0;
  std::uint64_t text_bytes = 0;
  std::uint64_t file_bytes = 0;
};

// Every thread inflates and cuts the next chunk in its turn, works on it, and delivers it in its
// turn. The first error ends the pass. Memory: about 2 MB per thread and what the workers hold.
Result<PassResult> ForEachChunk(ByteSource& source, const PassOptions& options,
                                const std::function<std::unique_ptr<ChunkWorker>()>& make_worker);

// OK, or why there is no trace in what was read, in one sentence; as reading says it.
Status CheckIsTrace(const PassResult& result, const std::string& path);

}  // namespace rankscope::kineto
