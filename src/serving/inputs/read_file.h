// Selects the reader of a file by its content.
#pragma once

#include "serving/inputs/input_file.h"

namespace rankscope::serving {

enum class Kind : std::uint8_t {
  kUnknown,
  kScrapes,
  kOtlp,
  kSglangLog,
  kAiperf,
  kVllmBench,
  kGuidellm,
  kLoadRecord,
  kTuning,
  kRequestRecord,
  kLog,
  kTrace,  // of torch, which other commands read
};

// Looks at the first 64 KiB, and at more if needed for the end of JSON.
Kind KindOf(std::string_view text);

// Reads it, or returns the reason. kNotFound: it is not from a serving program, so it may be
// skipped in a folder; kBadData: it is, but cannot be read.
Status ReadServingFile(const InputFile& file, Collection& to);

}  // namespace rankscope::serving
