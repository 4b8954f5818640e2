#include "agent/own_state.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>

#include "agent/base/fields.h"
#include "agent/base/small_file.h"
#include "quantity/agent_metrics.h"

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;

double SecondsOf(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

void AddOwnState(const std::string& spool_dir, Readings& own) {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0)
    own.Add(quantity::kAgentCpu, {}, SecondsOf(usage.ru_utime) + SecondsOf(usage.ru_stime));
  // Pages: in all, resident, ...
  const Result<std::string> pages = ReadSmallFile("/proc/self/statm");
  const std::vector<std::string_view> words =
      pages.ok() ? Words(*pages) : std::vector<std::string_view>();
  const auto resident = words.size() > 1 ? NumberOf(words[1]) : std::nullopt;
  if (resident)
    own.Add(quantity::kAgentResident, {}, *resident * static_cast<double>(sysconf(_SC_PAGESIZE)));
  std::error_code error;
  const auto descriptors = std::distance(fs::directory_iterator("/proc/self/fd", error), {});
  if (!error) own.Add(quantity::kAgentDescriptors, {}, static_cast<double>(descriptors));
  double bytes = 0;
  for (const auto& entry : fs::directory_iterator(spool_dir, error)) {
    if (entry.path().extension() == ".json") continue;  // settings of the server
    std::error_code gone;
    const auto size = entry.file_size(gone);
    if (!gone) bytes += static_cast<double>(size);
  }
  if (!error) own.Add(quantity::kAgentSpool, {}, bytes);
}

}  // namespace rankscope::agent
