#include "agent/triggers/triggers.h"

#include <algorithm>
#include <charconv>

#include "agent/triggers/rule_set.h"
#include "wire/kineto_config.h"

namespace rankscope::agent {
namespace {

// A rule whose name nobody told by then is likely a slip.
constexpr std::int64_t kMissedAfterMs = 180'000;
// Of a job whose processes go on coming, those that are there do not wait longer for the others.
constexpr std::int64_t kMostSettles = 4;

std::string_view LabelOf(const Labels& labels, std::string_view key) {
  for (const auto& [name, value] : labels) {
    if (name == key) return value;
  }
  return {};
}

std::string CauseOf(const Rule& rule, const Crossing& crossing) {
  static constexpr std::string_view kWhat[] = {"is", "rises per second by", "rises by",
                                               "is, against the median of its last values,"};
  return fmt::format("{}{} {} {:.6g} ({})", rule.selector.name, ToText(crossing.labels),
                     kWhat[static_cast<std::size_t>(rule.value)], crossing.value, rule.text);
}

}  // namespace

Triggers::Triggers(TriggerOptions options, Captures& captures, Decisions& decisions,
                   TriggerSurroundings around)
    : options_(std::move(options)),
      captures_(captures),
      decisions_(decisions),
      around_(std::move(around)),
      budget_({.most_per_hour = options_.most_per_hour,
               .job_most_per_hour = options_.job_most_per_hour}) {
  MakeWatches();
}

void Triggers::MakeWatches() {
  watches_.clear();
  Result<std::vector<Rule>> rules = ParseRules(options_.rules, options_.events);
  if (!rules.ok()) return;  // CheckConfig has said so
  for (std::size_t i = 0; i < rules->size(); ++i)
    watches_.push_back({.watch = Watch(std::move((*rules)[i])),
                        .trigger = i < options_.rules.size() ? "rule" : "event"});
}

void Triggers::Change(TriggerOptions options) {
  const bool are_others = options.rules != options_.rules || options.events != options_.events;
  if (options.every_minutes != options_.every_minutes) period_ = -1;
  options_ = std::move(options);
  budget_.Change(
      {.most_per_hour = options_.most_per_hour, .job_most_per_hour = options_.job_most_per_hour});
  if (!are_others) return;
  MakeWatches();
  began_ms_ = -1;
}

void Triggers::Tick(Now now) {
  if (began_ms_ < 0) began_ms_ = now.steady_ms;
  TickIteration(now);
  TickSchedule(now);
  TickWatches(now);
}

void Triggers::TickIteration(Now now) {
  if (options_.iteration == 0) return;
  const std::int64_t settle_ms = 1000 * options_.settle_s;
  struct Coming {
    std::vector<std::int64_t> pids;
    std::int64_t youngest_ms = INT64_MAX;  // seen for so long
    std::int64_t oldest_ms = 0;
  };
  std::map<std::string, Coming> coming;
  for (const Process& process : captures_.Processes()) {
    // One that is older than this agent had its turn by the agent before, or never will: an
    // upgrade of agents is no reason to profile all jobs.
    const bool is_older =
        process.info.start_ticks != 0 && process.info.start_ticks < around_.began_ticks;
    if (process.was_profiled || process.is_recording || is_older) continue;
    Coming& group = coming[GroupOf(process)];
    // One that has asked once only may be none that trains.
    const std::int64_t seen_ms = process.polls > 1 ? now.steady_ms - process.first_seen_ms : -1;
    group.youngest_ms = std::min(group.youngest_ms, seen_ms);
    group.oldest_ms = std::max(group.oldest_ms, seen_ms);
    if (seen_ms >= settle_ms) group.pids.push_back(process.info.pid);
  }
  for (const auto& [job, group] : coming) {
    // Ranks of a job begin one after the other, and are to be one capture.
    const bool is_whole =
        group.youngest_ms >= settle_ms || group.oldest_ms >= kMostSettles * (settle_ms + 1000);
    if (group.pids.empty() || !is_whole) continue;
    const std::int64_t first = options_.iteration;
    const Firing firing{.trigger = "iteration",
                        .cause = fmt::format("iterations {} to {} are to be recorded", first,
                                             first + options_.iterations - 1),
                        .occasion = "",
                        .config = ConfigText(fmt::format("iteration-{}", first), first),
                        .keeps_pause = false};
    if (Fire(firing, job, group.pids, now)) {
      for (const std::int64_t pid : group.pids) captures_.MarkProfiled(static_cast<pid_t>(pid));
    }
  }
}

void Triggers::TickSchedule(Now now) {
  if (options_.every_minutes == 0) return;
  // By the wall's clock, so that hosts whose clocks agree do it together.
  const std::int64_t length_ms = 60'000 * options_.every_minutes;
  const std::int64_t period = now.unix_ms() / length_ms;
  const std::int64_t before = std::exchange(period_, period);
  // The first one is under way, and a clock that was set back makes nothing due.
  if (before < 0 || period <= before) return;
  const std::string time = UtcText(period * length_ms);
  for (const auto& [job, pids] : AllGroups()) {
    Fire({.trigger = "schedule",
          .cause = fmt::format("every {} minutes", options_.every_minutes),
          .occasion = "schedule " + time,
          .config = ConfigText(fmt::format("schedule-{}", now.unix_ms() / 1000), -1)},
         job, pids, now);
  }
}

void Triggers::TickWatches(Now now) {
  if (watches_.empty() || !around_.telemetry) return;
  for (std::shared_ptr<const Snapshot>& snapshot : around_.telemetry()) {
    std::shared_ptr<const Snapshot>& seen = seen_[snapshot->source];
    if (seen == snapshot) continue;
    seen = std::move(snapshot);
    for (Watched& one : watches_) {
      for (const Crossing& crossing : one.watch.See(*seen))
        Cross(one.watch, one.trigger, crossing, now);
    }
  }
  for (Watched& one : watches_) {
    if (one.was_missed || one.watch.has_matched() || now.steady_ms - began_ms_ < kMissedAfterMs)
      continue;
    one.was_missed = true;
    around_.said(
        fmt::format("trigger {}: no number is meant by '{}' so far: /metrics has the names",
                    one.trigger, one.watch.rule().text));
  }
}

void Triggers::Cross(const Watch& watch, std::string_view trigger, const Crossing& crossing,
                     Now now) {
  const std::string cause = CauseOf(watch.rule(), crossing);
  const Groups meant = MeantBy(crossing);
  if (meant.empty()) {
    Decide({.trigger = std::string(trigger),
            .cause = cause,
            .job = "",
            .reason = AllGroups().empty() ? "no process trains here"
                                          : "no process that trains here is meant",
            .capture = ""},
           now);
  }
  for (const auto& [job, pids] : meant) {
    Fire({.trigger = trigger,
          .cause = cause,
          .occasion = fmt::format("{} {} on {}", trigger, UtcText(now.unix_ms()), around_.host),
          .config = ConfigText(fmt::format("{}-{}", trigger, now.unix_ms() / 1000), -1)},
         job, pids, now);
  }
}

Triggers::Groups Triggers::AllGroups() const {
  Groups groups;
  for (const Process& process : captures_.Processes()) {
    if (process.polls > 0) groups[GroupOf(process)].push_back(process.info.pid);
  }
  return groups;
}

// A process or a device means the jobs that it belongs to, on all of the host: ranks are compared
// with their peers. Anything else is of all of them.
Triggers::Groups Triggers::MeantBy(const Crossing& crossing) const {
  Groups groups = AllGroups();
  const auto number = [&](std::string_view key) {
    const std::string_view text = LabelOf(crossing.labels, key);
    std::int64_t value = -1;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  };
  const std::int64_t pid = number("pid");
  // Network devices have names.
  const std::int64_t index = number("device");
  if (pid < 0 && index < 0) return groups;
  const std::vector<pid_t> on_device = index >= 0 && around_.on_device
                                           ? around_.on_device(static_cast<int>(index))
                                           : std::vector<pid_t>();
  std::set<std::string> meant;
  bool is_told = false;  // the driver knows its processes by the numbers that they have here
  for (const Process& process : captures_.Processes()) {
    const bool uses_it = std::ranges::find(on_device, process.info.pid) != on_device.end();
    is_told = is_told || uses_it;
    if (process.info.pid == pid || uses_it) meant.insert(GroupOf(process));
  }
  for (const Process& process : captures_.Processes()) {
    if (index >= 0 && !is_told && process.info.local_rank == index) meant.insert(GroupOf(process));
  }
  std::erase_if(groups, [&](const auto& group) { return !meant.contains(group.first); });
  return groups;
}

// Whoever asked for it: a job that was just profiled is left alone.
std::string Triggers::PauseOf(const std::string& job, Now now) const {
  std::int64_t last_ms = INT64_MIN;
  for (const Capture& capture : captures_.All()) {
    for (const CaptureMember& member : capture.members) {
      if (member.job == job && member.state != MemberState::kBusy)
        last_ms = std::max(last_ms, capture.made_ms);
    }
  }
  if (last_ms == INT64_MIN || now.steady_ms - last_ms >= 1000 * options_.job_pause_s) return {};
  return fmt::format("it was asked for a capture {} s ago (triggers.job_pause_s)",
                     (now.steady_ms - last_ms) / 1000);
}

bool Triggers::Fire(const Firing& firing, const std::string& job,
                    const std::vector<std::int64_t>& pids, Now now) {
  Decision decision{.trigger = std::string(firing.trigger),
                    .cause = firing.cause,
                    .job = job,
                    .reason = budget_.Refusal(job, now),
                    .capture = ""};
  if (decision.reason.empty() && firing.keeps_pause) decision.reason = PauseOf(job, now);
  if (decision.reason.empty()) {
    const Triggered made = captures_.Trigger({.pids = pids}, firing.config, firing.trigger, now,
                                             {.occasion = firing.occasion});
    decision.is_taken = !made.triggered.empty();
    if (decision.is_taken && options_.samples_cpu) captures_.SampleCpu(made.id);
    if (decision.is_taken && options_.windows.any())
      captures_.LookFromOutside(made.id, options_.windows);
    decision.capture = made.id;
    decision.processes = made.triggered.size();
    if (!decision.is_taken)
      decision.reason = "all of its processes record, or are to, for somebody else";
    for (const std::string& warning : made.warnings) around_.said(warning);
  }
  if (decision.is_taken) budget_.Spend(job, now);
  // What comes again and again is told once.
  if (firing.trigger == "iteration") {
    if (decision.is_taken) refused_at_iteration_.erase(job);
    if (!decision.is_taken && !refused_at_iteration_.insert(job).second) return false;
  }
  const bool is_taken = decision.is_taken;
  Decide(std::move(decision), now);
  return is_taken;
}

void Triggers::Decide(Decision decision, Now now) {
  decision.unix_ms = now.unix_ms();
  around_.said(fmt::format(
      "trigger {}: job '{}': {}: {}", decision.trigger, decision.job, decision.cause,
      decision.is_taken
          ? fmt::format("capture {} of {} processes", decision.capture, decision.processes)
          : "refused: " + decision.reason));
  decisions_.Add(std::move(decision));
}

std::string Triggers::ConfigText(std::string_view name, std::int64_t start_iteration) const {
  const wire::CaptureConfig config{
      .log_file = fmt::format("{}/rankscope-{}.pt.trace.json", options_.folder, name),
      .iterations = options_.iterations,
      .start_iteration = start_iteration,
      // A process that is beyond the iteration takes the next multiple, its peers the same.
      .iteration_roundup = options_.round_up,
      .shapes = options_.shapes,
      .stacks = options_.stacks};
  // The folder is the one part that could be wrong, and CheckConfig has looked at it.
  return wire::ToConfigText(config).value();
}

}  // namespace rankscope::agent
