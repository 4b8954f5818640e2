// Which of the readers a file is for, by its content.
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

// Looks at the first 64 KiB, at more of it for what stands at the end of JSON.
Kind KindOf(std::string_view text);

// Reads it, or says why not. kNotFound: it is nothing of a serving program, so that one of a folder
// may be passed over; kBadData: it is, and cannot be read.
Status ReadServingFile(const InputFile& file, Collection& to);

}  // namespace rankscope::serving
