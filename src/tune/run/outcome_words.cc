#include "tune/run/outcome_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "tune/adapter/fill.h"
#include "tune/run/words.h"

namespace rankscope::tune {
namespace {

std::string Rate(double per_s) { return fmt::format("{:.3g}", per_s); }

double Pct(double factor) { return 100 * (factor - 1); }

std::string Within(const Outcome& outcome) {
  const std::string words = LimitWords(outcome.limits);
  return words.empty() ? "" : " " + words;
}

std::string GainWords(const Choice& choice) {
  return fmt::format("{:.1f}% more (80% sure: {:.1f}% to {:.1f}%)", Pct(choice.gain),
                     Pct(choice.gain_low), Pct(choice.gain_high));
}

std::string CauseWords(const Diagnosis& diagnosis) {
  std::string words;
  for (const DiagnosedCause& cause : diagnosis.causes)
    words += fmt::format("{}{} ({})", words.empty() ? "" : "; ", cause.title, cause.id);
  return words;
}

std::string HintWords(const Outcome& outcome) {
  std::string words;
  for (const Hint& hint : outcome.diagnosis.hints)
    words += fmt::format("{}{}{}", words.empty() ? "" : ", ",
                         hint.direction > 0   ? "more "
                         : hint.direction < 0 ? "less "
                                              : "",
                         hint.parameter);
  return words;
}

std::string DiagnosisSentence(const Outcome& outcome) {
  const Diagnosis& diagnosis = outcome.diagnosis;
  const bool is_ramp = outcome.mode == LoadMode::kRamp;
  std::string text =
      !is_ramp ? fmt::format("With its settings of now {} requests a second are good{}.",
                             Rate(diagnosis.borne_per_s), Within(outcome))
      : diagnosis.keeps_objective
          ? fmt::format("With its settings of now it bears {} requests a second{}.",
                        Rate(diagnosis.borne_per_s), Within(outcome))
          : fmt::format("With its settings of now no rate keeps the objective{}.", Within(outcome));
  if (diagnosis.causes.empty())
    return text + " Nothing was found that limits it, so all parameters were searched.";
  text += fmt::format(" What limits it: {}.", CauseWords(diagnosis));
  const std::string hints = HintWords(outcome);
  return text + (hints.empty() ? " That speaks for none of the parameters, so all were searched."
                               : fmt::format(" Searched for that: {}.", hints));
}

std::string ConfirmedSentence(const Outcome& outcome) {
  if (outcome.confirmed)
    return fmt::format(
        "A steady {} a second was borne with them: {:.1f}% of the requests were good.",
        Rate(outcome.confirmed->per_s), outcome.confirmed->good_pct);
  if (outcome.is_refuted)
    return fmt::format(
        "{} looked {:.1f}% better in the trials, but bore no steady rate near {} a second: the "
        "settings of now stay.",
        outcome.space.Text(outcome.choice->point), Pct(outcome.choice->gain),
        Rate(outcome.diagnosis.borne_per_s));
  return "";
}

std::string AppliedSentence(const Outcome& outcome) {
  switch (outcome.applied) {
    case ApplyState::kNotAsked:
      return "";
    case ApplyState::kNothingBetter:
      return "The service was not changed.";
    case ApplyState::kKept:
      return fmt::format(
          "The service has the new settings (canary: {}). Back again: rankscope tune "
          "--restore {}",
          outcome.canary, outcome.revert);
    case ApplyState::kBroken:
      return fmt::format("The service has its old settings: the change did not go well ({}).",
                         outcome.canary);
    case ApplyState::kFailed:
      return fmt::format("The service may not be as it was: {}.", outcome.canary);
  }
  return "";
}

// Of the parameters that differ anywhere among the trials.
std::string SettingsText(const Outcome& outcome, const Point& point) {
  std::string text;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const bool varies = std::ranges::any_of(outcome.trials, [&](const TrialRow& row) {
      return row.trial.asked.point[i] != outcome.space.Standard()[i];
    });
    if (!varies) continue;
    const Parameter& parameter = outcome.knobs[i].parameter;
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", parameter.name,
                        ValueText(parameter, point[i]));
  }
  return text;
}

}  // namespace

std::string Headline(const Outcome& outcome) {
  if (!outcome.choice)
    return "No settings keep the limits, those of now among them: see the trials.";
  const std::string now = outcome.standard_per_s ? Rate(*outcome.standard_per_s) : "nothing";
  const std::string_view measure = outcome.mode == LoadMode::kRamp ? "up to " : "";
  if (!outcome.IsChange())
    return fmt::format(
        "The settings of now are as good as any that were tried: good {}{} requests a second{}.",
        measure, now, Within(outcome));
  return fmt::format("{} requests a second{} with other settings.", GainWords(*outcome.choice),
                     Within(outcome));
}

std::vector<ChangeRow> Changes(const Outcome& outcome) {
  std::vector<ChangeRow> rows;
  const Point before = outcome.space.Standard(), after = outcome.Recommended();
  for (std::size_t i = 0; i < outcome.knobs.size(); ++i) {
    if (before[i] == after[i]) continue;
    const Parameter& parameter = outcome.knobs[i].parameter;
    rows.push_back({.name = parameter.name,
                    .before = ValueText(parameter, before[i]),
                    .after = ValueText(parameter, after[i])});
  }
  return rows;
}

std::vector<std::string> Paragraphs(const Outcome& outcome) {
  std::vector<std::string> all;
  const auto add = [&](std::string text) {
    if (!text.empty()) all.push_back(std::move(text));
  };
  if (outcome.was_stopped)
    add(fmt::format("Stopped behind {} of {} trials: this is what is known by then.",
                    outcome.trials.size(), outcome.planned));
  add(ConfirmedSentence(outcome));
  add(DiagnosisSentence(outcome));
  if (outcome.hits_ceiling)
    add("Nearly all of the ramp was good with them: --rate or a longer ramp (--top) shows how much "
        "more there is.");
  add(AppliedSentence(outcome));
  for (const std::string& note : outcome.notes) add(note);
  return all;
}

std::vector<TrialCells> TrialTable(const Outcome& outcome) {
  std::vector<TrialCells> cells;
  for (std::size_t i = 0; i < outcome.trials.size(); ++i) {
    const auto& [trial, note] = outcome.trials[i];
    TrialCells row{.number = std::to_string(i + 2),
                   .stage = std::string(ToString(trial.asked.stage)),
                   .settings = SettingsText(outcome, trial.asked.point)};
    if (trial.measured.crashed) {
      row.good = "-";
      row.note = note.why.substr(0, note.why.find('\n'));
    } else {
      row.good = Rate(trial.measured.objective) + "/s";
      if (note.failed > 0) row.note = fmt::format("{} of {} failed", note.failed, note.sent);
      if (!note.trouble.empty()) row.note += (row.note.empty() ? "" : "; ") + std::string("rough");
    }
    cells.push_back(std::move(row));
  }
  return cells;
}

}  // namespace rankscope::tune
