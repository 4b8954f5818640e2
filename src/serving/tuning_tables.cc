#include "serving/tuning_tables.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/serving.h"
#include "table/or_null.h"

namespace rankscope::serving {
namespace {

Value PercentMore(std::optional<double> factor) {
  return factor ? Value(100 * *factor - 100) : Value(kNull);
}

std::string_view StateOf(const Tuning& tuning) {
  if (tuning.was_stopped) return "stopped";
  return tuning.is_running ? "running" : "ended";
}

constexpr std::string_view kBetween = ", ";

std::vector<std::string_view> PartsOf(std::string_view settings) {
  std::vector<std::string_view> parts;
  while (!settings.empty()) {
    const std::size_t end = std::min(settings.find(kBetween), settings.size());
    parts.push_back(settings.substr(0, end));
    settings.remove_prefix(std::min(settings.size(), end + kBetween.size()));
  }
  return parts;
}

// Settings that are the same in all trials.
std::set<std::string_view> CommonOf(const Tuning& tuning) {
  std::map<std::string_view, std::size_t> trials_with;
  for (const TuningTrial& trial : tuning.trials)
    for (const std::string_view part : PartsOf(trial.settings)) ++trials_with[part];
  std::set<std::string_view> common;
  for (const auto& [part, count] : trials_with)
    if (count == tuning.trials.size() && tuning.trials.size() > 1) common.insert(part);
  return common;
}

// All of them where none differs.
std::string WhatDiffers(std::string_view settings, const std::set<std::string_view>& common) {
  std::string text;
  for (const std::string_view part : PartsOf(settings)) {
    if (common.contains(part)) continue;
    text += text.empty() ? "" : kBetween;
    text += part;
  }
  return text.empty() ? std::string(settings) : text;
}

}  // namespace

Table TuningsTable(std::span<const Tuning> tunings) {
  const auto& schema = SchemaOf<ServingTunings>();
  auto table = schema.NewTable(std::string(ServingTunings::kName));
  for (std::size_t i = 0; i < tunings.size(); ++i) {
    const Tuning& one = tunings[i];
    table.Add({schema.tuning = static_cast<std::int64_t>(i),
               schema.adapter = TextOrNull(one.adapter),
               schema.state = StateOf(one),
               schema.headline = one.is_running ? Value(kNull) : TextOrNull(one.headline),
               schema.planned = one.planned,
               schema.ttft_ns = one.objective.ttft,
               schema.tpot_ns = one.objective.tpot,
               schema.e2e_ns = one.objective.e2e,
               schema.settings_now = TextOrNull(one.settings_now),
               schema.settings = one.is_running ? Value(kNull) : TextOrNull(one.settings),
               schema.is_change = one.is_running ? Value(kNull) : Value(one.is_change),
               schema.borne_per_s = one.borne_per_s,
               schema.now_per_s = one.now_per_s,
               schema.chosen_per_s = one.chosen_per_s,
               schema.gain_pct = PercentMore(one.gain),
               schema.gain_low_pct = PercentMore(one.gain_low),
               schema.gain_high_pct = PercentMore(one.gain_high),
               schema.confirmed_per_s = one.confirmed_per_s,
               schema.confirmed_good_pct = one.confirmed_good_pct,
               schema.causes = TextOrNull(one.causes),
               schema.command = TextOrNull(one.command),
               schema.applied = one.is_running ? Value(kNull) : TextOrNull(one.applied),
               schema.canary = TextOrNull(one.canary)});
  }
  return table;
}

Table TrialsTable(std::span<const Tuning> tunings) {
  const auto& schema = SchemaOf<ServingTrials>();
  auto table = schema.NewTable(std::string(ServingTrials::kName));
  for (std::size_t i = 0; i < tunings.size(); ++i) {
    const Tuning& of = tunings[i];
    const std::set<std::string_view> common = CommonOf(of);
    for (const TuningTrial& one : of.trials) {
      const std::string settings = WhatDiffers(one.settings, common);
      table.Add({schema.tuning = static_cast<std::int64_t>(i),
                 schema.trial = static_cast<std::int64_t>(one.number),
                 schema.stage = TextOrNull(one.stage), schema.settings = TextOrNull(settings),
                 schema.is_now = one.settings == of.settings_now,
                 schema.is_chosen = !of.is_running && of.is_change && one.settings == of.settings,
                 schema.good_per_s = one.good_per_s, schema.sent = one.sent, schema.good = one.good,
                 schema.failed = one.failed, schema.why = TextOrNull(one.why),
                 schema.trouble = TextOrNull(one.trouble)});
    }
  }
  return table;
}

}  // namespace rankscope::serving
