#include "tune/run/canary.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "tune/run/measure.h"

namespace rankscope::tune {
namespace {

constexpr double kCanarySure = 2.6;  // deviations: one-sided 99.5%
constexpr double kMostFailed = 0.01;
constexpr std::uint64_t kCanarySchedule = 500;

struct Seen {
  double sent = 0, good = 0, failed = 0;

  double share() const { return sent > 0 ? good / sent : 1; }
  std::string Words() const {
    return fmt::format("{:.1f}% of {:.0f} requests good", 100 * share(), sent);
  }
};

// Of so many requests, 1% and what chance adds.
double MostFailed(double sent) {
  return kMostFailed * sent + kCanarySure * std::sqrt(kMostFailed * sent);
}

// Fewer good ones than before by more than chance, or failures.
std::string WhyWorse(const Seen& before, const Seen& after) {
  if (after.failed > MostFailed(after.sent))
    return fmt::format("{:.0f} of {:.0f} requests failed", after.failed, after.sent);
  if (before.sent == 0 || after.sent == 0) return "";
  const double all = (before.good + after.good + 1) / (before.sent + after.sent + 2);
  const double deviation = std::sqrt(all * (1 - all) * (1 / before.sent + 1 / after.sent));
  if (after.share() >= before.share() - kCanarySure * deviation) return "";
  return fmt::format("{}; before the change {:.1f}%", after.Words(), 100 * before.share());
}

class Canary {
 public:
  Canary(const TuneSpec& spec, double per_s, Subject& service, Guard& guard, const TuneWatch& watch)
      : spec_(spec), per_s_(per_s), service_(service), guard_(guard), watch_(watch) {}

  Result<CanaryResult> Run(const Point& point) {
    RS_ASSIGN_OR_RETURN(const Seen before, Load(spec_.canary / 2, "canary/before"));
    if (watch_.is_stopped()) return Status(StatusCode::kCancelled, "stopped");
    watch_.tell("the service gets the new settings");
    RS_ASSIGN_OR_RETURN(const std::string why,
                        service_.Start(point, spec_.folder + "/canary/service.log"));
    if (!why.empty()) {
      RS_RETURN_IF_ERROR(guard_.Restore());
      return CanaryResult{.words = "it did not come back with the new settings: " + why};
    }
    RS_RETURN_IF_ERROR(guard_.BeginCanary(spec_.canary, spec_.load.objective));
    RS_ASSIGN_OR_RETURN(const Seen after, LoadInCanary());
    std::string worse = watch_.is_stopped() ? "stopped" : WhyWorse(before, after);
    if (!worse.empty()) RS_RETURN_IF_ERROR(guard_.Break(worse));
    RS_ASSIGN_OR_RETURN(const GuardAnswer answer, guard_.EndCanary());
    if (!answer.problem.empty()) return Error(StatusCode::kBadData, "{}", answer.problem);
    if (!answer.broken.empty()) return CanaryResult{.words = answer.broken};
    if (!worse.empty()) {
      RS_RETURN_IF_ERROR(guard_.Restore());
      return CanaryResult{.words = worse};
    }
    RS_RETURN_IF_ERROR(guard_.Keep());
    std::string words = after.sent > 0
                            ? after.Words() + fmt::format(", before {:.1f}%", 100 * before.share())
                            : "no requests of rankscope's own";
    if (!answer.seen.empty()) words += "; all of the service's: " + answer.seen;
    return CanaryResult{.is_kept = true, .words = words};
  }

 private:
  Result<Seen> Load(std::int64_t time, const std::string& name) {
    if (per_s_ <= 0) return Seen{};
    TuneSpec steady = spec_;
    steady.load.replay.clear();
    // So many failures of all that are to be sent are too many, whatever comes.
    const double planned = per_s_ * static_cast<double>(time) / 1e9;
    bool has_failed = false;
    const load::LevelWatch level{
        .live =
            [&](const load::LiveNumbers& now) {
              has_failed = static_cast<double>(now.failed) > MostFailed(planned);
              if (watch_.level.live) watch_.level.live(now);
            },
        .is_stopped =
            [&] {
              return watch_.is_stopped() || (is_canary_ && (has_failed || guard_.HasCanaryEnded()));
            }};
    RS_ASSIGN_OR_RETURN(const Measured measured,
                        Measure(steady, service_.url(), {.per_s = per_s_, .sending = time},
                                kCanarySchedule, spec_.folder + "/" + name, level));
    return Seen{.sent = static_cast<double>(measured.sent),
                .good = static_cast<double>(measured.good),
                .failed = static_cast<double>(measured.failed)};
  }

  // To the end of the canary, whatever the load does.
  Result<Seen> LoadInCanary() {
    is_canary_ = true;
    Result<Seen> seen = Load(spec_.canary, "canary/after");
    if (!seen.ok()) {
      RS_RETURN_IF_ERROR(guard_.Break(seen.status().message()));
      return Seen{};
    }
    constexpr std::chrono::milliseconds kLook{50};
    if (per_s_ <= 0) {
      while (!guard_.HasCanaryEnded() && !watch_.is_stopped()) std::this_thread::sleep_for(kLook);
    }
    return seen;
  }

  const TuneSpec& spec_;
  const double per_s_;
  Subject& service_;
  Guard& guard_;
  const TuneWatch& watch_;
  bool is_canary_ = false;
};

}  // namespace

Result<CanaryResult> RunCanary(const TuneSpec& spec, const Point& point, double per_s,
                               Subject& service, Guard& guard, const TuneWatch& watch) {
  return Canary(spec, per_s, service, guard, watch).Run(point);
}

}  // namespace rankscope::tune
