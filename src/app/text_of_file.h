// Files of text, unpacked: what recordings that are no traces are read from.
#pragma once

#include <string>

#include "base/status.h"

namespace rankscope::app {

struct UnpackedText {
  std::string text;
  std::string problem;  // why there is no more of it, or "": a file that was cut off
};

// All of a file, which may be packed with gzip or zstd; an error beyond 4 GiB.
Result<UnpackedText> TextOfFile(const std::string& path);

// The first 64 KiB, "" of what cannot be read. What is no text need not be read to its end: a
// folder may hold weights.
std::string HeadOfFile(const std::string& path);

}  // namespace rankscope::app
