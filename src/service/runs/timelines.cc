#include "service/runs/timelines.h"

#include <algorithm>

namespace rankscope::service {

Result<std::shared_ptr<const TimelineFile>> Timelines::Open(const std::string& path) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find(opened_, path, &Opened::path);
  if (found != opened_.end()) {
    opened_.splice(opened_.begin(), opened_, found);
    return found->file;
  }
  RS_ASSIGN_OR_RETURN(std::shared_ptr<const TimelineFile> file, TimelineFile::Open(path));
  opened_.push_front({path, file});
  if (opened_.size() > most_) opened_.pop_back();
  return file;
}

}  // namespace rankscope::service
