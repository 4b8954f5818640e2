#include "fix/tree/git.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
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

// A file without a name that has the text, to be read from its begin; below 0: none.
int FileOf(std::string_view text) {
  const int file = memfd_create("rankscope", MFD_CLOEXEC);
  if (file < 0) return file;
  while (!text.empty()) {
    const ssize_t count = write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      close(file);
      return -1;
    }
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  lseek(file, 0, SEEK_SET);
  return file;
}

// "100644 blob 0123abc\tmodels/net.py"; none of what is no regular file.
std::optional<Git::Entry> EntryOf(std::string_view line) {
  const std::size_t tab = line.find('\t');
  const std::size_t object = line.find(" blob ");
  if (!line.starts_with("100") || tab == line.npos || object == line.npos || object > tab)
    return std::nullopt;
  const std::size_t begin = object + std::string_view(" blob ").size();
  return Git::Entry{.path = std::string(line.substr(tab + 1)),
                    .object = std::string(line.substr(begin, tab - begin))};
}

}  // namespace

std::optional<std::string> Git::Ask(const std::vector<std::string>& words,
                                    std::string_view input) const {
  std::vector<std::string> command = {
      "git", "--no-optional-locks", "-c", "core.fsmonitor=false", "-C", folder_};
  command.insert(command.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  const int given = input.empty() ? open("/dev/null", O_RDONLY | O_CLOEXEC) : FileOf(input);
  int ends[2];
  if (given < 0 || pipe2(ends, O_CLOEXEC) != 0) {
    if (given >= 0) close(given);
    return std::nullopt;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, given, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  const int failed = posix_spawnp(&process, "git", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  close(given);
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

std::optional<std::string> Git::CommitOf(const std::string& name) const {
  auto answer = Ask({"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"});
  if (!answer) return std::nullopt;
  return answer->substr(0, answer->find('\n'));
}

std::optional<std::vector<Git::Entry>> Git::FilesOf(const std::string& commit) const {
  const auto answer = Ask({"ls-tree", "-r", "-z", commit});
  if (!answer) return std::nullopt;
  std::vector<Entry> entries;
  for (const std::string& part : Parts(*answer))
    if (auto entry = EntryOf(part)) entries.push_back(*std::move(entry));
  return entries;
}

std::optional<std::vector<std::string>> Git::Contents(
    const std::vector<std::string>& objects) const {
  if (objects.empty()) return std::vector<std::string>();
  std::string names;
  for (const std::string& object : objects) names += object + "\n";
  const auto answer = Ask({"cat-file", "--batch"}, names);
  if (!answer) return std::nullopt;
  // For each "NAME blob BYTES\n", the bytes, "\n".
  std::vector<std::string> contents;
  std::string_view rest = *answer;
  while (!rest.empty()) {
    const std::string_view head = rest.substr(0, rest.find('\n'));
    const std::string_view number = head.substr(head.rfind(' ') + 1);
    std::size_t bytes = 0;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), bytes);
    if (read.ec != std::errc() || rest.size() < head.size() + bytes + 2) return std::nullopt;
    contents.emplace_back(rest.substr(head.size() + 1, bytes));
    rest.remove_prefix(head.size() + bytes + 2);
  }
  return contents.size() == objects.size() ? std::optional(std::move(contents)) : std::nullopt;
}

}  // namespace rankscope::fix
