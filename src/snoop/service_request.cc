// Who may ask the service for what.
#include <fmt/core.h>
#include <pwd.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "snoop/plan.h"
#include "snoop/service.h"

namespace rankscope::snoop {

std::optional<uid_t> UserOf(const std::string& name) {
  uid_t number = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, number);
  if (error == std::errc() && stop == end && !name.empty()) return number;
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 4096> text{};
  if (getpwnam_r(name.c_str(), &entry, text.data(), text.size(), &found) != 0 || found == nullptr)
    return std::nullopt;
  return found->pw_uid;
}

bool MayAsk(uid_t uid, const std::string& user) { return uid == 0 || UserOf(user) == uid; }

std::string WhyNot(pid_t pid, const std::vector<std::string>& of_users) {
  const auto maps = MapsOf(pid);
  if (!maps.ok()) return std::string(maps.status().message());
  std::set<std::string> known;
  if (NewLibraries(*maps, known).empty())
    return fmt::format(
        "process {} has mapped none of libcudart, libcuda, libamdhip64 and libc10_cuda: the helper "
        "of snoop looks at processes that use an accelerator alone",
        pid);
  if (of_users.empty()) return "";
  struct stat folder {};
  const bool is_there = stat(fmt::format("/proc/{}", pid).c_str(), &folder) == 0;
  const bool is_theirs = is_there && std::ranges::any_of(of_users, [&](const std::string& user) {
                           return UserOf(user) == folder.st_uid;
                         });
  if (is_theirs) return "";
  return fmt::format(
      "process {} is of user {}, whose processes the helper of snoop does not look at "
      "(--of-users)",
      pid, folder.st_uid);
}

std::vector<std::string> WordsFor(const snoop_file::WindowRequest& request) {
  std::vector<std::string> words = {
      request.what,
      "--pid",
      fmt::format("{}", request.pid),
      "--seconds",
      fmt::format("{}.{:03}", request.milliseconds / 1000, request.milliseconds % 1000),
      "--max-overhead",
      fmt::format("{}", request.max_overhead_percent),
      "--format",
      "json"};
  if (!request.stacks) words.emplace_back("--no-stacks");
  if (request.what != "snoop") return words;
  words.insert(words.end(), {"--max-events-per-second",
                             fmt::format("{}", request.max_events_per_second), "--what",
                             request.memory && request.launches ? "memory,launches"
                             : request.launches                 ? "launches"
                                                                : "memory"});
  return words;
}

}  // namespace rankscope::snoop
