#include "agent/capture_scrapes.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace rankscope::agent {
namespace {

constexpr std::size_t kMostCaptures = 1000;  // that are remembered

}  // namespace

std::vector<FileBeside> CaptureScrapes::Of(const std::string& capture, std::int64_t from_unix_us,
                                           std::int64_t to_unix_us) {
  if (!given_.insert(capture).second) return {};
  if (given_.size() > kMostCaptures) given_ = {capture};
  std::vector<FileBeside> files;
  for (ServingPages::Scrapes& one : pages_->Between(from_unix_us, to_unix_us)) {
    // Names of files have no colon.
    std::ranges::replace(one.instance, ':', '-');
    files.push_back({fmt::format(".{}.prom", one.instance), std::move(one.text)});
  }
  return files;
}

}  // namespace rankscope::agent
