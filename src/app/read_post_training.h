// Reads and analyses the recordings of a post-training run: the use case of `post-training`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/listener.h"
#include "base/status.h"
#include "report/post_training/post_training_report.h"

namespace rankscope::app {

struct PostTrainingSpec {
  std::vector<std::string> paths;  // files, folders and globs
  // Numbers of devices if generator and trainer have separate devices; both or none.
  std::optional<std::int64_t> generate_gpus, train_gpus;
};

// Other files in a folder are skipped; a named file must be readable. Files compressed with gzip or
// zstd are unpacked, up to 4 GiB each. Traces are grouped by folder, each a separate role, since
// ranks restart at 0 in each. Notices are about unreadable files.
Result<PostTrainingReport> ReadPostTraining(const PostTrainingSpec& spec, Listener& listener);

}  // namespace rankscope::app
