#include "tune/run/tuner.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/durable.h"
#include "tune/run/canary.h"
#include "tune/run/measure.h"
#include "tune/run/plan.h"
#include "tune/run/record.h"
#include "tune/subject/lease.h"
#include "tune/subject/ready.h"
#include "tune/subject/subject.h"

namespace rankscope::tune {
namespace {

constexpr int kRepeats = 2;               // of a run whose generator was late
constexpr double kMostFailedPct = 1;      // of a choice's requests
constexpr double kLeastFailedPct = 0.01;  // a limit's metric is above 0
constexpr double kCeilingPct = 98;
constexpr double kConfirmFrom = 0.95, kConfirmOver = 1.15, kConfirmStep = 0.9;
constexpr int kConfirms = 8;
constexpr double kNearBorne = 0.9;  // of what the defaults bear, that a choice bears at least
constexpr std::uint64_t kConfirmSchedule = 700;
constexpr double kCanaryShare = 0.1;

class Run {
 public:
  Run(const TuneSpec& spec, const TuneWatch& watch, Space space)
      : spec_(spec), watch_(watch), outcome_{.space = std::move(space)} {
    outcome_.adapter = spec.adapter.name;
    outcome_.mode = spec.mode;
    outcome_.limits = spec.load.objective;
    outcome_.knobs = spec.adapter.knobs;
    filling_.arguments = spec.arguments;
    filling_.values["rankscope"] = spec.program;
    level_ = {.live = watch.level.live, .is_stopped = watch.is_stopped};
  }

  Result<Outcome> All() {
    RS_ASSIGN_OR_RETURN(Record record, Record::Open(spec_));
    RS_RETURN_IF_ERROR(Prepare());
    RS_RETURN_IF_ERROR(Begin(record));
    outcome_.is_running = true;
    Status ended = Search(record);
    if (ended.ok()) ended = Conclude();
    outcome_.is_running = false;
    if (!ended.ok()) {
      outcome_.was_stopped = true;
      outcome_.notes.push_back("It ended before its time: " + ended.message());
    }
    RS_RETURN_IF_ERROR(Report(record));
    if (!ended.ok()) return ended;
    return std::move(outcome_);
  }

 private:
  Status Report(const Record& record) const {
    RS_RETURN_IF_ERROR(record.WriteReport(WriteTuneJson(outcome_)));
    watch_.reports();
    return OkStatus();
  }

  bool TriesService() const { return !spec_.adapter.trial; }
  bool ChangesService() const { return TriesService() || spec_.applies; }

  // The guard, and the lease of a service that is changed.
  Status Prepare() {
    std::string folder = spec_.folder;
    if (ChangesService()) {
      RS_RETURN_IF_ERROR(CheckService());
      const Service& service = *spec_.adapter.service;
      RS_ASSIGN_OR_RETURN(folder, LeaseFolderOf(service.url, service.file));
      RS_RETURN_IF_ERROR(MakeFolder(folder));
    }
    std::vector<std::string> command = spec_.guard;
    command.push_back(folder);
    RS_ASSIGN_OR_RETURN(Guard guard, Guard::Start(command, folder));
    guard_.emplace(std::move(guard));
    if (guard_->has_restored())
      watch_.tell(
          fmt::format("a tuner that was killed had left {} changed: its old settings are back",
                      spec_.adapter.service->url));
    SubjectSpec subject{.adapter = spec_.adapter,
                        .filling = filling_,
                        .client = spec_.load.target.client,
                        .is_stopped = watch_.is_stopped};
    if (TriesService()) {
      RS_RETURN_IF_ERROR(TakeLease(folder));
      subject_ = MakeServiceSubject(std::move(subject), *guard_);
    } else {
      RS_ASSIGN_OR_RETURN(subject_, MakeTrialSubject(std::move(subject), *guard_));
    }
    lease_folder_ = folder;
    return OkStatus();
  }

  // A service that is not ready now would not be known to be ready with other settings.
  Status CheckService() const {
    const Service& service = *spec_.adapter.service;
    const std::string why = WhyNotReady(
        {.url = service.url, .path = service.ready.path, .client = spec_.load.target.client});
    if (why.empty()) return OkStatus();
    return Error(StatusCode::kBadData,
                 "the service is not ready as it is, so that it is not changed: {} ([service] url, "
                 "ready)",
                 why);
  }

  Status TakeLease(const std::string& folder) {
    const Service& service = *spec_.adapter.service;
    Lease lease{.adapter = spec_.adapter.name,
                .tuner = getpid(),
                .begun_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
                                std::chrono::system_clock::now().time_since_epoch())
                                .count(),
                .url = service.url,
                .ready_path = service.ready.path,
                .ready_within_s = service.ready.within_s,
                .ca_file = spec_.load.target.client.ca_file,
                .folder = spec_.adapter.folder,
                .file = service.file.empty() || service.file.starts_with('/')
                            ? service.file
                            : spec_.adapter.folder + "/" + service.file,
                .apply_within_s = service.apply_within_s};
    RS_ASSIGN_OR_RETURN(
        lease.apply, FillWords(spec_.adapter, outcome_.space.Standard(), filling_, service.apply));
    RS_RETURN_IF_ERROR(BeginLease(folder, std::move(lease)));
    return guard_->TakeLease();
  }

  std::string FolderOf(std::string_view name) const {
    return fmt::format("{}/{}", spec_.folder, name);
  }

  // Starts and warms it up in a folder for its log. "" it runs.
  Result<std::string> Start(const Point& point, const std::string& folder) {
    RS_RETURN_IF_ERROR(MakeFolder(folder));
    RS_ASSIGN_OR_RETURN(std::string why, subject_->Start(point, folder + "/server.log"));
    if (!why.empty()) return why;
    const Status warm = WarmUp(spec_, subject_->url(), folder + "/warm-up", level_);
    if (watch_.is_stopped()) return Status(StatusCode::kCancelled, "stopped");
    if (warm.ok()) return "";
    if (warm.code() != StatusCode::kIo) return warm;
    why = subject_->Death();
    return why.empty() ? warm.message() : why;
  }

  Status Begin(Record& record) {
    if (record.diagnosis()) {
      outcome_.diagnosis = *record.diagnosis();
      return OkStatus();
    }
    const TrialView view = ViewOf(1, "diagnosis", outcome_.space.Standard());
    watch_.begins(view);
    const std::string folder = FolderOf("diagnosis");
    RS_ASSIGN_OR_RETURN(const std::string why, Start(outcome_.space.Standard(), folder));
    if (!why.empty())
      return Error(StatusCode::kBadData,
                   "the server does not run with the settings that it has: {} ({}/server.log)", why,
                   folder);
    RS_ASSIGN_OR_RETURN(outcome_.diagnosis,
                        Diagnose(spec_, subject_->url(), folder + "/server.log", folder, level_));
    if (watch_.is_stopped()) return Status(StatusCode::kCancelled, "stopped");
    if (outcome_.diagnosis.borne_per_s <= 0 && outcome_.diagnosis.top_per_s <= 0)
      return Error(StatusCode::kBadData,
                   "with the settings that it has the server answers nothing within the objective; "
                   "rankscope load {} says why",
                   subject_->url());
    watch_.ends(view, fmt::format("bears {:.3g} a second", outcome_.diagnosis.borne_per_s));
    return record.WriteDiagnosis(outcome_.diagnosis);
  }

  TrialView ViewOf(int number, std::string_view stage, const Point& point) const {
    return {.number = number,
            .trials = spec_.trials,
            .stage = stage,
            .settings = outcome_.space.Text(point)};
  }

  Status Search(Record& record) {
    outcome_.planned = spec_.trials - 1;
    RS_ASSIGN_OR_RETURN(
        Optimiser search,
        Optimiser::Make(outcome_.space,
                        {.trials = outcome_.planned,
                         .seed = spec_.load.seed,
                         .limits = {{.metric = "failed_pct", .most = kMostFailedPct}},
                         .hints = outcome_.diagnosis.hints}));
    RS_RETURN_IF_ERROR(record.Resume(search));
    for (std::size_t i = 0; i < search.trials().size(); ++i)
      outcome_.trials.push_back({.trial = search.trials()[i], .note = record.notes()[i]});
    RS_RETURN_IF_ERROR(Report(record));
    if (!search.trials().empty())
      watch_.tell(fmt::format("goes on behind trial {}, which {} has", search.trials().size() + 1,
                              spec_.folder));
    while (const auto next = search.Suggest()) {
      const int number = static_cast<int>(search.trials().size()) + 2;
      const TrialView view = ViewOf(number, ToString(next->stage), next->point);
      watch_.begins(view);
      TrialNote note;
      const Result<Measurement> measured = Try(*next, number, note);
      if (watch_.is_stopped()) {
        outcome_.was_stopped = true;
        break;
      }
      if (!measured.ok()) return measured.status();
      RS_RETURN_IF_ERROR(search.Tell(*measured));
      RS_RETURN_IF_ERROR(record.Add(search.trials().back(), note));
      outcome_.trials.push_back({.trial = search.trials().back(), .note = note});
      RS_RETURN_IF_ERROR(Report(record));
      watch_.ends(view, measured->crashed ? "no: " + note.why
                                          : fmt::format("good {:.3g}/s", measured->objective));
    }
    if (outcome_.was_stopped && outcome_.trials.empty())
      return Status(StatusCode::kCancelled, "stopped");
    outcome_.choice = search.Choose();
    return OkStatus();
  }

  Result<Measurement> Try(const Suggestion& asked, int number, TrialNote& note) {
    const std::string folder = FolderOf(fmt::format("trials/{:03}", number));
    RS_ASSIGN_OR_RETURN(note.why, Start(asked.point, folder));
    for (int i = 0; note.why.empty() && i <= kRepeats; ++i) {
      const Result<Measured> measured =
          Measure(spec_, subject_->url(), LevelOf(spec_, outcome_.diagnosis.top_per_s),
                  1 + asked.schedule, folder, level_);
      note.why = subject_->Death();
      if (!note.why.empty()) break;
      if (!measured.ok()) {
        if (measured.status().code() != StatusCode::kIo) return measured.status();
        note.why = measured.status().message();
        break;
      }
      note.sent = measured->sent;
      note.good = measured->good;
      note.failed = measured->failed;
      note.trouble = measured->trouble;
      if (!note.trouble.empty() && i < kRepeats && !watch_.is_stopped()) {
        watch_.tell("once more: " + note.trouble);
        continue;
      }
      return Measurement{.objective = measured->objective,
                         .metrics = {std::max(kLeastFailedPct, measured->failed_pct())}};
    }
    return Measurement{.crashed = true};
  }

  std::optional<double> MeanOf(const Point& point) const {
    double sum = 0, runs = 0;
    for (const bool finals : {true, false}) {
      for (const TrialRow& row : outcome_.trials) {
        const Trial& trial = row.trial;
        if (trial.measured.crashed || trial.asked.point != point) continue;
        if (finals && trial.asked.stage != Stage::kFinal) continue;
        sum += trial.measured.objective;
        ++runs;
      }
      if (runs > 0) return sum / runs;
    }
    return std::nullopt;
  }

  // Nearly all of a ramp was good: what is above its end was not asked.
  bool HitsCeiling(const Point& point) const {
    return spec_.mode == LoadMode::kRamp &&
           std::ranges::any_of(outcome_.trials, [&](const TrialRow& row) {
             return row.trial.asked.point == point && row.note.sent > 0 &&
                    100.0 * static_cast<double>(row.note.good) >=
                        kCeilingPct * static_cast<double>(row.note.sent);
           });
  }

  Status Conclude() {
    const Point standard = outcome_.space.Standard();
    outcome_.standard_per_s = MeanOf(standard);
    const auto troubled = std::ranges::count_if(
        outcome_.trials, [](const TrialRow& row) { return !row.note.trouble.empty(); });
    if (troubled > 0)
      outcome_.notes.push_back(fmt::format(
          "In {} of {} trials the load generator was late, also when they were repeated: what they "
          "say is rough.",
          troubled, outcome_.trials.size()));
    if (outcome_.choice) {
      outcome_.chosen_per_s = MeanOf(outcome_.choice->point);
      outcome_.hits_ceiling = HitsCeiling(outcome_.choice->point);
    }
    const bool is_change = outcome_.choice && outcome_.choice->point != standard;
    if (is_change && !outcome_.was_stopped) {
      if (spec_.mode == LoadMode::kRamp) RS_RETURN_IF_ERROR(UnlessStopped(Confirm()));
      if (!TriesService()) {
        RS_ASSIGN_OR_RETURN(outcome_.command,
                            FillWords(spec_.adapter, outcome_.Recommended(), CommandFilling(),
                                      spec_.adapter.trial->start));
      }
    }
    subject_.reset();  // its server ends before the service changes: they may share a device
    if (spec_.applies) return Applied();
    if (TriesService()) return guard_->Restore();
    return OkStatus();
  }

  // What is known when it is stopped is told.
  Status UnlessStopped(const Status& status) {
    if (status.code() != StatusCode::kCancelled) return status;
    outcome_.was_stopped = true;
    return OkStatus();
  }

  // What was found is told whatever becomes of the service.
  Status Applied() {
    const Status applied = Apply();
    if (applied.ok()) return applied;
    outcome_.was_stopped = applied.code() == StatusCode::kCancelled;
    const Status back = guard_->Restore();
    outcome_.applied = back.ok() ? ApplyState::kBroken : ApplyState::kFailed;
    outcome_.canary = applied.message();
    if (!back.ok()) outcome_.canary += "; " + back.message();
    return OkStatus();
  }

  // As somebody else would start it.
  Filling CommandFilling() const {
    Filling filling = filling_;
    filling.values["rankscope"] = "rankscope";
    filling.values["port"] = "PORT";
    filling.values["url"] = "URL";
    return filling;
  }

  // A ramp is better than steady rates, by as much as the defaults were, about.
  double ConfirmFrom() const {
    const double chosen = outcome_.chosen_per_s.value_or(0), borne = outcome_.diagnosis.borne_per_s;
    const double standard = outcome_.standard_per_s.value_or(0);
    if (standard <= 0 || borne <= 0) return kConfirmFrom * chosen;
    return std::min(kConfirmFrom * chosen, kConfirmOver * chosen * borne / standard);
  }

  Status Confirm() {
    const std::string folder = FolderOf("confirm");
    watch_.tell("the choice once more, at a steady rate");
    RS_ASSIGN_OR_RETURN(const std::string why, Start(outcome_.choice->point, folder));
    if (!why.empty()) {
      outcome_.is_refuted = true;
      outcome_.notes.push_back("Once more, the choice did not run: " + why);
      return OkStatus();
    }
    double per_s = ConfirmFrom();
    for (int i = 0; i < kConfirms && !watch_.is_stopped(); ++i, per_s *= kConfirmStep) {
      if (per_s < kNearBorne * outcome_.diagnosis.borne_per_s) break;
      const Result<Measured> run =
          Measure(spec_, subject_->url(), {.per_s = per_s, .sending = spec_.duration},
                  kConfirmSchedule, fmt::format("{}/{}", folder, i + 1), level_);
      if (!run.ok() && run.status().code() != StatusCode::kIo) return run.status();
      if (!run.ok() || !subject_->Death().empty()) {
        outcome_.notes.push_back("Once more, the choice died under load: " +
                                 (run.ok() ? subject_->Death() : run.status().message()));
        break;
      }
      const Measured& measured = *run;
      const bool is_good = measured.good_pct() >= serving::kGoodPct &&
                           !serving::IsBeyond(measured.result.state) &&
                           measured.failed_pct() <= kMostFailedPct;
      if (!is_good) continue;
      outcome_.confirmed = Confirmed{.per_s = per_s, .good_pct = measured.good_pct()};
      return OkStatus();
    }
    if (watch_.is_stopped()) {
      outcome_.was_stopped = true;
      return OkStatus();
    }
    outcome_.is_refuted = true;
    return OkStatus();
  }

  Status Apply() {
    if (!outcome_.IsChange() || outcome_.was_stopped || watch_.is_stopped()) {
      outcome_.applied = ApplyState::kNothingBetter;
      return TriesService() ? guard_->Restore() : OkStatus();
    }
    if (TriesService()) {
      // What it runs with before the change are the old settings, not those of the last trial.
      RS_RETURN_IF_ERROR(guard_->Restore());
    }
    RS_RETURN_IF_ERROR(CheckService());
    RS_RETURN_IF_ERROR(TakeLease(lease_folder_));
    const auto service = MakeServiceSubject({.adapter = spec_.adapter,
                                             .filling = filling_,
                                             .client = spec_.load.target.client,
                                             .is_stopped = watch_.is_stopped},
                                            *guard_);
    const double per_s = spec_.canary_per_s.value_or(kCanaryShare * outcome_.diagnosis.borne_per_s);
    RS_ASSIGN_OR_RETURN(const CanaryResult canary,
                        RunCanary(spec_, outcome_.choice->point, per_s, *service, *guard_, watch_));
    outcome_.applied = canary.is_kept ? ApplyState::kKept : ApplyState::kBroken;
    outcome_.canary = canary.words;
    if (canary.is_kept) outcome_.revert = lease_folder_;
    return OkStatus();
  }

  const TuneSpec& spec_;
  const TuneWatch& watch_;
  Outcome outcome_;
  Filling filling_;
  load::LevelWatch level_;
  std::optional<Guard> guard_;
  std::unique_ptr<Subject> subject_;  // uses the guard
  std::string lease_folder_;
};

}  // namespace

Point Outcome::Recommended() const {
  return choice && !is_refuted ? choice->point : space.Standard();
}

Result<Outcome> Tune(const TuneSpec& spec, const TuneWatch& watch) {
  RS_RETURN_IF_ERROR(CheckSpec(spec));
  RS_ASSIGN_OR_RETURN(Space space, SpaceOf(spec.adapter));
  return Run(spec, watch, std::move(space)).All();
}

}  // namespace rankscope::tune
