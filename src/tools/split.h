// Split: a trace as several, each of which is a trace of its own; merge makes them one again.
//
// By step: a piece per step, and one each of what is before and behind them. A host event is in the
// piece of the step in which it begins, device work in that of its launch. By size: pieces of about
// so many bytes of text, in the order of the file. Metadata (ph M) is in every piece.
//
// Memory: about 4 MB per thread, a bit to two bytes per launch, and a few bytes per run of events
// of one piece.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace rankscope::tools {

struct SplitOptions {
  std::uint64_t piece_bytes = 0;  // of text; 0: by step
  int threads = 1;
};

struct SplitReport {
  std::vector<std::string> files;
  std::vector<std::string> losses;  // sentences on what could not be read
};

inline constexpr std::size_t kMostPieces = 500;

// Writes the pieces to `folder`, which is made when it is missing, named after the trace and packed
// as it is. All of them appear, or none.
Result<SplitReport> SplitTrace(const std::string& from, const std::string& folder,
                               const SplitOptions& options);

}  // namespace rankscope::tools
