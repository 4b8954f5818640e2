// Split: divides a trace into several complete traces; merge joins them again.
//
// By step: one piece per step, and one each for the time before and after all steps. A host event
// goes to the piece of the step in which it begins, device work to that of its launch. By size:
// pieces of about that many bytes of text, in file order. Metadata (ph M) is in every piece.
//
// Memory: about 4 MB per thread, between one bit and two bytes per launch, and a few bytes per run
// of events in one piece.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace rankscope::tools {

struct SplitOptions {
  std::uint64_t piece_bytes = 0;  // text bytes per piece; 0: split by step
  int threads = 1;
};

struct SplitReport {
  std::vector<std::string> files;
  std::vector<std::string> losses;  // sentences on what could not be read
};

inline constexpr std::size_t kMostPieces = 500;

// Writes the pieces to `folder`, which is created if missing, with the trace's name and
// compression. Either all of them appear, or none.
Result<SplitReport> SplitTrace(const std::string& from, const std::string& folder,
                               const SplitOptions& options);

}  // namespace rankscope::tools
