#include "cpu_profile/samples/process_threads.h"

#include <fmt/core.h>

#include <charconv>
#include <filesystem>

#include "cpu_profile/image/proc_text.h"

namespace rankscope::cpu_profile {

ThreadOfProcess ParseThreadStatus(pid_t id, std::string_view text) {
  ThreadOfProcess thread{.id = id, .inside = id, .name = {}};
  while (!text.empty()) {
    const std::size_t end = std::min(text.size(), text.find('\n'));
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    if (line.starts_with("Name:\t")) thread.name = line.substr(6);
    if (!line.starts_with("NSpid:")) continue;
    // One for each namespace that it is in, the innermost last.
    const std::string_view last = line.substr(line.find_last_of("\t :") + 1);
    std::int64_t inside = 0;
    if (std::from_chars(last.data(), last.data() + last.size(), inside).ec == std::errc() &&
        inside > 0)
      thread.inside = inside;
  }
  return thread;
}

std::vector<pid_t> ProcessThreads::Refresh() {
  std::vector<pid_t> found;
  std::error_code error;
  std::filesystem::directory_iterator one(fmt::format("/proc/{}/task", pid_), error);
  for (; !error && one != std::filesystem::directory_iterator(); one.increment(error)) {
    const std::string name = one->path().filename().string();
    pid_t id = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), id).ec != std::errc()) continue;
    if (threads_.contains(id) || threads_.size() >= kMostThreads) continue;
    ThreadOfProcess thread = ParseThreadStatus(
        id, ReadProcText(fmt::format("/proc/{}/task/{}/status", pid_, id), 1 << 16));
    by_inside_[thread.inside] = id;
    threads_.emplace(id, std::move(thread));
    found.push_back(id);
  }
  return found;
}

void ProcessThreads::RefreshNames() {
  for (auto& [id, thread] : threads_) {
    std::string name = ReadProcText(fmt::format("/proc/{}/task/{}/comm", pid_, id), 64);
    if (!name.empty() && name.back() == '\n') name.pop_back();
    if (!name.empty()) thread.name = std::move(name);
  }
}

std::vector<ThreadOfProcess> ProcessThreads::All() const {
  std::vector<ThreadOfProcess> all;
  all.reserve(threads_.size());
  for (const auto& [id, thread] : threads_) all.push_back(thread);
  return all;
}

const ThreadOfProcess* ProcessThreads::Inside(std::int64_t inside) const {
  const auto found = by_inside_.find(inside);
  return found == by_inside_.end() ? nullptr : Here(found->second);
}

const ThreadOfProcess* ProcessThreads::Here(pid_t id) const {
  const auto found = threads_.find(id);
  return found == threads_.end() ? nullptr : &found->second;
}

}  // namespace rankscope::cpu_profile
