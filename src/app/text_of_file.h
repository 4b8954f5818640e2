// Text files, unpacked: the input of recordings other than traces.
#pragma once

#include <string>

#include "base/status.h"

namespace rankscope::app {

struct UnpackedText {
  std::string text;
  std::string problem;  // why the text is incomplete, or "": a truncated file
};

// The whole file, which may be compressed with gzip or zstd; an error beyond 4 GiB.
Result<UnpackedText> TextOfFile(const std::string& path);

// The first 64 KiB, or "" if unreadable. So files other than text need not be read completely: a
// folder may contain model weights.
std::string HeadOfFile(const std::string& path);

}  // namespace rankscope::app
