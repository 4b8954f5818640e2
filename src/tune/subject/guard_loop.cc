#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <set>
#include <thread>

#include "base/file.h"
#include "tune/subject/canary_watch.h"
#include "tune/subject/guard.h"
#include "tune/subject/guard_lock.h"
#include "tune/subject/lease.h"

namespace rankscope::tune {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetweenLooks{1000};
constexpr int kRestores = 3;
constexpr std::chrono::seconds kBetweenRestores{5};

std::atomic<bool> is_ended = false;

// Whoever ends the guard ends the tuning: what is held is put back first.
void TakeSignals() {
  struct sigaction end {};
  end.sa_handler = [](int) { is_ended = true; };
  sigaction(SIGTERM, &end, nullptr);
  sigaction(SIGINT, &end, nullptr);
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  for (const int one : {SIGHUP, SIGPIPE}) sigaction(one, &ignore, nullptr);
}

// The log is the guard's standard error.
void Log(std::string_view sentence) {
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  const std::string line = fmt::format("{}.{:03} {}\n", now / 1000, now % 1000, sentence);
  WriteWhole(STDERR_FILENO, line.data(), line.size());
}

void AnswerTuner(const GuardAnswer& answer) {
  const std::string line = json::ToJson(answer) + "\n";
  WriteWhole(STDOUT_FILENO, line.data(), line.size());
}

class GuardLoop {
 public:
  explicit GuardLoop(const std::string& folder) : folder_(folder) {}

  Status Run() {
    Log("begins");
    RS_RETURN_IF_ERROR(Begin());
    while (const auto line = NextLine()) {
      const auto order = json::FromJson<GuardOrder>(*line);
      if (!order.ok()) {
        AnswerTuner({.problem = order.status().message()});
        continue;
      }
      Log(fmt::format("order: {}", order->what));
      if (order->what == "canary")
        Canary(*order);
      else if (order->what != "break")  // of a canary that has ended meanwhile, and is answered
        AnswerTuner({.problem = Do(*order).message()});
    }
    return End();
  }

 private:
  Status Begin() {
    GuardAnswer hello;
    const Result<std::optional<Lease>> lease = ReadLease(folder_);
    const bool is_stale = lease.ok() && *lease && (*lease)->state == Lease::kHeld;
    const Status status = is_stale ? RestoreService(folder_) : lease.status();
    hello.problem = status.message();
    hello.has_restored = is_stale && status.ok();
    if (is_stale) Log(status.ok() ? "a dead tuner's lease: restored" : status.message());
    AnswerTuner(hello);
    return status;
  }

  // nullopt: the tuner has ended.
  std::optional<std::string> NextLine() {
    while (received_.find('\n') == std::string::npos) {
      if (!Read(std::nullopt)) return std::nullopt;
    }
    return TakeLine();
  }

  std::string TakeLine() {
    const std::size_t end = received_.find('\n');
    std::string line = received_.substr(0, end);
    received_.erase(0, end + 1);
    return line;
  }

  // False: the tuner has ended, or this process is to.
  bool Read(std::optional<std::chrono::milliseconds> wait) {
    pollfd look{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    // A signal that came just before is seen a second later.
    const auto time = wait.value_or(kBetweenLooks);
    const int ready = poll(&look, 1, static_cast<int>(time.count()));
    if (is_ended) return false;
    if (ready <= 0) return true;
    char buffer[65536];
    const ssize_t more = read(STDIN_FILENO, buffer, sizeof buffer);
    if (more < 0 && errno == EINTR) return true;
    if (more <= 0) return false;
    received_.append(buffer, static_cast<std::size_t>(more));
    return true;
  }

  Status Do(const GuardOrder& order) {
    if (order.what == "watch") {
      groups_.insert(static_cast<pid_t>(order.group));
      return OkStatus();
    }
    if (order.what == "forget") {
      groups_.erase(static_cast<pid_t>(order.group));
      return OkStatus();
    }
    if (order.what == "lease") {
      RS_ASSIGN_OR_RETURN(lease_, ReadLease(folder_));
      return OkStatus();
    }
    const bool is_open =
        lease_ && (lease_->state == Lease::kHeld || lease_->state == Lease::kTaken);
    if (!is_open && order.what == "restore") return OkStatus();
    if (!is_open) return Error(StatusCode::kInvalidArgument, "no lease is held");
    if (order.what == "apply") return ChangeService(*lease_, folder_, order.content, order.command);
    if (order.what == "restore") return Restore();
    if (order.what == "keep") {
      lease_->state = Lease::kKept;
      return WriteLease(folder_, *lease_);
    }
    return Error(StatusCode::kInvalidArgument, "there is no order '{}'", order.what);
  }

  // A server that is just starting may refuse a command: once is not enough.
  Status Restore() {
    Status status;
    for (int i = 0; i < kRestores; ++i) {
      if (i > 0) std::this_thread::sleep_for(kBetweenRestores);
      status = RestoreService(folder_);
      Log(status.ok() ? "restored" : status.message());
      if (!status.ok()) continue;
      lease_->state = Lease::kRestored;
      break;
    }
    return status;
  }

  void Canary(const GuardOrder& order) {
    if (!lease_ || lease_->state != Lease::kHeld) {
      AnswerTuner({.problem = "no lease is held"});
      return;
    }
    serving::Objective limits;
    if (order.ttft_ns > 0) limits.ttft = order.ttft_ns;
    if (order.tpot_ns > 0) limits.tpot = order.tpot_ns;
    if (order.e2e_ns > 0) limits.e2e = order.e2e_ns;
    CanaryWatch watch(lease_->ready_check(), limits);
    const auto until = Clock::now() + std::chrono::nanoseconds(order.time_ns);
    GuardAnswer answer;
    while (Clock::now() < until && answer.broken.empty()) {
      answer.broken = watch.Look();
      if (answer.broken.empty() && !Read(kBetweenLooks)) return;  // End restores
      answer.broken += BreakOf();
    }
    answer.seen = watch.Seen();
    if (!answer.broken.empty()) {
      Log("the canary broke: " + answer.broken);
      answer.problem = Restore().message();
    }
    AnswerTuner(answer);
  }

  // Why the tuner wants the canary to end.
  std::string BreakOf() {
    if (received_.find('\n') == std::string::npos) return "";
    const auto order = json::FromJson<GuardOrder>(TakeLine());
    return order.ok() && order->what == "break" ? order->why : "the tuner speaks out of turn";
  }

  Status End() {
    Log("the tuner has ended");
    for (const pid_t group : groups_) kill(-group, SIGKILL);
    const bool is_held = lease_ && lease_->state == Lease::kHeld;
    return is_held ? Restore() : OkStatus();
  }

  const std::string folder_;
  std::string received_;
  std::set<pid_t> groups_;
  std::optional<Lease> lease_;
};

}  // namespace

Status GuardMain(const std::string& folder) {
  TakeSignals();
  const Result<GuardLock> lock = GuardLock::Take(folder);
  if (!lock.ok()) {
    AnswerTuner({.problem = lock.status().message()});
    return lock.status();
  }
  return GuardLoop(folder).Run();
}

}  // namespace rankscope::tune
