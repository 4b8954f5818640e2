#include "rerun/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "base/check.h"

namespace rankscope::rerun {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetweenLooks{5};
constexpr std::chrono::milliseconds kBetweenQuestions{50};

// What posix_spawn is told, freed with it.
class SpawnPlan {
 public:
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    // A group of its own, and no signal blocked or ignored that this process does.
    posix_spawnattr_setflags(
        &attributes_,
        static_cast<short>(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
    posix_spawnattr_setpgroup(&attributes_, 0);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  void StartIn(const std::string& folder, const std::string& log) {
    // A group in the background that reads a terminal stops.
    if (!log.empty() || isatty(STDIN_FILENO) != 0)
      posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!log.empty()) {
      posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, log.c_str(),
                                       O_WRONLY | O_CREAT | O_APPEND, 0644);
      posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
    }
    posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
  }

  posix_spawn_file_actions_t* actions() { return &actions_; }
  posix_spawnattr_t* attributes() { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

std::vector<std::string> EnvironmentWith(const std::map<std::string, std::string>& added) {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (!added.contains(std::string(text.substr(0, text.find('='))))) all.emplace_back(text);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> PointersTo(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Ends what is left of the group, helpers that the command left behind, too.
class Group {
 public:
  explicit Group(pid_t leader) : leader_(leader) {}
  ~Group() {
    kill(-leader_, SIGKILL);
    if (!is_reaped_) waitpid(leader_, nullptr, 0);
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  // Whether it has ended, and how.
  bool HasEnded(int& status) {
    const pid_t ended = waitpid(leader_, &status, WNOHANG);
    is_reaped_ |= ended == leader_;
    return is_reaped_;
  }

 private:
  pid_t leader_;
  bool is_reaped_ = false;
};

}  // namespace

Result<ProcessEnd> RunProcess(const ProcessSpec& spec, const std::function<bool()>& is_stopped) {
  RS_CHECK(!spec.words.empty());
  SpawnPlan plan;
  plan.StartIn(spec.folder, spec.log);
  std::vector<std::string> words = spec.words, environment = EnvironmentWith(spec.environment);
  const auto begun = Clock::now();
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, words.front().c_str(), plan.actions(), plan.attributes(),
                                  PointersTo(words).data(), PointersTo(environment).data());
  if (failed != 0)
    return Error(failed == ENOENT ? StatusCode::kNotFound : StatusCode::kIo,
                 "cannot start '{}' in {}: {}", words.front(), spec.folder, std::strerror(failed));
  Group group(pid);
  ProcessEnd end;
  int status = 0;
  for (auto asked = begun; !group.HasEnded(status);) {
    const auto now = Clock::now();
    if (now - begun > spec.limit) {
      end.ran_too_long = true;
      break;
    }
    if (now - asked > kBetweenQuestions) {
      if (is_stopped()) return Status(StatusCode::kCancelled, "stopped");
      asked = now;
    }
    std::this_thread::sleep_for(kBetweenLooks);
  }
  end.seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return end;
}

}  // namespace rankscope::rerun
