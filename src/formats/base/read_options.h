// How a trace is read, whatever its format.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "formats/base/byte_source.h"
#include "formats/base/file_part.h"

namespace rankscope {

struct ReadOptions {
  int threads = 1;        // for formats that can use several threads
  int part = kWholeFile;  // of a file that holds several traces (PartsOf)
  InflateLimits inflate;
  // The execution trace of the same run; it fills what Kineto's trace lacks. "" for none.
  std::string execution_trace;
  // Called from time to time, never by two threads at once, with the fraction of the file read (0
  // to 1) and the bytes of text so far. Returning false stops the reading.
  std::function<bool(double fraction, std::uint64_t text_bytes)> progress;
};

}  // namespace rankscope
