// A file that is read, and the collection that readers add to.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "post_training/base/data.h"

namespace rankscope::post_training {

struct InputFile {
  std::string path;  // as sentences and tables name it
  std::string_view text;
  std::string problem = {};  // why the text is not all of the file; "" where it is
};

enum class Kind : std::uint8_t {
  kUnknown,
  kLog,     // lines of a console, with steps among them
  kRows,    // JSON lines, or a document with a list of rows
  kRecord,  // rankscope's own: phases, rollouts, sequences
  kTrace,   // of torch
};

// By the first 256 KiB; a log tells its first step late, so one without is looked through.
Kind KindOf(std::string_view text);

// Reads it, or says why not. kNotFound: it is nothing of a post-training run, so that one of a
// folder may be passed over; kBadData: it is, and cannot be read.
Status ReadPostTrainingFile(const InputFile& file, PostData& to);

// The readers behind it.
Status ReadLog(const InputFile& file, PostData& to);
Status ReadRows(const InputFile& file, PostData& to);
Status ReadRecord(const InputFile& file, PostData& to);

}  // namespace rankscope::post_training
