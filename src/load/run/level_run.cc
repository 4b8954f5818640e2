#include "load/run/level_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <deque>
#include <memory>
#include <utility>

#include "base/median.h"
#include "http/request_loop.h"
#include "load/base/wall_clock.h"
#include "load/requests/answer.h"
#include "load/run/workload.h"
#include "load/schedule/arrivals.h"

namespace rankscope::load {
namespace {

using http::SteadyNow;

constexpr std::int64_t kTickNs = 250'000'000;
constexpr std::int64_t kRecentNs = 10'000'000'000;
constexpr std::size_t kMostRecent = 1000;  // whose medians are shown: looking at more takes ms
constexpr std::int64_t kTryAgain = 200'000'000;
// A level of nothing but refused connections ends here.
constexpr std::int64_t kUnreachable = 20;

std::int64_t ThreadTime() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return used.tv_sec * std::int64_t{1'000'000'000} + used.tv_nsec;
}

// All requests of a run go to one server: what went wrong need not name it each time.
std::string WithoutAddress(const std::string& message, const std::string& address) {
  const std::string before = address + ": ";
  return message.starts_with(before) ? message.substr(before.size()) : message;
}

class Level;

// A request under way, and what it leaves.
class Sent final : public http::Call {
 public:
  Sent(Level& level, const Target& target, NextRequest next, std::int64_t intended,
       std::shared_ptr<Conversation> conversation, std::int32_t turn)
      : level_(level),
        answer_(target.endpoint, target.is_streamed),
        next_(std::move(next)),
        intended_(intended),
        conversation_(std::move(conversation)),
        turn_(turn) {}

  void OnBegin(std::int64_t now) override { lag_ = now - intended_; }
  void OnSending(std::int64_t now) override { sent_ = now - intended_; }
  void OnHead(std::int64_t, int status) override { answer_.SetStatus(status); }
  void OnPiece(std::int64_t now, std::string_view piece) override {
    answer_.Take(now - intended_, piece);
  }
  void OnEnd(std::int64_t now, const Status& status) override;

 private:
  Level& level_;
  Answer answer_;
  const NextRequest next_;
  const std::int64_t intended_;
  std::int64_t lag_ = -1, sent_ = -1;  // -1: it did not come to that
  const std::shared_ptr<Conversation> conversation_;
  const std::int32_t turn_;
};

class Level {
 public:
  Level(const LoadSpec& spec, const LevelSpec& level, std::int32_t number, std::uint64_t run,
        const RecordedTrace* replay, const LevelWatch& watch, Recorder& recorder)
      : spec_(spec),
        level_(level),
        replay_(replay),
        watch_(watch),
        recorder_(recorder),
        workload_(spec, number, run),
        arrivals_(level, spec.arrivals, spec.variation,
                  spec.seed + static_cast<std::uint64_t>(number) * 7919) {
    record_.level.number = number;
    record_.level.kind = level.kind;
    switch (level.kind) {
      case serving::LoadKind::kOpen:
        record_.level.target_per_s = level.per_s;
        record_.level.end_per_s = level.end_per_s;
        record_.level.arrivals = spec.arrivals == Arrivals::kConstant ? "constant"
                                 : spec.arrivals == Arrivals::kGamma
                                     ? fmt::format("gamma, CV {}", spec.variation)
                                     : "poisson";
        break;
      case serving::LoadKind::kClosed:
        record_.level.users = level.users;
        break;
      case serving::LoadKind::kReplay:
        record_.level.arrivals = replay->format;
        break;
    }
  }

  Result<LevelRecord> Run() {
    RS_ASSIGN_OR_RETURN(loop_, http::RequestLoop::Make(spec_.target.address, spec_.target.client,
                                                       spec_.most_connections));
    begin_ = SteadyNow();
    counts_.front().at = begin_;
    wall_less_steady_ = WallNow() - begin_;
    const std::int64_t busy = ThreadTime();
    busy_at_begin_ = busy;
    end_ = begin_ + level_.sending;
    if (level_.kind == serving::LoadKind::kClosed) {
      for (std::int32_t user = 0; user < level_.users; ++user) SendNow(begin_, nullptr, 0);
      loop_->At(end_, [this] { EndMeasuring(); });
    } else {
      PlanNext();
      if (MayGoOn()) loop_->At(end_, [this] { EndMeasuring(); });
    }
    loop_->At(begin_ + kTickNs, [this] { Tick(); });
    loop_->Run();
    if (!is_over_) EndSending();
    if (is_hopeless_) return Error(StatusCode::kIo, "{}", unreachable_why_);
    record_.level.was_stopped = record_.was_stopped;
    record_.level.objective = spec_.objective;
    if (sent_for_ > 0)
      record_.level.client_busy_pct =
          100 * static_cast<double>(busy_) / static_cast<double>(sent_for_);
    recorder_.Add(record_.level, spec_.target, spec_.seed);
    RS_RETURN_IF_ERROR(recorder_.Flush());
    return std::move(record_);
  }

  std::string address() const { return spec_.target.address.Text(); }

  void OnEnd(serving::Request request, std::int64_t number, const Status& status, std::int64_t now,
             const std::shared_ptr<Conversation>& conversation, std::int32_t turn) {
    --inside_;
    request.level = record_.level.number;
    *request.arrival += wall_less_steady_;
    if (status.code() == StatusCode::kIo && !request.sent) {
      ++unreachable_;
      unreachable_why_ = status.message();
    }
    if (is_hopeless_) return;
    // It was sent beside a recording.
    if (is_measured_ && *request.arrival >= begin_ + wall_less_steady_ + sent_for_) {
      GoOn(now, request.outcome == serving::Outcome::kFailed, conversation, turn);
      return;
    }
    ++done_;
    const bool is_failed = request.outcome == serving::Outcome::kFailed;
    failed_ += is_failed;
    tokens_ += request.output_tokens.value_or(0);
    recent_.push_back({.end = now, .ttft = request.ttft, .e2e = *request.e2e});
    if (recent_.size() > kMostRecent) recent_.pop_front();
    recorder_.Add(request, number);
    record_.requests.push_back(std::move(request));
    is_hopeless_ = unreachable_ >= kUnreachable && unreachable_ == done_;
    if (is_hopeless_) {
      EndSending();
      loop_->Stop();
      return;
    }
    GoOn(now, is_failed, conversation, turn);
  }

 private:
  struct Recent {
    std::int64_t end = 0;
    serving::Ns ttft;
    std::int64_t e2e = 0;
  };

  struct Counts {
    std::int64_t at = 0, begun = 0, done = 0, tokens = 0;
  };

  // Behind an answer: who is next, or the end.
  void GoOn(std::int64_t now, bool is_failed, const std::shared_ptr<Conversation>& conversation,
            std::int32_t turn) {
    if (conversation && turn + 1 < spec_.sessions.turns && !is_over_) {
      const std::int64_t at = now + spec_.sessions.think;
      loop_->At(at, [this, at, conversation, turn] {
        if (!is_over_) SendNow(at, conversation, turn + 1);
        EndIfDone();
      });
    } else if (level_.kind == serving::LoadKind::kClosed && !is_over_) {
      // A user's next request is meant to be sent when the answer was there; who got none tries
      // again after a while.
      const std::int64_t at = is_failed ? now + kTryAgain : now;
      loop_->At(at, [this, at] {
        if (!is_over_ && HasRoom()) SendNow(at, nullptr, 0);
        if (!HasRoom()) EndMeasuring();
      });
    }
    EndIfDone();
  }

  bool MayGoOn() const {
    return watch_.goes_on && !level_.end_per_s && replay_ == nullptr && !record_.was_stopped;
  }
  bool HasRoom() const {
    return is_measured_ || !level_.most_requests || begun_ < *level_.most_requests;
  }

  void SendNow(std::int64_t intended, std::shared_ptr<Conversation> conversation,
               std::int32_t turn) {
    Send(workload_.Next(), intended, std::move(conversation), turn);
  }

  void Send(NextRequest next, std::int64_t intended, std::shared_ptr<Conversation> conversation,
            std::int32_t turn) {
    if (!conversation && spec_.sessions.turns > 1) conversation = std::make_shared<Conversation>();
    ++begun_;
    ++inside_;
    http::LoopRequest request =
        RequestFor(spec_.target, next.id, next.prompt, conversation ? *conversation : kNothing,
                   next.output_tokens);
    request.deadline_ns = SteadyNow() + spec_.request_time;
    auto call = std::make_shared<Sent>(*this, spec_.target, std::move(next), intended,
                                       std::move(conversation), turn);
    loop_->Send(std::move(request), std::move(call));
  }

  // The next request of an open level is made before its moment, so that making it costs none.
  void PlanNext() {
    std::int64_t at = 0;
    std::optional<NextRequest> next;
    if (replay_ != nullptr) {
      if (planned_ < replay_->requests.size() && HasRoom()) {
        const RecordedRequest& recorded = replay_->requests[planned_++];
        at = begin_ +
             static_cast<std::int64_t>(static_cast<double>(recorded.at) / spec_.replay_speed);
        if (at < end_) next = workload_.Next(recorded);
      }
    } else if (HasRoom()) {
      at = begin_ + arrivals_.Next();
      if (at < end_ || MayGoOn()) next = workload_.Next();
    }
    has_planned_ = next.has_value();
    if (!next) {
      // A level of so many requests is over with the last; others when their time is.
      const bool ends_early = replay_ != nullptr || !HasRoom();
      loop_->At(ends_early ? SteadyNow() : end_, [this] { EndMeasuring(); });
      return;
    }
    loop_->At(at, [this, at, next = std::move(*next)]() mutable {
      if (is_over_) return;
      Send(std::move(next), at, nullptr, 0);
      PlanNext();
    });
  }

  // The level's time, or its requests, are over.
  void EndMeasuring() {
    if (is_over_ || is_measured_) return;
    is_measured_ = true;
    Measure();
    if (!MayGoOn() || !watch_.goes_on(record_)) {
      EndSending();
    } else if (level_.kind == serving::LoadKind::kOpen && !has_planned_) {
      PlanNext();  // a level of so many requests had planned none
    }
  }

  void Measure() {
    sent_for_ = std::min(SteadyNow(), end_) - begin_;
    busy_ = ThreadTime() - busy_at_begin_;
    record_.level.begin = begin_ + wall_less_steady_;
    record_.level.sending = sent_for_;
  }

  void EndSending() {
    if (is_over_) return;
    is_over_ = true;
    if (!is_measured_) Measure();
    is_measured_ = true;
    const std::int64_t now = SteadyNow();
    loop_->At(now + spec_.drain, [this] { loop_->Stop(); });
    EndIfDone();
  }

  void EndIfDone() {
    if (is_over_ && inside_ == 0) loop_->Stop();
  }

  void Tick() {
    const std::int64_t now = SteadyNow();
    if (watch_.is_stopped && watch_.is_stopped()) {
      record_.was_stopped = true;
      // Asked again while answers are waited for: these are given up.
      if (is_over_) loop_->Stop();
      EndSending();
    }
    if (is_measured_ && !is_over_ && !watch_.goes_on(record_)) EndSending();
    if (watch_.live) Tell(now);
    loop_->At(now + kTickNs, [this] { Tick(); });
  }

  void Tell(std::int64_t now) {
    LiveNumbers live{.level = record_.level.number,
                     .elapsed = now - begin_,
                     .sending = level_.sending,
                     .begun = begun_,
                     .done = done_,
                     .failed = failed_,
                     .inside = inside_,
                     .is_measured = is_measured_ && !is_over_,
                     .is_draining = is_over_};
    while (!recent_.empty() && recent_.front().end < now - kRecentNs) recent_.pop_front();
    counts_.push_back({.at = now, .begun = begun_, .done = done_, .tokens = tokens_});
    while (counts_.size() > 2 && counts_.front().at < now - kRecentNs) counts_.pop_front();
    const Counts& before = counts_.front();
    const double seconds = std::max(1e-3, static_cast<double>(now - before.at) / 1e9);
    const auto rate = [&](std::int64_t after, std::int64_t first) {
      return static_cast<double>(after - first) / seconds;
    };
    live.begun_per_s = rate(begun_, before.begun);
    live.done_per_s = rate(done_, before.done);
    if (tokens_ > 0) live.tokens_per_s = rate(tokens_, before.tokens);
    std::vector<double> ttft, e2e;
    for (const Recent& one : recent_) {
      if (one.ttft) ttft.push_back(static_cast<double>(*one.ttft));
      e2e.push_back(static_cast<double>(one.e2e));
    }
    if (!ttft.empty()) live.first_token_ns = MedianOf(ttft);
    if (!e2e.empty()) live.e2e_ns = MedianOf(e2e);
    watch_.live(live);
  }

  inline static const Conversation kNothing;

  const LoadSpec& spec_;
  const LevelSpec& level_;
  const RecordedTrace* const replay_;
  const LevelWatch& watch_;
  Recorder& recorder_;
  Workload workload_;
  ArrivalProcess arrivals_;
  std::unique_ptr<http::RequestLoop> loop_;
  LevelRecord record_;
  // Nanoseconds: begin and end by the steady clock, and what the wall clock shows more.
  std::int64_t begin_ = 0, end_ = 0, wall_less_steady_ = 0, sent_for_ = 0;
  std::int64_t busy_ = 0, busy_at_begin_ = 0;  // this thread's CPU time
  std::int64_t begun_ = 0, done_ = 0, failed_ = 0, tokens_ = 0, inside_ = 0, unreachable_ = 0;
  std::string unreachable_why_;
  std::size_t planned_ = 0;
  bool has_planned_ = false;  // of an open level, the next request
  bool is_measured_ = false;  // the level's time is over
  bool is_over_ = false;      // sending
  bool is_hopeless_ = false;  // nothing can be reached
  std::deque<Recent> recent_;
  std::deque<Counts> counts_ = {Counts()};  // over the last ten seconds
};

void Sent::OnEnd(std::int64_t now, const Status& status) {
  serving::Request request;
  request.side = serving::Side::kClient;
  request.id = next_.id;
  request.arrival = intended_;
  request.lag = lag_ >= 0 ? lag_ : now - intended_;
  if (sent_ >= 0) request.sent = sent_;
  request.e2e = now - intended_;
  if (status.ok()) {
    answer_.Finish(request);
  } else if (status.code() == StatusCode::kCancelled) {
    request.outcome = serving::Outcome::kCancelled;
  } else {
    request.outcome = serving::Outcome::kFailed;
    request.problem = WithoutAddress(status.message(), level_.address());
  }
  if (conversation_) {
    conversation_->push_back(next_.prompt);
    conversation_->push_back(answer_.text());
  }
  level_.OnEnd(std::move(request), next_.number, status, now, conversation_, turn_);
}

}  // namespace

Result<LevelRecord> RunLevel(const LoadSpec& spec, const LevelSpec& level, std::int32_t number,
                             std::uint64_t run, const RecordedTrace* replay,
                             const LevelWatch& watch, Recorder& recorder) {
  return Level(spec, level, number, run, replay, watch, recorder).Run();
}

}  // namespace rankscope::load
