// How a trace is read, whatever its format.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "formats/base/byte_source.h"
#include "formats/base/file_part.h"

namespace rankscope {

struct ReadOptions {
  int threads = 1;        // for formats that can use several
  int part = kWholeFile;  // of a file that holds several traces (PartsOf)
  InflateLimits inflate;
  // The execution trace of the same run, of which Kineto's takes what it lacks; "" without one.
  std::string execution_trace;
  // Called now and then by one thread at a time with the part of the file that was read (0 to 1)
  // and the bytes of text so far; false stops the reading.
  std::function<bool(double fraction, std::uint64_t text_bytes)> progress;
};

}  // namespace rankscope
