// Timelines of reports, open while they are in use.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "base/status.h"
#include "timeline/reader.h"

namespace rankscope::service {

// Safe for many threads. A content never changes, so open files stay correct.
class Timelines {
 public:
  // Up to `most` files stay open for later requests; more are open while they are used.
  explicit Timelines(std::size_t most) : most_(most) {}

  Result<std::shared_ptr<const TimelineFile>> Open(const std::string& path);

 private:
  struct Opened {
    std::string path;
    std::shared_ptr<const TimelineFile> file;
  };
  const std::size_t most_;
  std::mutex mutex_;
  std::list<Opened> opened_;  // used last, first
};

}  // namespace rankscope::service
