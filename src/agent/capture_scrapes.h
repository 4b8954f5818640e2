// The metrics of this host's serving programs around a capture, as files that go with its traces.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "agent/delivery.h"
#include "agent/serving_pages.h"

namespace rankscope::agent {

// For one thread.
class CaptureScrapes {
 public:
  // `pages` outlives it.
  explicit CaptureScrapes(const ServingPages& pages) : pages_(&pages) {}

  // The metrics of this time, a file for each instance. {} if the capture has had them: they are
  // the same for all of its processes, and go with its first trace.
  std::vector<FileBeside> Of(const std::string& capture, std::int64_t from_unix_us,
                             std::int64_t to_unix_us);

 private:
  const ServingPages* pages_;
  std::set<std::string> given_;  // captures
};

}  // namespace rankscope::agent
