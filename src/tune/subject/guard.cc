#include "tune/subject/guard.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tune/subject/guard_lock.h"
#include "tune/subject/lease.h"

namespace rankscope::tune {

Guard::Socket::~Socket() {
  if (descriptor_ >= 0) close(descriptor_);
}

Result<Guard> Guard::Start(const std::vector<std::string>& command, const std::string& folder) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    return Error(StatusCode::kIo, "cannot make a socket: {}", std::strerror(errno));
  Socket ours(pair[0]);
  // Closed here when it has started: what it ends is seen by both then.
  std::optional<Socket> theirs(pair[1]);
  RS_ASSIGN_OR_RETURN(Process process, Process::Start({.words = command,
                                                       .folder = folder,
                                                       .log = folder + "/guard.log",
                                                       .input = theirs->get(),
                                                       .output = theirs->get(),
                                                       .has_own_session = true}));
  theirs.reset();
  Guard guard(std::move(ours), std::move(process), folder);
  RS_ASSIGN_OR_RETURN(const GuardAnswer answer, guard.Receive());
  if (!answer.problem.empty()) return Error(StatusCode::kBadData, "{}", answer.problem);
  guard.has_restored_ = answer.has_restored;
  return guard;
}

Guard::~Guard() {
  if (socket_.get() < 0) return;
  // It ends by itself when nothing is left to do, and is not to be ended before.
  shutdown(socket_.get(), SHUT_WR);
  while (Receive().ok()) {
  }
  process_.Release();
}

Status Guard::Send(const GuardOrder& order) {
  const std::string line = json::ToJson(order) + "\n";
  std::size_t sent = 0;
  while (sent < line.size()) {
    const ssize_t more = send(socket_.get(), line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return Lost();
    sent += static_cast<std::size_t>(more);
  }
  return OkStatus();
}

Result<GuardAnswer> Guard::Receive() {
  while (received_.find('\n') == std::string::npos) {
    char buffer[4096];
    const ssize_t more = recv(socket_.get(), buffer, sizeof buffer, 0);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return Error(StatusCode::kIo, "the guard has ended");
    received_.append(buffer, static_cast<std::size_t>(more));
  }
  const std::size_t end = received_.find('\n');
  const std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  return json::FromJson<GuardAnswer>(line);
}

Status Guard::Lost() {
  const Status restored = RestoreService(folder_);
  return Error(StatusCode::kIo, "the guard has ended, {}; {}/guard.log may say why",
               restored.ok() ? "and the service has its old settings"
                             : "and the service is not as it was: " + restored.message(),
               folder_);
}

Status Guard::Ask(const GuardOrder& order) {
  RS_RETURN_IF_ERROR(Send(order));
  const Result<GuardAnswer> answer = Receive();
  if (!answer.ok()) return Lost();
  if (!answer->problem.empty()) return Error(StatusCode::kBadData, "{}", answer->problem);
  return OkStatus();
}

Status Guard::Watch(pid_t group) { return Ask({.what = "watch", .group = group}); }
Status Guard::Forget(pid_t group) { return Ask({.what = "forget", .group = group}); }
Status Guard::TakeLease() { return Ask({.what = "lease"}); }
Status Guard::Restore() { return Ask({.what = "restore"}); }
Status Guard::Keep() { return Ask({.what = "keep"}); }

Status Guard::Apply(const std::string& content, const std::vector<std::string>& command) {
  return Ask({.what = "apply", .content = content, .command = command});
}

Status Guard::BeginCanary(std::int64_t time, const serving::Objective& limits) {
  return Send({.what = "canary",
               .time_ns = time,
               .ttft_ns = limits.ttft.value_or(0),
               .tpot_ns = limits.tpot.value_or(0),
               .e2e_ns = limits.e2e.value_or(0)});
}

bool Guard::HasCanaryEnded() const {
  if (!received_.empty()) return true;
  pollfd look{.fd = socket_.get(), .events = POLLIN, .revents = 0};
  return poll(&look, 1, 0) > 0;
}

Status Guard::Break(const std::string& why) { return Send({.what = "break", .why = why}); }

Result<GuardAnswer> Guard::EndCanary() {
  Result<GuardAnswer> answer = Receive();
  if (!answer.ok()) return Lost();
  return answer;
}

Result<bool> RestoreLease(const std::string& folder) {
  RS_ASSIGN_OR_RETURN(std::optional<Lease> lease, ReadLease(folder));
  if (!lease) return Error(StatusCode::kNotFound, "{}: there is no lease", folder);
  if (lease->state == Lease::kRestored) return false;
  RS_ASSIGN_OR_RETURN(const GuardLock lock, GuardLock::Take(folder));
  lease->state = Lease::kHeld;
  RS_RETURN_IF_ERROR(WriteLease(folder, *lease));
  RS_RETURN_IF_ERROR(RestoreService(folder));
  return true;
}

}  // namespace rankscope::tune
