#include "service/processes/child.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace rankscope::service {
namespace {

// 0 without Landlock.
int LandlockVersion() {
  static const int kVersion = static_cast<int>(
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION));
  return std::max(kVersion, 0);
}

// What changes files or folders. Kernels know more of it from version to version of Landlock.
std::uint64_t Writes() {
  constexpr std::uint64_t kFirst = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                   LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                                   LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                                   LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                                   LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
  constexpr std::uint64_t kRefer = 1ULL << 13;     // from version 2: to another folder
  constexpr std::uint64_t kTruncate = 1ULL << 14;  // from version 3
  const int version = LandlockVersion();
  return kFirst | (version >= 2 ? kRefer : 0) | (version >= 3 ? kTruncate : 0);
}

// A descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int raw) : raw_(raw) {}
  ~Descriptor() { Reset(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return raw_; }
  void Reset() {
    if (raw_ >= 0) close(raw_);
    raw_ = -1;
  }
  int Release() { return std::exchange(raw_, -1); }

 private:
  int raw_;
};

Status SystemError(std::string_view what, int error) {
  return Error(StatusCode::kIo, "cannot {}: {}", what, std::strerror(error));
}

// The rules for `writable`, made here: the child only takes them on. -1 without.
Result<int> MakeRules(const std::vector<std::string>& writable) {
  if (writable.empty() || !CanConfine()) return -1;
  landlock_ruleset_attr handled{};
  handled.handled_access_fs = Writes();
  Descriptor rules(
      static_cast<int>(syscall(SYS_landlock_create_ruleset, &handled, sizeof(handled), 0)));
  if (rules.get() < 0) return SystemError("confine a process", errno);
  std::vector<std::string> all = writable;
  all.emplace_back("/dev/null");
  for (const std::string& path : all) {
    const Descriptor folder(open(path.c_str(), O_PATH | O_CLOEXEC));
    landlock_path_beneath_attr rule{};
    rule.parent_fd = folder.get();
    rule.allowed_access =
        path == "/dev/null" ? std::uint64_t{LANDLOCK_ACCESS_FS_WRITE_FILE} : Writes();
    if (folder.get() < 0 ||
        syscall(SYS_landlock_add_rule, rules.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) {
      return SystemError(fmt::format("let a process write to {}", path), errno);
    }
  }
  return rules.Release();
}

void SetLimit(int resource, std::uint64_t most) {
  if (most == 0) return;
  const rlimit limit{most, most};
  setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

// Between fork and exec: calls of the system alone, since other threads may hold any lock.
[[noreturn]] void BecomeChild(const ChildCommand& command, char* const* words,
                              char* const* variables, pid_t parent, int input, int output,
                              int error, int rules, int report) {
  const auto fail = [report] {
    const int why = errno;
    [[maybe_unused]] const ssize_t written = write(report, &why, sizeof(why));
    _exit(127);
  };
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  setpgid(0, 0);
  // Ends with this process; if that has ended already, now.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  if (dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(error, 2) < 0) fail();
  if (chdir(command.folder.c_str()) != 0) fail();
  setpriority(PRIO_PROCESS, 0, command.nice);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  SetLimit(RLIMIT_AS, command.memory_bytes);
  SetLimit(RLIMIT_FSIZE, command.most_file_bytes);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail();
  if (rules >= 0 && syscall(SYS_landlock_restrict_self, rules, 0) != 0) fail();
  // All else was opened to be closed by exec; what was not is closed here.
  syscall(SYS_close_range, 3, ~0U, 4 /* CLOSE_RANGE_CLOEXEC */);
  execve(words[0], words, variables);
  fail();
  _exit(127);
}

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::chrono::milliseconds Milliseconds(const timeval& time) {
  return std::chrono::milliseconds(time.tv_sec * 1000 + time.tv_usec / 1000);
}

int OpenForWriting(const std::string& path) {
  if (path.empty()) return open("/dev/null", O_WRONLY | O_CLOEXEC);
  return open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

}  // namespace

bool CanConfine() { return LandlockVersion() > 0; }

std::string Describe(const ChildEnd& end) {
  if (end.signal == 0) return fmt::format("it ended with {}", end.exit_code);
  if (end.signal == SIGXFSZ) return "it wrote a larger file than it may";
  const char* name = sigabbrev_np(end.signal);
  return fmt::format("it was ended by SIG{}", name == nullptr ? "?" : name);
}

Result<std::unique_ptr<Child>> Child::Start(const ChildCommand& command) {
  const Descriptor input(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Descriptor output(OpenForWriting(command.output_file));
  const Descriptor error(OpenForWriting(command.error_file));
  if (input.get() < 0 || output.get() < 0 || error.get() < 0)
    return SystemError("open the files of a process", errno);
  RS_ASSIGN_OR_RETURN(const int raw_rules, MakeRules(command.writable));
  const Descriptor rules(raw_rules);
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) return SystemError("make a pipe", errno);
  const Descriptor told(pipe_ends[0]);
  Descriptor report(pipe_ends[1]);
  const std::vector<char*> words = Pointers(command.words);
  const std::vector<char*> variables = Pointers(command.variables);
  const pid_t self = getpid();
  const pid_t pid = fork();
  if (pid < 0) return SystemError("start a process", errno);
  if (pid == 0) {
    BecomeChild(command, words.data(), variables.data(), self, input.get(), output.get(),
                error.get(), rules.get(), report.get());
  }
  setpgid(pid, pid);  // whoever of both comes first
  report.Reset();
  int why = 0;
  ssize_t count = 0;
  do {
    count = read(told.get(), &why, sizeof(why));
  } while (count < 0 && errno == EINTR);
  const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  auto child = std::unique_ptr<Child>(new Child(pid, descriptor));
  if (count == sizeof(why)) return SystemError("run " + command.words.front(), why);
  if (descriptor < 0) return SystemError("watch a process", errno);
  return child;
}

Child::~Child() {
  if (!has_ended_) {
    Kill();
    End();
  }
  if (descriptor_ >= 0) close(descriptor_);
}

bool Child::WaitFor(std::chrono::milliseconds time) const {
  if (has_ended_) return true;
  pollfd one{.fd = descriptor_, .events = POLLIN, .revents = 0};
  return poll(&one, 1, static_cast<int>(time.count())) > 0;
}

void Child::Kill() {
  if (has_ended_) return;
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);  // before it had a group of its own
}

ChildEnd Child::End() {
  if (has_ended_) return end_;
  int status = 0;
  siginfo_t ended{};
  while (waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  // While its number is still its own.
  kill(-pid_, SIGKILL);
  rusage usage{};
  while (wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  end_.cpu = Milliseconds(usage.ru_utime) + Milliseconds(usage.ru_stime);
  has_ended_ = true;
  if (WIFEXITED(status)) end_.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end_.signal = WTERMSIG(status);
  return end_;
}

}  // namespace rankscope::service
