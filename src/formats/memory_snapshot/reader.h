// Memory snapshots: the pickle that torch.cuda.memory._dump_snapshot (Python, protocol 4) or
// torch::cuda::_memory_snapshot_pickled (C++, protocol 2) writes, read as it streams by.
//
// Each dict becomes a row of columns as soon as it is complete, and each list of frames a number of
// a stack, so that memory follows events (about 100 bytes each) and not the 35 frames that each
// names.
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

// A sentence names the path and the byte of what is no snapshot, cut off or made to do harm.
Result<snapshot::Snapshot> Read(const std::string& path, const ReadOptions& options = {});
Result<snapshot::Snapshot> Read(ByteSource& source, const std::string& path,
                                const ReadOptions& options = {});

}  // namespace rankscope::memory_snapshot
