// Repack: changes a trace's compression, not its text.
#pragma once

#include <string>

#include "base/status.h"

namespace rankscope::tools {

struct Repacked {
  std::uint64_t text_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::string loss;  // a sentence on what could not be read; "" if nothing
};

// Copies `from` to `to`: plain, gzip or zstd according to its name. Refuses a file that does not
// begin like JSON. Memory: 2 MB per thread.
Result<Repacked> Repack(const std::string& from, const std::string& to, int threads);

}  // namespace rankscope::tools
