// Memory snapshots: reads the pickle that torch.cuda.memory._dump_snapshot (Python, protocol 4) or
// torch::cuda::_memory_snapshot_pickled (C++, protocol 2) writes, as a stream.
//
// Each dict becomes a row of columns as soon as it is complete, and each list of frames becomes the
// number of a stack. So memory grows with the events (about 100 bytes each) and not with the 35
// frames per event.
#pragma once

#include <functional>
#include <string>

#include "base/status.h"
#include "formats/base/byte_source.h"
#include "snapshot/snapshot.h"

namespace rankscope::memory_snapshot {

struct ReadOptions {
  std::uint64_t memory_bytes = std::uint64_t{8} << 30;
  std::function<bool(double fraction, std::uint64_t bytes)> progress;
};

// Errors name the path and the byte where the file is invalid, cut off or malicious.
Result<snapshot::Snapshot> Read(const std::string& path, const ReadOptions& options = {});
Result<snapshot::Snapshot> Read(ByteSource& source, const std::string& path,
                                const ReadOptions& options = {});

}  // namespace rankscope::memory_snapshot
