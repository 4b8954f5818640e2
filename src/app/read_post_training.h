// What a post-training run recorded, read and analysed: what `post-training` says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/listener.h"
#include "base/status.h"
#include "report/post_training_report.h"

namespace rankscope::app {

struct PostTrainingSpec {
  std::vector<std::string> paths;  // files, folders and globs
  // Devices of a layout whose generator and trainer have devices of their own; both or none.
  std::optional<std::int64_t> generate_gpus, train_gpus;
};

// What is something else in a folder is passed over; a file that was named must be readable. Files
// packed with gzip or zstd are read as what they hold, up to 4 GiB each. Traces are read by the
// folder in which they lie, each a role of its own: ranks restart at 0 in each. Notices are of
// files that could not be read.
Result<PostTrainingReport> ReadPostTraining(const PostTrainingSpec& spec, Listener& listener);

}  // namespace rankscope::app
