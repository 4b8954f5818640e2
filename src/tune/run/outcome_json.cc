#include "json/writer.h"
#include "tune/adapter/fill.h"
#include "tune/run/outcome.h"
#include "tune/run/outcome_words.h"

namespace rankscope::tune {
namespace {

void WritePoint(json::Writer& writer, const Outcome& outcome, const Point& point) {
  writer.BeginObject();
  for (std::size_t i = 0; i < outcome.knobs.size(); ++i) {
    const Parameter& parameter = outcome.knobs[i].parameter;
    if (parameter.scale == Scale::kChoice)
      writer.Member(parameter.name, ValueText(parameter, point[i]));
    else
      writer.Member(parameter.name, point[i]);
  }
  writer.EndObject();
}

void WriteTrial(json::Writer& writer, const Outcome& outcome, const TrialRow& row) {
  const auto& [trial, note] = row;
  writer.BeginObject().Member("stage", ToString(trial.asked.stage));
  writer.Member("schedule", trial.asked.schedule).Key("settings");
  WritePoint(writer, outcome, trial.asked.point);
  writer.Member("runs", !trial.measured.crashed);
  writer.Key("good_per_s");
  if (trial.measured.crashed)
    writer.Null();
  else
    writer.Write(trial.measured.objective);
  writer.Member("sent", note.sent).Member("good", note.good).Member("failed", note.failed);
  writer.TextMember("why", note.why).TextMember("trouble", note.trouble).EndObject();
}

std::string_view NameOf(LoadMode mode) {
  switch (mode) {
    case LoadMode::kRamp:
      return "ramp";
    case LoadMode::kRate:
      return "rate";
    case LoadMode::kUsers:
      return "users";
    case LoadMode::kReplay:
      return "replay";
  }
  return "";
}

std::string_view NameOf(ApplyState state) {
  switch (state) {
    case ApplyState::kNotAsked:
      return "not_asked";
    case ApplyState::kNothingBetter:
      return "nothing_better";
    case ApplyState::kKept:
      return "kept";
    case ApplyState::kBroken:
      return "broken";
    case ApplyState::kFailed:
      return "failed";
  }
  return "";
}

}  // namespace

std::string WriteTuneJson(const Outcome& outcome) {
  std::string text;
  json::Writer writer(text);
  writer.BeginObject().Member("schema", "rankscope.tune/1").Member("adapter", outcome.adapter);
  writer.Member("headline", Headline(outcome)).Member("load", NameOf(outcome.mode));
  writer.Member("ttft_ns", outcome.limits.ttft).Member("tpot_ns", outcome.limits.tpot);
  writer.Member("e2e_ns", outcome.limits.e2e).Member("was_stopped", outcome.was_stopped);
  writer.Member("is_running", outcome.is_running).Member("planned", outcome.planned);
  writer.Key("settings_now");
  WritePoint(writer, outcome, outcome.space.Standard());
  writer.Key("settings");
  WritePoint(writer, outcome, outcome.Recommended());
  writer.Member("is_change", outcome.IsChange());
  writer.Member("now_per_s", outcome.standard_per_s).Member("chosen_per_s", outcome.chosen_per_s);
  writer.Key("gain");
  if (!outcome.choice || !outcome.IsChange()) {
    writer.Null();
  } else {
    writer.BeginObject().Member("factor", outcome.choice->gain);
    writer.Member("low", outcome.choice->gain_low).Member("high", outcome.choice->gain_high);
    writer.EndObject();
  }
  writer.Member("hits_ceiling", outcome.hits_ceiling).Member("is_refuted", outcome.is_refuted);
  writer.Key("confirmed");
  if (outcome.confirmed)
    writer.BeginObject()
        .Member("per_s", outcome.confirmed->per_s)
        .Member("good_pct", outcome.confirmed->good_pct)
        .EndObject();
  else
    writer.Null();
  writer.Member("command", outcome.command).Member("applied", NameOf(outcome.applied));
  writer.TextMember("canary", outcome.canary).TextMember("revert", outcome.revert);
  writer.Key("diagnosis").BeginObject().Member("borne_per_s", outcome.diagnosis.borne_per_s);
  writer.Member("keeps_objective", outcome.diagnosis.keeps_objective);
  writer.Member("top_per_s", outcome.diagnosis.top_per_s).Key("causes").BeginArray();
  for (const DiagnosedCause& cause : outcome.diagnosis.causes)
    writer.BeginObject().Member("id", cause.id).Member("title", cause.title).EndObject();
  writer.EndArray().Key("hints").BeginArray();
  for (const Hint& hint : outcome.diagnosis.hints)
    writer.BeginObject()
        .Member("parameter", hint.parameter)
        .Member("direction", hint.direction)
        .EndObject();
  writer.EndArray().EndObject();
  writer.Key("trials").BeginArray();
  for (const TrialRow& row : outcome.trials) WriteTrial(writer, outcome, row);
  writer.EndArray().Member("notes", outcome.notes).TextMember("kept", outcome.kept).EndObject();
  return text + "\n";
}

}  // namespace rankscope::tune
