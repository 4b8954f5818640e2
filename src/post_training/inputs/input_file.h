// An input file, and the readers that add its content to a collection.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "post_training/base/data.h"

namespace rankscope::post_training {

struct InputFile {
  std::string path;  // name in sentences and tables
  std::string_view text;
  std::string problem = {};  // why the text is incomplete; "": it is complete
};

enum class Kind : std::uint8_t {
  kUnknown,
  kLog,     // console lines, including steps
  kRows,    // JSON lines, or a document with a list of rows
  kRecord,  // rankscope's own format: phases, rollouts, sequences
  kTrace,   // of torch
};

// Decides by the first 256 KiB. A log may have its first step late, so a file without one is
// searched.
Kind KindOf(std::string_view text);

// Reads the file. kNotFound: it is unrelated to post-training, so that a file of a folder may be
// skipped; kBadData: it is related, but cannot be read.
Status ReadPostTrainingFile(const InputFile& file, PostData& to);

// The readers that it uses.
Status ReadLog(const InputFile& file, PostData& to);
Status ReadRows(const InputFile& file, PostData& to);
Status ReadRecord(const InputFile& file, PostData& to);

}  // namespace rankscope::post_training
