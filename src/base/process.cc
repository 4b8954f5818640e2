#include "base/process.h"

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

namespace rankscope {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetweenWaits{5};
constexpr std::chrono::milliseconds kBetweenQuestions{50};

// What posix_spawn is told, freed with it.
class SpawnPlan {
 public:
  explicit SpawnPlan(const ProcessSpec& spec) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    // A group of its own, which a session has, and no signal blocked or ignored that this process
    // does.
    const int group = spec.has_own_session ? POSIX_SPAWN_SETSID : POSIX_SPAWN_SETPGROUP;
    posix_spawnattr_setflags(
        &attributes_, static_cast<short>(group | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
    if (!spec.has_own_session) posix_spawnattr_setpgroup(&attributes_, 0);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    PlanStreams(spec);
    posix_spawn_file_actions_addchdir_np(&actions_, spec.folder.c_str());
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  void PlanStreams(const ProcessSpec& spec) {
    // A group in the background that reads a terminal stops.
    if (spec.input >= 0)
      posix_spawn_file_actions_adddup2(&actions_, spec.input, STDIN_FILENO);
    else if (!spec.log.empty() || spec.has_own_session || isatty(STDIN_FILENO) != 0)
      posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (spec.output >= 0) posix_spawn_file_actions_adddup2(&actions_, spec.output, STDOUT_FILENO);
    if (spec.log.empty()) return;
    posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, spec.log.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (spec.output < 0) posix_spawn_file_actions_adddup2(&actions_, STDERR_FILENO, STDOUT_FILENO);
  }

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

}  // namespace

Result<Process> Process::Start(const ProcessSpec& spec) {
  RS_CHECK(!spec.words.empty());
  const SpawnPlan plan(spec);
  std::vector<std::string> words = spec.words, environment = EnvironmentWith(spec.environment);
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, words.front().c_str(), plan.actions(), plan.attributes(),
                                  PointersTo(words).data(), PointersTo(environment).data());
  if (failed != 0)
    return Error(failed == ENOENT ? StatusCode::kNotFound : StatusCode::kIo,
                 "cannot start '{}' in {}: {}", words.front(), spec.folder, std::strerror(failed));
  return Process(pid);
}

Process& Process::operator=(Process&& other) noexcept {
  if (this == &other) return *this;
  Kill();
  leader_ = std::exchange(other.leader_, -1);
  status_ = other.status_;
  is_reaped_ = other.is_reaped_;
  return *this;
}

bool Process::HasEnded() {
  if (leader_ < 0) return true;
  if (!is_reaped_ && waitpid(leader_, &status_, WNOHANG) == leader_) is_reaped_ = true;
  return is_reaped_;
}

int Process::exit_code() const {
  return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
}

void Process::Stop(std::chrono::milliseconds patience) {
  if (leader_ < 0) return;
  kill(-leader_, SIGTERM);
  const auto until = Clock::now() + patience;
  // The leader is waited for; of the others who is left says kill.
  while (Clock::now() < until && (!HasEnded() || kill(-leader_, 0) == 0))
    std::this_thread::sleep_for(kBetweenWaits);
  Kill();
}

void Process::Kill() {
  if (leader_ < 0) return;
  kill(-leader_, SIGKILL);
  if (!is_reaped_) waitpid(leader_, &status_, 0);
  leader_ = -1;
}

Result<ProcessEnd> RunProcess(const ProcessSpec& spec, std::chrono::nanoseconds limit,
                              const std::function<bool()>& is_stopped) {
  const auto begun = Clock::now();
  RS_ASSIGN_OR_RETURN(Process process, Process::Start(spec));
  ProcessEnd end;
  for (auto asked = begun; !process.HasEnded();) {
    const auto now = Clock::now();
    if (now - begun > limit) {
      end.ran_too_long = true;
      break;
    }
    if (now - asked > kBetweenQuestions) {
      if (is_stopped()) return Status(StatusCode::kCancelled, "stopped");
      asked = now;
    }
    std::this_thread::sleep_for(kBetweenWaits);
  }
  end.seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  if (end.ran_too_long) process.Kill();
  end.exit_code = process.exit_code();
  return end;
}

}  // namespace rankscope
