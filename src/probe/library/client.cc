#include "probe/library/client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

namespace rankscope::probe {
namespace {

constexpr std::int64_t kLeastBackoff_ns = 1'000'000'000;
constexpr std::int64_t kMostBackoff_ns = 60'000'000'000;
// What was killed and still is there is in its driver. What is not yet reaped is not.
constexpr std::int64_t kReaped_ns = 1'000'000'000;
// A driver may be loaded by the first call.
constexpr std::int64_t kLeastInit_ns = 10'000'000'000;
constexpr int kTagShift = 48;  // addresses of processes have 47 bits
constexpr std::uint64_t kAddress = (std::uint64_t{1} << kTagShift) - 1;

}  // namespace

LibraryClient::LibraryClient(const Library& library, std::vector<std::string> worker, Clock clock,
                             Opening opening, std::uint64_t& processes)
    : library_(library),
      worker_(std::move(worker)),
      clock_(std::move(clock)),
      opening_(opening),
      processes_(processes) {}

LibraryClient::~LibraryClient() {
  ClosePipes();
  if (!process_) return;
  // What hangs in its driver cannot be waited for.
  // Its input has ended: it shuts the library down and ends.
  const std::int64_t deadline = clock_() + (is_dying_ ? 0 : library_.timeout_ns);
  while (!process_->HasEnded() && clock_() < deadline) {
    const timespec pause{.tv_sec = 0, .tv_nsec = 1'000'000};
    nanosleep(&pause, nullptr);
  }
  if (process_->HasEnded()) return;
  kill(-process_->group(), SIGKILL);
  // What hangs in its driver cannot be waited for.
  process_->Release();
}

void LibraryClient::ClosePipes() {
  received_.clear();
  open_until_ns_ = 0;
  for (int* descriptor : {&to_, &from_}) {
    if (*descriptor >= 0) close(*descriptor);
    *descriptor = -1;
  }
}

LibraryClient::Called LibraryClient::Lose(ReadFault fault, std::string why) {
  ClosePipes();
  if (process_) kill(-process_->group(), SIGKILL);
  is_dying_ = process_.has_value();
  backoff_ns_ = std::clamp(2 * backoff_ns_, kLeastBackoff_ns, kMostBackoff_ns);
  lost_ns_ = clock_();
  start_after_ns_ = lost_ns_ + backoff_ns_;
  last_loss_.fault = fault;
  last_loss_.why = std::move(why);
  return last_loss_;
}

LibraryClient::Called LibraryClient::Start() {
  if (is_dying_ && !process_->HasEnded()) {
    if (last_loss_.fault != ReadFault::kStuck || clock_() < lost_ns_ + kReaped_ns)
      return last_loss_;
    return {.answer = std::nullopt,
            .fault = ReadFault::kStuck,
            .why = fmt::format("{}: a call does not come back from its driver", library_.files[0]),
            .is_culprit = false};
  }
  process_.reset();
  is_dying_ = false;
  if (clock_() < start_after_ns_) return last_loss_;
  int calls[2], answers[2];
  if (pipe2(calls, O_CLOEXEC) != 0) return Lose(ReadFault::kBusy, "no pipe could be made");
  if (pipe2(answers, O_CLOEXEC) != 0) {
    close(calls[0]);
    close(calls[1]);
    return Lose(ReadFault::kBusy, "no pipe could be made");
  }
  Result<Process> started = Process::Start({.words = worker_,
                                            .folder = "/",
                                            .input = calls[0],
                                            .output = answers[1],
                                            .has_own_session = true});
  close(calls[0]);
  close(answers[1]);
  to_ = calls[1];
  from_ = answers[0];
  if (!started.ok()) return Lose(ReadFault::kMissing, started.status().message());
  process_ = std::move(*started);
  generation_ = ++processes_;
  started_ns_ = clock_();
  const std::int64_t longest = std::max(library_.timeout_ns, kLeastInit_ns);
  open_until_ns_ = started_ns_ + longest;
  // A process that has ended already gives no answer, either.
  (void)WriteFrame(to_, Pack(LibraryOpen{.files = library_.files,
                                         .init = library_.init,
                                         .shutdown = library_.shutdown,
                                         .ok = library_.ok}));
  return Opened(opening_ == Opening::kIsWaitedFor ? longest : library_.timeout_ns);
}

// What it says to being opened, after at most that time.
LibraryClient::Called LibraryClient::Opened(std::int64_t wait_ns) {
  const std::int64_t deadline = std::min(clock_() + wait_ns, open_until_ns_);
  bool is_late = false;
  const std::optional<std::string> bytes = ReadAnswer(deadline, is_late);
  if (is_late && clock_() < open_until_ns_)
    return {.answer = std::nullopt,
            .fault = ReadFault::kStuck,
            .why = fmt::format("{}: it is being opened", library_.files[0]),
            .is_culprit = false};
  if (is_late)
    return Lose(ReadFault::kStuck,
                fmt::format("{}: {} takes longer than {} s", library_.files[0],
                            library_.init.empty() ? "opening it" : library_.init + "()",
                            (open_until_ns_ - started_ns_) / 1'000'000'000));
  const Called opened = Answered(bytes.value_or(""));
  if (!opened.answer) return opened;
  open_until_ns_ = 0;
  const LibraryAnswer& answer = *opened.answer;
  if (answer.answer == Answer::kDone) return opened;
  if (answer.answer == Answer::kInitFailed)
    return Lose(ReadFault::kStatus, fmt::format("{}() returned {}", answer.why,
                                                static_cast<std::int32_t>(answer.result)));
  if (answer.answer == Answer::kNoFunction)
    return Lose(ReadFault::kMissing, fmt::format("{} has no {}()", library_.files[0], answer.why));
  return Lose(ReadFault::kMissing, answer.why);
}

std::optional<std::string> LibraryClient::ReadAnswer(std::int64_t deadline_ns, bool& is_late) {
  std::uint64_t wanted = received_.size() < 8 ? 8 : 8 + Unpacker(received_).Number();
  while (received_.size() < wanted) {
    const std::int64_t left_ms = (deadline_ns - clock_() + 999'999) / 1'000'000;
    pollfd waiting{.fd = from_, .events = POLLIN, .revents = 0};
    const int ready =
        poll(&waiting, 1, static_cast<int>(std::clamp<std::int64_t>(left_ms, 0, 60'000)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0 && clock_() >= deadline_ns) is_late = true;
    if (is_late) return std::nullopt;
    if (ready <= 0) continue;
    char part[4096];
    const ssize_t got = read(from_, part, std::min(sizeof part, wanted - received_.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    received_.append(part, static_cast<std::size_t>(got));
    if (wanted == 8 && received_.size() == 8) wanted += Unpacker(received_).Number();
    if (wanted > kMostFrameBytes) return std::nullopt;
  }
  return std::exchange(received_, std::string()).substr(8);
}

LibraryClient::Called LibraryClient::Ask(const std::string& frame, std::int64_t timeout_ns) {
  const std::int64_t deadline = clock_() + timeout_ns;
  bool is_late = false;
  std::optional<std::string> bytes;
  if (WriteFrame(to_, frame)) bytes = ReadAnswer(deadline, is_late);
  if (is_late)
    return Lose(ReadFault::kStuck, fmt::format("{}: a call takes longer than {} ms",
                                               library_.files[0], timeout_ns / 1'000'000));
  return Answered(bytes.value_or(""));
}

// "" where its process ended.
LibraryClient::Called LibraryClient::Answered(const std::string& bytes) {
  auto answer = bytes.empty() ? std::nullopt : UnpackAnswer(bytes);
  if (!answer)
    return Lose(ReadFault::kCrashed,
                fmt::format("{}: its process ended within a call", library_.files[0]));
  return {.answer = std::move(answer), .fault = ReadFault::kNone, .why = {}, .is_culprit = false};
}

LibraryClient::Called LibraryClient::Call(const LibraryCall& call) {
  if (!process_ || is_dying_ || open_until_ns_ != 0) {
    Called started = open_until_ns_ != 0 ? Opened(0) : Start();
    if (!started.answer) return started;
  }
  Called called = Ask(Pack(call), library_.timeout_ns);
  if (called.answer && called.answer->answer == Answer::kCorrupt)
    called = Lose(ReadFault::kCorrupt,
                  fmt::format("{}() wrote beyond its buffer: its struct is not the declared one",
                              call.function));
  called.is_culprit = !called.answer;
  if (called.is_culprit) return called;
  // One good call before the next bad one is no recovery.
  if (clock_() >= started_ns_ + backoff_ns_) backoff_ns_ = 0;
  if (called.answer->answer == Answer::kNoFunction)
    return {.answer = std::nullopt,
            .fault = ReadFault::kMissing,
            .why = fmt::format("{} has no {}()", library_.files[0], call.function),
            .is_culprit = false};
  return called;
}

std::uint64_t LibraryClient::Tagged(std::uint64_t pointer) const {
  const bool is_address = pointer != 0 && pointer <= kAddress;
  return is_address ? pointer | (generation_ & 0xFFFF) << kTagShift : pointer;
}

std::optional<std::uint64_t> LibraryClient::Untagged(std::uint64_t tagged) const {
  if (tagged == 0) return tagged;
  if (tagged >> kTagShift != (generation_ & 0xFFFF) || !process_ || is_dying_) return std::nullopt;
  return tagged & kAddress;
}

}  // namespace rankscope::probe
