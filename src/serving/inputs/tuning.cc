#include <fmt/core.h>

#include "serving/base/words.h"
#include "serving/inputs/json_lines.h"
#include "serving/inputs/readers.h"

namespace rankscope::serving {
namespace {

constexpr std::string_view kSchema = "rankscope.tune/1";
constexpr std::size_t kMostTrials = 10'000;

// A rate, a share or a factor; what is no such number is not known.
std::optional<double> Amount(const json::Value& value) {
  const auto number = value.Number();
  return number && *number >= 0 && *number <= 1e12 ? number : std::nullopt;
}

// Numbers as people write them: 0.82, not 0.8200000000000001.
std::string ValueText(const json::Value& value) {
  if (value.Text()) return value.TextOr("");
  const auto number = value.Number();
  return number && !value.Integer() ? fmt::format("{:.6g}", *number) : value.ToString();
}

// "max_num_seqs=32, chunk=2048"
std::string SettingsOf(const json::Value& object) {
  std::string text;
  for (const json::Member& member : object.Members())
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", member.name, ValueText(member.value));
  return text;
}

TuningTrial TrialOf(const json::Value& row, std::int32_t number) {
  TuningTrial trial{.number = number,
                    .stage = row["stage"].TextOr(""),
                    .settings = SettingsOf(row["settings"]),
                    .sent = CountOf(row["sent"]),
                    .good = CountOf(row["good"]),
                    .failed = CountOf(row["failed"]),
                    .why = row["why"].TextOr(""),
                    .trouble = row["trouble"].TextOr("")};
  if (row["runs"].Flag().value_or(false)) trial.good_per_s = Amount(row["good_per_s"]);
  return trial;
}

bool TakeTuning(const json::Value& root, std::vector<Tuning>& to) {
  if (root["schema"].TextOr("") != kSchema) return false;
  Tuning tuning{.adapter = root["adapter"].TextOr(""),
                .headline = root["headline"].TextOr(""),
                .is_running = root["is_running"].Flag().value_or(false),
                .was_stopped = root["was_stopped"].Flag().value_or(false),
                .is_change = root["is_change"].Flag().value_or(false),
                .planned = CountOf(root["planned"]),
                .objective = {.ttft = AsDuration(root["ttft_ns"].Integer()),
                              .tpot = AsDuration(root["tpot_ns"].Integer()),
                              .e2e = AsDuration(root["e2e_ns"].Integer())},
                .settings_now = SettingsOf(root["settings_now"]),
                .settings = SettingsOf(root["settings"]),
                .now_per_s = Amount(root["now_per_s"]),
                .chosen_per_s = Amount(root["chosen_per_s"]),
                .gain = Amount(root["gain"]["factor"]),
                .gain_low = Amount(root["gain"]["low"]),
                .gain_high = Amount(root["gain"]["high"]),
                .borne_per_s = Amount(root["diagnosis"]["borne_per_s"]),
                .confirmed_per_s = Amount(root["confirmed"]["per_s"]),
                .confirmed_good_pct = Amount(root["confirmed"]["good_pct"]),
                .applied = root["applied"].TextOr(""),
                .canary = root["canary"].TextOr("")};
  for (const json::Value& cause : root["diagnosis"]["causes"].Items())
    tuning.causes += (tuning.causes.empty() ? "" : ", ") + cause["id"].TextOr("");
  for (const json::Value& word : root["command"].Items())
    tuning.command += (tuning.command.empty() ? "" : " ") + word.TextOr("");
  // The first trial is the diagnosis.
  for (const json::Value& row : root["trials"].Items()) {
    if (tuning.trials.size() == kMostTrials) break;
    tuning.trials.push_back(TrialOf(row, static_cast<std::int32_t>(tuning.trials.size()) + 2));
  }
  to.push_back(std::move(tuning));
  return true;
}

}  // namespace

Status ReadTuning(const InputFile& file, Collection& to) {
  std::vector<Tuning> tunings;
  RS_RETURN_IF_ERROR(
      ForEachDocument(file, to, "reports of rankscope tune",
                      [&](const json::Value& root) { return TakeTuning(root, tunings); }));
  const std::uint32_t source = to.AddSource(file, "rankscope tune");
  for (Tuning& tuning : tunings) {
    tuning.source = source;
    to.Count(source, static_cast<std::int64_t>(tuning.trials.size()));
    to.data.tunings.push_back(std::move(tuning));
  }
  return OkStatus();
}

}  // namespace rankscope::serving
