#include "snoop/service.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "json/fields.h"
#include "snoop/descriptor.h"
#include "snoop/output.h"

extern char** environ;

namespace rankscope::snoop {
namespace {

using snoop_file::WindowRequest;

constexpr int kRequestPatienceMs = 5000;
constexpr std::size_t kMostSaid = 4096;

// Windows that run, so that none outlives the service.
class Running {
 public:
  // False: there are as many as may be.
  bool Enter() {
    const std::scoped_lock lock(mutex_);
    if (count_ >= kMostWindows) return false;
    ++count_;
    return true;
  }
  void Leave() {
    const std::scoped_lock lock(mutex_);
    --count_;
  }
  void Add(pid_t child) {
    const std::scoped_lock lock(mutex_);
    children_.insert(child);
    if (is_ending_) kill(child, SIGKILL);
  }
  void Remove(pid_t child) {
    const std::scoped_lock lock(mutex_);
    children_.erase(child);
  }
  // Ends all of them, and waits until their threads are done.
  void EndAll() {
    {
      const std::scoped_lock lock(mutex_);
      is_ending_ = true;
      for (const pid_t child : children_) kill(child, SIGKILL);
    }
    while (true) {
      {
        const std::scoped_lock lock(mutex_);
        if (count_ == 0) return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

 private:
  std::mutex mutex_;
  int count_ = 0;
  bool is_ending_ = false;
  std::set<pid_t> children_;
};

void Refuse(int connection, std::string_view why) {
  const std::string text = json::ToJson(snoop_file::WindowRefusal{std::string(why)}) + "\n";
  // Who has gone hears nothing.
  (void)send(connection, text.data(), text.size(), MSG_NOSIGNAL);
}

// A line, within some seconds; "": there was none.
std::string ReadLine(int connection) {
  std::string line;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kRequestPatienceMs);
  while (line.size() < snoop_file::kMostRequestBytes) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    pollfd wait{.fd = connection, .events = POLLIN, .revents = 0};
    if (left.count() <= 0 || poll(&wait, 1, static_cast<int>(left.count())) <= 0) return "";
    std::array<char, 512> part{};
    const ssize_t got = read(connection, part.data(), part.size());
    if (got <= 0) return "";
    line.append(part.data(), static_cast<std::size_t>(got));
    if (const std::size_t at = line.find('\n'); at != std::string::npos) return line.substr(0, at);
  }
  return "";
}

// Starts this program once more, with its output into the connection and its words into `said`.
Result<pid_t> Start(const std::vector<std::string>& words, int connection, int said) {
  std::vector<std::string> all = {"/proc/self/exe"};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  arguments.reserve(all.size() + 1);
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, connection, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, said, STDERR_FILENO);
  pid_t child = 0;
  const int error =
      posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return Error(StatusCode::kIo, "the window cannot be begun: {}", std::strerror(error));
  return child;
}

// What the child says until it ends. When who asked goes away, the window ends.
std::string Hear(pid_t child, int said, int connection) {
  std::string words;
  while (true) {
    std::array<pollfd, 2> wait = {pollfd{.fd = said, .events = POLLIN, .revents = 0},
                                  pollfd{.fd = connection, .events = POLLRDHUP, .revents = 0}};
    if (poll(wait.data(), wait.size(), -1) < 0 && errno != EINTR) break;
    if ((wait[1].revents & (POLLHUP | POLLRDHUP | POLLERR)) != 0) {
      kill(child, SIGKILL);
      break;
    }
    if (wait[0].revents == 0) continue;
    std::array<char, 1024> part{};
    const ssize_t got = read(said, part.data(), part.size());
    if (got <= 0) break;
    if (words.size() < kMostSaid) words.append(part.data(), static_cast<std::size_t>(got));
  }
  return words;
}

// The last line that it said, without its own name.
std::string LastSentence(std::string words) {
  while (words.ends_with('\n')) words.pop_back();
  words = words.substr(words.rfind('\n') + 1);
  constexpr std::string_view kName = "rankscope-agent: ";
  return words.starts_with(kName) ? words.substr(kName.size()) : words;
}

void MakeWindow(const WindowRequest& request, int connection, Running& running) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    return Refuse(connection, "the helper of snoop has no descriptors left");
  const Descriptor said(ends[0]);
  Descriptor says(ends[1]);
  const Result<pid_t> child = Start(WordsFor(request), connection, says.number());
  says = Descriptor();
  if (!child.ok()) return Refuse(connection, child.status().message());
  running.Add(*child);
  const std::string words = Hear(*child, said.number(), connection);
  int status = 0;
  while (waitpid(*child, &status, 0) < 0 && errno == EINTR) {
  }
  running.Remove(*child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  const std::string sentence = LastSentence(words);
  Refuse(connection, sentence.empty() ? "the window ended before its time" : sentence);
}

void Answer(const Descriptor& connection, const ServiceOptions& options, Running& running) {
  ucred asker{};
  socklen_t length = sizeof(asker);
  if (getsockopt(connection.number(), SOL_SOCKET, SO_PEERCRED, &asker, &length) != 0 ||
      !MayAsk(asker.uid, options.user))
    return Refuse(connection.number(),
                  fmt::format("user {} may not ask the helper of snoop: {} and root may (--user)",
                              asker.uid, options.user));
  const std::string line = ReadLine(connection.number());
  const Result<WindowRequest> request = json::FromJson<WindowRequest>(line);
  if (!request.ok()) return Refuse(connection.number(), request.status().message());
  if (request->what == "snoop" && !request->memory && !request->launches)
    return Refuse(connection.number(), "a window of snoop has memory, launches or both");
  const auto pid = static_cast<pid_t>(request->pid);
  if (const std::string why = WhyNot(pid, options.of_users); !why.empty())
    return Refuse(connection.number(), why);
  Say(fmt::format("user {} asks for {} of process {}, {} ms", asker.uid, request->what, pid,
                  request->milliseconds));
  MakeWindow(*request, connection.number(), running);
}

// The file of the socket, to tell it from one that another service made there since.
struct Place {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const Place&) const = default;
};

Place PlaceOf(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 ? Place{status.st_dev, status.st_ino} : Place{};
}

Result<Descriptor> Listen(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path))
    return Error(StatusCode::kInvalidArgument, "{}: a socket's path has up to {} bytes", path,
                 sizeof(address.sun_path) - 1);
  path.copy(address.sun_path, path.size());
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  // One that a service before left; what is no socket stays.
  struct stat left {};
  if (lstat(path.c_str(), &left) == 0 && S_ISSOCK(left.st_mode)) unlink(path.c_str());
  if (!socket.is_open() ||
      bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    return Error(StatusCode::kIo, "{}: the socket cannot be made: {}", path, std::strerror(errno));
  // Anybody may connect: who asks is known by the kernel, and the others are refused at once. The
  // agent's user may be one that systemd makes when the agent starts.
  if (chmod(path.c_str(), 0666) != 0 || listen(socket.number(), kMostWindows) != 0)
    return Error(StatusCode::kIo, "{}: the socket cannot be listened to: {}", path,
                 std::strerror(errno));
  return socket;
}

}  // namespace

Status Serve(const ServiceOptions& options) {
  RS_ASSIGN_OR_RETURN(const Descriptor socket, Listen(options.socket));
  const Place place = PlaceOf(options.socket);
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  const Descriptor signals(signalfd(-1, &ends, SFD_CLOEXEC));
  // Threads have it, too: the last one leaves when this function may be over.
  const auto running = std::make_shared<Running>();
  Say(fmt::format("snoop-service: listens at {} for {}", options.socket, options.user));
  while (true) {
    std::array<pollfd, 2> wait = {pollfd{.fd = socket.number(), .events = POLLIN, .revents = 0},
                                  pollfd{.fd = signals.number(), .events = POLLIN, .revents = 0}};
    if (poll(wait.data(), wait.size(), -1) < 0 && errno != EINTR) break;
    if (wait[1].revents != 0) break;
    if (wait[0].revents == 0) continue;
    Descriptor connection(accept4(socket.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!connection.is_open()) continue;
    if (!running->Enter()) {
      Refuse(connection.number(), fmt::format("{} windows run on this host already", kMostWindows));
      continue;
    }
    std::thread([connection = std::move(connection), &options, running] {
      Answer(connection, options, *running);
      running->Leave();
    }).detach();
  }
  running->EndAll();
  if (PlaceOf(options.socket) == place) unlink(options.socket.c_str());
  return OkStatus();
}

}  // namespace rankscope::snoop
