#include "insight/findings.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "analysis/across/across_fact.h"
#include "analysis/captures/analyses.h"
#include "base/parallel.h"
#include "facts/places/code_places.h"
#include "insight/all_rules.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/device_idle.h"
#include "insight/evidence/profiler_cost.h"
#include "insight/gains_together.h"
#include "json/writer.h"
#include "replay/replay_fact.h"
#include "schemas/captures.h"
#include "schemas/findings.h"

namespace rankscope {
namespace {

struct Found {
  Cause cause;
  std::optional<double> gain;             // share of the step
  std::optional<double> unprofiled = {};  // of the step without the profiler, where that matters
  std::optional<double> cautious = {};  // the same, if the profiler took kMostOfEstimate times that
  std::string_view method;
  std::optional<std::size_t> number = {};  // of GainsTogether, where it can be replayed
  double combined = 0;
  bool was_hidden = false;  // it gains nothing before others are gone that hide it
};

// A replay tells what it gains beside others.
bool IsReplayed(const Found& found) { return found.number && found.method == "replay"; }

bool IsLeak(const Cause& cause) { return cause.time_to_failure_ns.has_value(); }

// What severity and order go by: of two estimates of what the profiler took, the one that leaves
// less, so that no cause is called severe for what may be the profiler's.
std::optional<double> WeightOf(const Found& found) {
  return found.gain && found.unprofiled ? std::min(found.unprofiled, found.cautious) : found.gain;
}

std::string_view SeverityOf(const Found& found) {
  if (found.cause.time_to_failure_ns) {
    constexpr std::int64_t kHour = 3'600'000'000'000;
    const std::int64_t left = *found.cause.time_to_failure_ns;
    return left < kHour ? "high" : left < 24 * kHour ? "medium" : "low";
  }
  if (found.cause.is_trade) return "low";
  const double gain = WeightOf(found).value_or(kLowGain);
  return gain >= kHighGain ? "high" : gain >= kMediumGain ? "medium" : "low";
}

int RankOfSeverity(std::string_view severity) {
  return severity == "high" ? 0 : severity == "medium" ? 1 : 2;
}

// What causes gain: by replay where that may be trusted, in few passes over the graph, else no more
// than they take.
std::vector<Found> Weighed(const RuleInput& input, std::vector<Cause> causes,
                           GainsTogether& together) {
  std::vector<Found> all;
  all.reserve(causes.size());
  for (Cause& cause : causes) all.push_back({.cause = std::move(cause)});
  std::vector<GainsTogether::Set> alone;
  for (Found& found : all) {
    Cause& cause = found.cause;
    found.method = cause.gain_method;
    found.gain = GainBesideReplay(input, cause);
    if (found.gain && !cause.gain) found.method = "bound";
    if (!cause.without) continue;
    found.number = together.Add(std::move(*cause.without));
    cause.without.reset();
    if (!found.gain && input.fidelity().refused.empty()) alone.push_back({*found.number});
  }
  together.Foresee(alone);
  for (Found& found : all) {
    if (!found.gain && found.number) found.gain = together.Of({*found.number});
  }
  return all;
}

// Whether the cause is work of devices, which a late host hides.
bool IsOfDevices(const Cause& cause) {
  return cause.takes == Takes::kKernels || cause.takes == Takes::kSlowerKernels;
}

// The job without what recording costs it, where that may be much; by two estimates.
class Unprofiled {
 public:
  Unprofiled(const RuleInput& input, ViewOf<RecordedWork> work, GainsTogether& together)
      : together_(together), holds_up_devices_(ProfilerHoldsUpDevices(work)) {
    if (!input.fidelity().refused.empty()) return;
    std::optional<Scenario> estimate = WithoutProfiler(input, work, 1);
    std::optional<Scenario> most = WithoutProfiler(input, work, kMostOfEstimate);
    if (!estimate || !most) return;
    numbers_ = {{together.Add(std::move(*estimate)), together.Add(std::move(*most))}};
  }

  bool IsKnown() const { return numbers_.has_value(); }

  // What `cause` gains beside `gone`, as a share of the step without the profiler and these;
  // nullopt where nothing is left of it.
  std::optional<double> GainBeside(const GainsTogether::Set& gone, std::size_t cause) const {
    return GainBeside(gone, cause, (*numbers_)[0]);
  }

  void TellIn(std::vector<Found>& found) const {
    if (!IsKnown()) return;
    std::vector<GainsTogether::Set> sets;
    for (const std::size_t number : *numbers_) {
      sets.push_back({number});
      for (const Found& one : found) {
        if (IsReplayed(one)) sets.push_back({*one.number, number});
      }
    }
    together_.Foresee(std::move(sets));
    for (Found& one : found) {
      if (!IsReplayed(one)) continue;
      const std::optional<double> gain = GainBeside({}, *one.number, (*numbers_)[0]);
      const std::optional<double> cautious = GainBeside({}, *one.number, (*numbers_)[1]);
      if (!gain || !cautious) continue;
      // Where devices wait for no host, recording only hides what they could gain.
      const bool is_hidden = IsOfDevices(one.cause) && *gain >= one.gain.value_or(0) + kLowGain;
      if (!holds_up_devices_ && !is_hidden) continue;
      one.unprofiled = gain;
      one.cautious = cautious;
    }
  }

 private:
  std::optional<double> GainBeside(const GainsTogether::Set& gone, std::size_t cause,
                                   std::size_t recording) const {
    GainsTogether::Set without = gone;
    without.push_back(recording);
    const double gained = together_.Of(without);
    if (gained >= 1) return std::nullopt;
    without.push_back(cause);
    return std::max(0.0, (together_.Of(without) - gained) / (1 - gained));
  }

  GainsTogether& together_;
  bool holds_up_devices_ = false;
  std::optional<std::array<std::size_t, 2>> numbers_;  // the estimate, and kMostOfEstimate times it
};

// Whether causes of the tier sit on single ranks, of which others may hide what they cost.
bool MayHide(Tier tier) { return tier == Tier::kRoot || tier == Tier::kBeyondPeers; }

bool IsGeneral(Tier tier) {
  return tier == Tier::kBeyondPeers || tier == Tier::kBeyondSteps || tier == Tier::kExposed;
}

// What gains so much without the profiler is told, though it gains nothing with it: twice over an
// estimate, so less is not.
constexpr double kHiddenByProfiler = 0.05;

constexpr std::string_view kHiddenText =
    "; it gains that once the other causes are gone, which hide it";

// The causes that matter, each told once: what those before it explain is left out.
class Chooser {
 public:
  Chooser(const RuleInput& input, GainsTogether& together, const Unprofiled& unprofiled)
      : input_(input), together_(together), unprofiled_(unprofiled) {}

  std::vector<Found> Choose(std::vector<Found> weighed) {
    std::vector<Found> all, hidden, behind, small, of_devices;
    for (Found& found : weighed) {
      const bool takes_time = found.cause.lost_ns && static_cast<double>(*found.cause.lost_ns) >=
                                                         kLowGain * input_.step_ns();
      if (IsLeak(found.cause) || (found.gain && *found.gain >= kLowGain)) {
        all.push_back(std::move(found));
      } else if (MayHide(found.cause.tier) && IsReplayed(found) && takes_time) {
        hidden.push_back(std::move(found));
      } else if (found.cause.told_anyway) {
        small.push_back(std::move(found));
      } else if (found.cause.told_when_hidden && IsReplayed(found) && takes_time) {
        behind.push_back(std::move(found));
      } else if (IsOfDevices(found.cause) && IsReplayed(found) && takes_time) {
        of_devices.push_back(std::move(found));
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const Found& a, const Found& b) {
      if (a.cause.tier != b.cause.tier) return a.cause.tier < b.cause.tier;
      return a.gain.value_or(0) > b.gain.value_or(0);
    });
    for (const Found& found : all) {
      if (IsReplayed(found)) upcoming_.push_back(*found.number);
    }
    std::size_t next = 0;
    for (Tier tier = Tier::kRoot; tier <= Tier::kNature;
         tier = static_cast<Tier>(static_cast<int>(tier) + 1)) {
      for (; next < all.size() && all[next].cause.tier == tier; ++next) Add(std::move(all[next]));
      std::vector<Found> of_tier;
      for (Found& found : hidden) {
        if (found.cause.tier == tier) of_tier.push_back(std::move(found));
      }
      AddHidden(std::move(of_tier));
    }
    AddHidden(std::move(behind));
    AddHiddenByProfiler(std::move(of_devices));
    TellUnhidden();
    for (Found& found : small) AddSmall(std::move(found));
    return std::move(chosen_);
  }

 private:
  void Add(Found found) {
    if (IsReplayed(found)) {
      // As if all that come were chosen: what is not, is foreseen anew.
      together_.ForeseePrefixes(gone_, std::span(upcoming_).subspan(passed_++));
      GainsTogether::Set with = gone_;
      with.push_back(*found.number);
      const double gain = together_.Of(with);
      if (gain - gained_ < std::max(kLowGain, kOwnPart * *found.gain)) {
        if (found.cause.told_anyway) AddSmall(std::move(found));
        return;
      }
      gone_ = std::move(with);
      gained_ = gain;
    } else if (IsGeneral(found.cause.tier) && IsNamed(found.cause)) {
      return;
    }
    chosen_.push_back(std::move(found));
  }

  // What devices do costs nothing while the profiler makes their host late; without it, it does.
  void AddHiddenByProfiler(std::vector<Found> of_devices) {
    if (!unprofiled_.IsKnown()) return;
    for (Found& found : of_devices) {
      const double alone = unprofiled_.GainBeside({}, *found.number).value_or(0);
      const double beside = unprofiled_.GainBeside(gone_, *found.number).value_or(0);
      if (alone < kHiddenByProfiler || beside < std::max(kLowGain, kOwnPart * alone)) continue;
      gone_.push_back(*found.number);
      gained_ = together_.Of(gone_);
      chosen_.push_back(std::move(found));
    }
  }

  // What others hide in part is told with what it gains once these are gone.
  void TellUnhidden() {
    for (Found& found : chosen_) {
      if (!found.cause.told_when_hidden || found.was_hidden || !IsReplayed(found)) continue;
      GainsTogether::Set others = gone_;
      std::erase(others, *found.number);
      const double gain = gained_ - together_.Of(others);
      if (gain < *found.gain + kLowGain) continue;
      found.gain = gain;
      found.was_hidden = true;
      found.cause.why += kHiddenText;
    }
  }

  // Told beside the others with low severity: what gains little alone, or, where it gains more,
  // with what the others leave of that.
  void AddSmall(Found found) {
    if (!found.gain || *found.gain >= kLowGain) {
      if (!IsReplayed(found)) return;
      GainsTogether::Set with = gone_;
      with.push_back(*found.number);
      found.gain = std::min(together_.Of(with) - gained_, kLowGain);
    }
    if (*found.gain >= kLeastTold) chosen_.push_back(std::move(found));
  }

  // Where no replay tells what is left: whether a cause was told that takes the same on the same
  // ranks; of a step, any that strikes it.
  bool IsNamed(const Cause& cause) const {
    return std::any_of(chosen_.begin(), chosen_.end(), [&](const Found& told) {
      const Cause& other = told.cause;
      const bool is_alike = cause.takes == Takes::kOutlier || other.takes == cause.takes;
      return is_alike &&
             std::any_of(cause.ranks.begin(), cause.ranks.end(), [&](std::uint32_t rank) {
               return std::find(other.ranks.begin(), other.ranks.end(), rank) != other.ranks.end();
             });
    });
  }

  // Causes that hide each other: each alone gains nothing, since the ranks wait for the other one
  // then. Those without which the cure of all would gain less are told, with that.
  void AddHidden(std::vector<Found> hidden) {
    if (hidden.empty()) return;
    const auto without = [&](const Found* left_out) {
      GainsTogether::Set causes = gone_;
      for (const Found& one : hidden) {
        if (&one != left_out) causes.push_back(*one.number);
      }
      return causes;
    };
    GainsTogether::Set cured = without(nullptr);
    const double all = together_.Of(cured);
    if (all - gained_ < kLowGain) return;
    std::vector<GainsTogether::Set> but_one;
    for (const Found& one : hidden) but_one.push_back(without(&one));
    together_.Foresee(std::move(but_one));
    for (Found& one : hidden) one.gain = all - together_.Of(without(&one));
    for (Found& one : hidden) {
      if (*one.gain < kLowGain) continue;
      one.was_hidden = true;
      one.cause.why += kHiddenText;
      chosen_.push_back(std::move(one));
    }
    gone_ = std::move(cured);
    gained_ = all;
  }

  const RuleInput& input_;
  GainsTogether& together_;
  const Unprofiled& unprofiled_;
  std::vector<std::size_t> upcoming_;  // in the order in which they are added
  std::size_t passed_ = 0;             // of these
  GainsTogether::Set gone_;            // all that were chosen
  double gained_ = 0;                  // by that
  std::vector<Found> chosen_;
};

// "Proposed, and replayed: 1 layer of stage 1 to stage 0; a step takes 2.1 ms then, 12.3 % less."
// What gains nothing is not told; where replays are refused, it is told without what it gains.
void TellProposals(const RuleInput& input, std::vector<Found>& found) {
  std::vector<const Scenario*> then;
  std::vector<Cause*> causes;
  for (Found& one : found) {
    if (!one.cause.proposal) continue;
    then.push_back(&one.cause.proposal->then);
    causes.push_back(&one.cause);
  }
  if (!input.fidelity().refused.empty()) {
    for (Cause* cause : causes)
      cause->recommendation += fmt::format(" Proposed: {}.", cause->proposal->what);
    return;
  }
  const std::vector<double> gains = input.GainsOf(then);
  for (std::size_t i = 0; i < gains.size(); ++i) {
    if (gains[i] < kLowGain) continue;
    causes[i]->recommendation += fmt::format(
        " Proposed, and replayed: {}; a step takes {} then, {} less.", causes[i]->proposal->what,
        TimeText((1 - gains[i]) * input.step_ns()), PercentText(gains[i]));
  }
}

// Launching is what is left to do for a host whose program waits or copies for nothing: behind
// causes of the program that are as severe, which name what to change.
void TellLaunchingLater(std::vector<Found>& found) {
  const auto is_launching = [](const Found& one) { return one.cause.takes == Takes::kLaunching; };
  const auto launching = std::find_if(found.begin(), found.end(), is_launching);
  if (launching == found.end()) return;
  auto behind = launching;
  for (auto at = launching; at != found.end() && SeverityOf(*at) == SeverityOf(*launching); ++at) {
    const bool is_named = at->cause.tier == Tier::kRoot || at->cause.tier == Tier::kProgram;
    if (is_named && !at->cause.is_rest) behind = at;
  }
  std::rotate(launching, launching + 1, behind + 1);
}

// In the order in which they are told, each with what all up to it gain.
void Sort(const RuleInput& input, GainsTogether& together, std::vector<Found>& found) {
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    const int left = RankOfSeverity(SeverityOf(a));
    const int right = RankOfSeverity(SeverityOf(b));
    if (left != right) return left < right;
    if (a.cause.is_rest != b.cause.is_rest) return b.cause.is_rest;
    const double of_a = WeightOf(a).value_or(0), of_b = WeightOf(b).value_or(0);
    if (of_a != of_b) return of_a > of_b;
    return a.cause.id < b.cause.id;
  });
  TellLaunchingLater(found);
  std::vector<std::size_t> upcoming;
  for (const Found& one : found) {
    if (IsReplayed(one)) upcoming.push_back(*one.number);
  }
  std::size_t passed = 0;
  GainsTogether::Set gone;
  double others = 1;  // what causes leave of the step whose gain no replay gives
  double replayed = 0;
  const double most_of_bounds = input.Shared<DeviceIdle>().share;
  double combined = 0;  // more causes gone never make the step longer: then they hide each other
  std::vector<Found> kept;
  kept.reserve(found.size());
  for (Found& one : found) {
    if (IsReplayed(one)) {
      together.ForeseePrefixes(gone, std::span(upcoming).subspan(passed++));
      GainsTogether::Set with = gone;
      with.push_back(*one.number);
      const double gain = together.Of(with);
      // What has no name and is explained by what stands above it is no contribution of its own.
      if (IsGeneral(one.cause.tier) && !one.was_hidden &&
          gain - replayed < std::max(kLowGain, kOwnPart * one.gain.value_or(0)))
        continue;
      gone = std::move(with);
      replayed = gain;
    } else {
      others *= 1 - one.gain.value_or(0);
      if (one.method == "bound") others = std::max(others, 1 - std::max(most_of_bounds, *one.gain));
    }
    one.combined = std::max(combined, 1 - (1 - replayed) * others);
    combined = one.combined;
    kept.push_back(std::move(one));
  }
  found = std::move(kept);
}

// Their time is that of a step on a rank where the cause sits, in the mean, as what the cause
// takes.
std::string PlacesText(const RuleInput& input, const Cause& cause) {
  const double rank_steps = static_cast<double>(std::max<std::size_t>(1, cause.ranks.size())) *
                            static_cast<double>(std::max<std::size_t>(1, input.counted().size()));
  std::string text;
  json::Writer writer(text);
  const auto add = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) writer.Member(key, value);
  };
  writer.BeginArray();
  for (const Cause::Place& place : cause.places) {
    writer.BeginObject();
    add("op", place.op);
    add("module", place.module);
    const CodeLine line = ParseCodeLine(place.function);
    add("file", line.file);
    if (line.line >= 0) writer.ExactMember("line", line.line);
    add("function", line.line >= 0 ? line.function : std::string_view(place.function));
    writer.ExactMember("ns", std::llround(static_cast<double>(place.ns) / rank_steps)).EndObject();
  }
  writer.EndArray();
  return text;
}

// Of a thousand ranks a few rows show it; the command has all.
void WriteEvidenceRows(json::Writer& writer, const Cause& cause) {
  constexpr std::size_t kMostRows = 8;
  writer.BeginObject().Member("table", cause.evidence_table).Key("rows").BeginArray();
  for (const EvidenceRow& row :
       std::span(cause.evidence).first(std::min(kMostRows, cause.evidence.size()))) {
    writer.BeginObject();
    for (const auto& [column, value] : row) writer.Member(column, value);
    writer.EndObject();
  }
  writer.EndArray().EndObject();
}

std::string EvidenceText(const RuleInput& input, const Cause& cause) {
  std::string text;
  json::Writer writer(text);
  writer.BeginArray();
  if (!cause.evidence.empty()) WriteEvidenceRows(writer, cause);
  for (const NodeId node : cause.nodes) {
    const std::int64_t event = input.graph().EventOf(node);
    if (event < 0) continue;
    const Capture& capture = input.job().captures[input.graph().CaptureOf(node).capture];
    writer.BeginObject()
        .ExactMember("rank", capture.rank)
        .ExactMember("capture", capture.index)
        .ExactMember("event", event)
        .EndObject();
  }
  writer.EndArray();
  return text;
}

// A recording without steps is one: nothing in it is "a step".
std::string TitleOf(const RuleInput& input, const Cause& cause) {
  const auto& steps = input.graph().steps();
  std::string title = cause.what;
  if (steps.size() != 1 || steps.front().number != 0) return title;
  constexpr std::string_view kAStep = " a step";
  for (std::size_t at = 0; (at = title.find(kAStep, at)) != std::string::npos;)
    title.erase(at, kAStep.size());
  return title;
}

void AddRow(const RuleInput& input, const Found& found, TableOf<Findings>& table) {
  const auto& columns = SchemaOf<Findings>();
  const Cause& cause = found.cause;
  std::vector<std::int64_t> ranks;
  for (const std::uint32_t rank : cause.ranks)
    ranks.push_back(input.across().collectives().ranks()[rank].rank);
  std::vector<std::int64_t> steps;
  if (cause.steps.empty()) {
    for (const std::size_t step : input.counted())
      steps.push_back(input.graph().steps()[step].number);
  } else {
    for (const std::uint32_t step : cause.steps)
      steps.push_back(input.graph().steps()[step].number);
  }
  const std::string rank_text = RangesText(ranks);
  const std::string step_text = RangesText(steps);
  const std::string who = WhoText(input, cause.ranks);
  const std::string places = PlacesText(input, cause);
  const std::string title = TitleOf(input, cause);
  const std::string evidence = EvidenceText(input, cause);
  const auto text = [](const std::string& value) {
    return value.empty() ? Value(kNull) : Value(std::string_view(value));
  };
  const auto percent = [](std::optional<double> share) {
    return share ? Value(100 * *share) : Value(kNull);
  };
  const double trust = found.method == "replay" ? input.fidelity().Confidence() : 1;
  table.Add(
      {columns.id = std::string_view(cause.id),
       columns.severity = SeverityOf(found),
       columns.confidence = cause.confidence * trust,
       columns.gain_pct = percent(found.gain),
       columns.gain_ns = found.gain && input.step_ns() > 0
                             ? Value(std::int64_t{std::llround(*found.gain * input.step_ns())})
                             : Value(kNull),
       columns.gain_unprofiled_pct = percent(found.unprofiled),
       columns.combined_gain_pct = 100 * found.combined,
       columns.gain_method = found.method,
       columns.time_lost_ns = cause.lost_ns,
       columns.time_to_failure_ns = cause.time_to_failure_ns,
       columns.ranks = std::string_view(rank_text),
       columns.who = std::string_view(who),
       columns.what = ToString(cause.takes),
       columns.steps = text(step_text),
       columns.title = std::string_view(title),
       columns.why = std::string_view(cause.why),
       columns.recommendation = std::string_view(cause.recommendation),
       columns.command = std::string_view(cause.command),
       columns.places = std::string_view(places),
       columns.evidence = std::string_view(evidence)});
}

// Whether what was recorded is a program's start and no step: that it takes long has no cause.
bool IsOfStart(const JobGraph& graph, ViewOf<Recording> recording) {
  const auto& columns = SchemaOf<Recording>();
  if (graph.steps().size() != 1 || graph.steps().front().number != 0) return false;
  for (std::size_t row = 0; row < recording.row_count(); ++row) {
    if (recording.String(row, columns.code) == "start-up") return true;
  }
  return false;
}

Result<Table> Derive(const InputTables& inputs, const JobContext& job, const Options&) {
  auto table = SchemaOf<Findings>().NewTable(std::string(Findings::kName));
  const RuleInput input(job, AcrossOf(job), ReplayedOf(job), inputs);
  const bool has_graph = !input.counted().empty() && input.step_ns() > 0;
  const bool knows_devices = KnowsDevices(inputs.Of<Recording>());
  const bool is_enough = IsEnough(inputs.Of<Recording>());
  const bool is_start = IsOfStart(input.graph(), inputs.Of<Recording>());
  std::vector<const Rule*> rules;
  for (const Rule* rule : AllRules()) {
    if (!(has_graph && is_enough) && rule->needs_graph) continue;
    if (!knows_devices && rule->needs == RuleNeeds::kDevice) continue;
    if (is_start && IsGeneral(rule->tier)) continue;
    rules.push_back(rule);
  }
  std::vector<std::optional<Cause>> of_rules(rules.size());
  ParallelFor(rules.size(), job.threads,
              [&](std::size_t i) { of_rules[i] = CauseOf(*rules[i], input); });
  std::vector<Cause> causes;
  for (std::optional<Cause>& cause : of_rules) {
    if (cause) causes.push_back(std::move(*cause));
  }
  GainsTogether together(input);
  const Unprofiled unprofiled(input, inputs.Of<RecordedWork>(), together);
  std::vector<Found> found =
      Chooser(input, together, unprofiled).Choose(Weighed(input, std::move(causes), together));
  unprofiled.TellIn(found);
  Sort(input, together, found);
  TellProposals(input, found);
  for (const Found& one : found) AddRow(input, one, table);
  return table;
}

std::vector<const Analysis*> Inputs() {
  std::vector<const Analysis*> inputs = TablesOfRules();
  for (const Analysis* needed : {&RecordingAnalysis(), &RecordedWorkAnalysis()}) {
    if (std::find(inputs.begin(), inputs.end(), needed) == inputs.end()) inputs.push_back(needed);
  }
  return inputs;
}

}  // namespace

const Analysis& FindingsAnalysis() {
  static const Analysis kAnalysis = {
      .name = "findings",
      .summary = "why the job is slow, what to change, what that would gain",
      .definition =
          "Rules recognise causes in the graph of all ranks and in other tables (rankscope explain "
          "ID tells each). What a cause costs is found by replaying the job without it: gain_pct = "
          "100 (1 - mean complete step without it / now). Where the replay cannot be trusted "
          "(replay_fidelity) the gain is a bound: what the cause takes on its ranks. A cause is "
          "left out when those told before it explain it: when, without them, it gains less than "
          "35 % of what it gains alone.",
      .example = "rankscope table findings traces/",
      .columns = SchemaOf<Findings>().columns(),
      .facts = {&AcrossFact(), &ReplayFact()},
      .inputs = Inputs(),
      .derive = Derive,
  };
  return kAnalysis;
}

}  // namespace rankscope
