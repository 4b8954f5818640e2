#include "fix/tree/git.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <utility>

extern char** environ;

namespace rankscope::fix {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;

// Parts that end in a zero byte.
std::vector<std::string> Parts(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\0'), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// All that comes; none where it is too much.
std::optional<std::string> ReadAll(int descriptor) {
  std::string all;
  char part[1 << 16];
  for (;;) {
    const ssize_t count = read(descriptor, part, sizeof part);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 || all.size() > kMostBytes) return std::nullopt;
    if (count == 0) return all;
    all.append(part, static_cast<std::size_t>(count));
  }
}

}  // namespace

std::optional<std::string> Git::Ask(const std::vector<std::string>& words) const {
  std::vector<std::string> command = {
      "git", "--no-optional-locks", "-c", "core.fsmonitor=false", "-C", folder_};
  command.insert(command.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  const int failed = posix_spawnp(&process, "git", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::optional<std::string> answer;
  if (failed == 0) answer = ReadAll(ends[0]);
  close(ends[0]);  // who writes on gets SIGPIPE
  if (failed != 0) return std::nullopt;
  int state = 0;
  while (waitpid(process, &state, 0) < 0 && errno == EINTR) {
  }
  const bool is_good = WIFEXITED(state) && WEXITSTATUS(state) == 0;
  return is_good ? answer : std::nullopt;
}

bool Git::HasTree() const {
  const auto answer = Ask({"rev-parse", "--is-inside-work-tree"});
  return answer && answer->starts_with("true");
}

bool Git::HasMark() const {
  std::error_code error;
  std::filesystem::path at = std::filesystem::canonical(folder_, error);
  while (!error) {
    if (std::filesystem::exists(at / ".git", error)) return true;
    if (at == at.root_path()) return false;
    at = at.parent_path();
  }
  return false;
}

std::optional<std::vector<std::string>> Git::Files() const {
  const auto answer = Ask({"ls-files", "-z", "--cached", "--others", "--exclude-standard"});
  return answer ? std::optional(Parts(*answer)) : std::nullopt;
}

Result<std::vector<std::string>> Git::Changed() const {
  const auto answer =
      Ask({"status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--", "."});
  if (!answer)
    return Error(StatusCode::kIo, "{}: git does not say whether anything was changed", folder_);
  std::vector<std::string> changed;
  constexpr std::size_t kMarks = 3;  // "?? "
  for (const std::string& part : Parts(*answer))
    if (part.size() > kMarks) changed.push_back(part.substr(kMarks));
  return changed;
}

}  // namespace rankscope::fix
