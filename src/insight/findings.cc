#include "insight/findings.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "analysis/across/across_fact.h"
#include "analysis/captures/analyses.h"
#include "analysis/ops/code_places.h"
#include "insight/all_rules.h"
#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/device_idle.h"
#include "json/writer.h"
#include "replay/replay_fact.h"
#include "schemas/captures.h"
#include "schemas/findings.h"

namespace rankscope {
namespace {

struct Found {
  Cause cause;
  std::optional<double> gain;  // share of the step
  std::string_view method;
  double combined = 0;
  bool was_hidden = false;  // it gains nothing before others are gone that hide it
};

bool IsLeak(const Cause& cause) { return cause.time_to_failure_ns.has_value(); }

std::string_view SeverityOf(const Found& found) {
  if (found.cause.time_to_failure_ns) {
    constexpr std::int64_t kHour = 3'600'000'000'000;
    const std::int64_t left = *found.cause.time_to_failure_ns;
    return left < kHour ? "high" : left < 24 * kHour ? "medium" : "low";
  }
  const double gain = found.gain.value_or(kLowGain);
  return gain >= kHighGain ? "high" : gain >= kMediumGain ? "medium" : "low";
}

int RankOfSeverity(std::string_view severity) {
  return severity == "high" ? 0 : severity == "medium" ? 1 : 2;
}

// What causes gain: by replay where that may be trusted, in few passes over the graph, else no more
// than they take.
std::vector<Found> Weighed(const RuleInput& input, std::vector<Cause> causes) {
  std::vector<Found> all;
  all.reserve(causes.size());
  for (Cause& cause : causes) all.push_back({std::move(cause), {}, {}, 0, false});
  std::vector<const Scenario*> without;
  std::vector<Found*> replayed;
  for (Found& found : all) {
    const Cause& cause = found.cause;
    found.method = cause.gain_method;
    found.gain = GainBesideReplay(input, cause);
    if (found.gain) {
      if (!cause.gain) found.method = "bound";
    } else if (cause.without && input.fidelity().refused.empty()) {
      without.push_back(&*cause.without);
      replayed.push_back(&found);
    }
  }
  const std::vector<double> gains = input.GainsOf(without);
  for (std::size_t i = 0; i < gains.size(); ++i) replayed[i]->gain = gains[i];
  return all;
}

// Whether causes of the tier sit on single ranks, of which others may hide what they cost.
bool MayHide(Tier tier) { return tier == Tier::kRoot || tier == Tier::kBeyondPeers; }

bool IsGeneral(Tier tier) {
  return tier == Tier::kBeyondPeers || tier == Tier::kBeyondSteps || tier == Tier::kExposed;
}

// The causes that matter, each told once: what those before it explain is left out.
class Chooser {
 public:
  explicit Chooser(const RuleInput& input) : input_(input), together_(input.recorded()) {}

  std::vector<Found> Choose(std::vector<Cause> causes) {
    std::vector<Found> all, hidden;
    for (Found& found : Weighed(input_, std::move(causes))) {
      const bool takes_time = found.cause.lost_ns && static_cast<double>(*found.cause.lost_ns) >=
                                                         kLowGain * input_.step_ns();
      if (IsLeak(found.cause) || (found.gain && *found.gain >= kLowGain)) {
        all.push_back(std::move(found));
      } else if (MayHide(found.cause.tier) && IsReplayed(found) && takes_time) {
        hidden.push_back(std::move(found));
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const Found& a, const Found& b) {
      if (a.cause.tier != b.cause.tier) return a.cause.tier < b.cause.tier;
      return a.gain.value_or(0) > b.gain.value_or(0);
    });
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
    return std::move(chosen_);
  }

 private:
  static bool IsReplayed(const Found& found) {
    return found.cause.without && found.method == "replay";
  }

  void Add(Found found) {
    if (IsReplayed(found)) {
      Scenario with = together_;
      with.Apply(*found.cause.without);
      const double gain = input_.GainOf(with);
      if (gain - gained_ < std::max(kLowGain, kOwnPart * *found.gain)) return;
      together_ = std::move(with);
      gained_ = gain;
    } else if (IsGeneral(found.cause.tier) && IsNamed(found.cause)) {
      return;
    }
    chosen_.push_back(std::move(found));
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
      Scenario scenario = together_;
      for (const Found& one : hidden) {
        if (&one != left_out) scenario.Apply(*one.cause.without);
      }
      return scenario;
    };
    Scenario cured = without(nullptr);
    const double all = input_.GainOf(cured);
    if (all - gained_ < kLowGain) return;
    for (Found& one : hidden) one.gain = all - input_.GainOf(without(&one));
    for (Found& one : hidden) {
      if (*one.gain < kLowGain) continue;
      one.was_hidden = true;
      one.cause.why += "; it gains that once the other causes are gone, which hide it";
      chosen_.push_back(std::move(one));
    }
    together_ = std::move(cured);
    gained_ = all;
  }

  const RuleInput& input_;
  Scenario together_;  // without all that were chosen
  double gained_ = 0;
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

// In the order in which they are told, each with what all up to it gain.
void Sort(const RuleInput& input, std::vector<Found>& found) {
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    const int left = RankOfSeverity(SeverityOf(a));
    const int right = RankOfSeverity(SeverityOf(b));
    if (left != right) return left < right;
    if (a.gain.value_or(0) != b.gain.value_or(0)) return a.gain.value_or(0) > b.gain.value_or(0);
    return a.cause.id < b.cause.id;
  });
  Scenario together = input.recorded();
  double others = 1;  // what causes leave of the step whose gain no replay gives
  double replayed = 0;
  const double most_of_bounds = input.Shared<DeviceIdle>().share;
  double combined = 0;  // more causes gone never make the step longer: then they hide each other
  std::vector<Found> kept;
  kept.reserve(found.size());
  for (Found& one : found) {
    if (one.cause.without && one.method == "replay") {
      Scenario with = together;
      with.Apply(*one.cause.without);
      const double gain = input.GainOf(with);
      // What has no name and is explained by what stands above it is no contribution of its own.
      if (IsGeneral(one.cause.tier) && !one.was_hidden &&
          gain - replayed < std::max(kLowGain, kOwnPart * one.gain.value_or(0)))
        continue;
      together = std::move(with);
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
      {columns.id = std::string_view(cause.id), columns.severity = SeverityOf(found),
       columns.confidence = cause.confidence * trust, columns.gain_pct = percent(found.gain),
       columns.gain_ns = found.gain && input.step_ns() > 0
                             ? Value(std::int64_t{std::llround(*found.gain * input.step_ns())})
                             : Value(kNull),
       columns.combined_gain_pct = 100 * found.combined, columns.gain_method = found.method,
       columns.time_lost_ns = cause.lost_ns, columns.time_to_failure_ns = cause.time_to_failure_ns,
       columns.ranks = std::string_view(rank_text), columns.who = std::string_view(who),
       columns.what = ToString(cause.takes), columns.steps = text(step_text),
       columns.title = std::string_view(title), columns.why = std::string_view(cause.why),
       columns.recommendation = std::string_view(cause.recommendation),
       columns.command = std::string_view(cause.command), columns.places = std::string_view(places),
       columns.evidence = std::string_view(evidence)});
}

Result<Table> Derive(const InputTables& inputs, const JobContext& job, const Options&) {
  auto table = SchemaOf<Findings>().NewTable(std::string(Findings::kName));
  const RuleInput input(job, AcrossOf(job), ReplayedOf(job), inputs);
  const bool has_graph = !input.counted().empty() && input.step_ns() > 0;
  const bool knows_devices = KnowsDevices(inputs.Of<Recording>());
  std::vector<Cause> causes;
  for (const Rule* rule : AllRules()) {
    if (!has_graph && rule->needs_graph) continue;
    if (!knows_devices && rule->needs == RuleNeeds::kDevice) continue;
    if (std::optional<Cause> cause = CauseOf(*rule, input)) causes.push_back(std::move(*cause));
  }
  std::vector<Found> found = Chooser(input).Choose(std::move(causes));
  Sort(input, found);
  TellProposals(input, found);
  for (const Found& one : found) AddRow(input, one, table);
  return table;
}

std::vector<const Analysis*> Inputs() {
  std::vector<const Analysis*> inputs = TablesOfRules();
  if (std::find(inputs.begin(), inputs.end(), &RecordingAnalysis()) == inputs.end())
    inputs.push_back(&RecordingAnalysis());
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
