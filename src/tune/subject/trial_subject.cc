#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "base/process.h"
#include "tune/subject/ready.h"
#include "tune/subject/subject.h"

namespace rankscope::tune {
namespace {

// One that nobody listens on now.
Result<int> FreePort() {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  const bool is_bound = descriptor >= 0 && bind(descriptor, any, size) == 0 &&
                        getsockname(descriptor, any, &size) == 0;
  const int why = errno;
  if (descriptor >= 0) close(descriptor);
  if (!is_bound) return Error(StatusCode::kIo, "no port is free: {}", std::strerror(why));
  return ntohs(address.sin_port);
}

class TrialSubject final : public Subject {
 public:
  TrialSubject(SubjectSpec spec, Guard& guard)
      : spec_(std::move(spec)), trial_(*spec_.adapter.trial), guard_(guard) {}
  ~TrialSubject() override { Stop(); }

  Result<std::string> Start(const Point& point, const std::string& log) override {
    if (point_ && Death().empty() && CanStay(point)) return Change(point, log);
    Stop();
    RS_ASSIGN_OR_RETURN(const int port, FreePort());
    spec_.filling.values["port"] = std::to_string(port);
    RS_ASSIGN_OR_RETURN(url_, FillText(spec_.adapter, point, spec_.filling, trial_.url));
    spec_.filling.values["url"] = url_;
    RS_ASSIGN_OR_RETURN(const auto words,
                        FillWords(spec_.adapter, point, spec_.filling, trial_.start));
    RS_ASSIGN_OR_RETURN(const auto environment,
                        FillEnvironment(spec_.adapter, point, spec_.filling));
    log_ = log;
    RS_ASSIGN_OR_RETURN(process_, Process::Start({.words = words,
                                                  .environment = environment,
                                                  .folder = spec_.adapter.folder,
                                                  .log = log}));
    RS_RETURN_IF_ERROR(guard_.Watch(process_->group()));
    RS_ASSIGN_OR_RETURN(std::string why, Wait());
    if (!why.empty()) {
      Stop();
      return why;
    }
    // What starts with defaults is told what it takes while it runs.
    if (!trial_.live.empty()) return Change(point, log);
    point_ = point;
    return "";
  }

  std::string Death() override {
    if (!process_) return "it does not run";
    if (!process_->HasEnded()) return "";
    const std::string last = LastLines(log_, 1);
    return fmt::format("it ended with {}{}", process_->exit_code(),
                       last.empty() ? "" : ": " + last);
  }

  const std::string& url() const override { return url_; }

 private:
  bool CanStay(const Point& point) const {
    for (std::size_t i = 0; i < point.size(); ++i)
      if (point[i] != (*point_)[i] && spec_.adapter.knobs[i].needs_restart) return false;
    return true;
  }

  Result<std::string> Wait() {
    return WaitReady(
        {.url = url_, .path = trial_.ready.path, .client = spec_.client},
        std::chrono::seconds(trial_.ready.within_s), [this] { return Death(); }, spec_.is_stopped);
  }

  // While it runs.
  Result<std::string> Change(const Point& point, const std::string& log) {
    if (point_ && *point_ == point) return Wait();
    RS_ASSIGN_OR_RETURN(const auto words,
                        FillWords(spec_.adapter, point, spec_.filling, trial_.live));
    RS_ASSIGN_OR_RETURN(const ProcessEnd end,
                        RunProcess({.words = words, .folder = spec_.adapter.folder, .log = log},
                                   std::chrono::seconds(trial_.ready.within_s), spec_.is_stopped));
    if (end.exit_code != 0) {
      point_.reset();
      return fmt::format("'{}' ended with {}: {}", words.front(), end.exit_code, LastLines(log, 1));
    }
    point_ = point;
    return Wait();
  }

  void Stop() {
    if (!process_) return;
    const pid_t group = process_->group();
    process_->Stop(std::chrono::seconds(trial_.stop_within_s));
    process_.reset();
    point_.reset();
    (void)guard_.Forget(group);  // a guard that is gone is told of by what is asked of it next
  }

  SubjectSpec spec_;
  const TrialServer& trial_;
  Guard& guard_;
  std::optional<Process> process_;
  std::optional<Point> point_;  // what it runs with
  std::string url_, log_;
};

}  // namespace

Result<std::unique_ptr<Subject>> MakeTrialSubject(SubjectSpec spec, Guard& guard) {
  return std::unique_ptr<Subject>(std::make_unique<TrialSubject>(std::move(spec), guard));
}

}  // namespace rankscope::tune
