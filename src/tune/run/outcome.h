// The result of a tuning run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json/fields.h"
#include "tune/run/diagnosis.h"

namespace rankscope::tune {

// What is stored of a trial besides the journal's line.
struct TrialNote {
  std::string why;  // why it did not run; "": it ran
  std::int64_t sent = 0, good = 0, failed = 0;
  std::string trouble;  // of the load generator
};

struct TrialRow {
  Trial trial;
  TrialNote note;
};

enum class ApplyState : std::uint8_t {
  kNotAsked,
  kNothingBetter,  // the old settings stay
  kKept,
  kBroken,  // the old settings are back, or were never replaced
  kFailed,  // it is unknown which settings it runs with
};

struct Confirmed {
  double per_s = 0;  // a steady rate that keeps the objective
  double good_pct = 0;
};

struct Outcome {
  std::string adapter;
  LoadMode mode = LoadMode::kRamp;
  serving::Objective limits;
  Space space;
  std::vector<Knob> knobs;
  Diagnosis diagnosis;
  std::vector<TrialRow> trials;
  int planned = 0;  // trials of the search
  bool is_running = false;
  bool was_stopped = false;
  std::optional<Choice> choice;  // nullopt: no point may be chosen
  // Means of the finals, or of all trials without finals: requests per second as in measure.h.
  std::optional<double> standard_per_s, chosen_per_s;
  bool hits_ceiling = false;           // nearly all of a ramp was good: the rate may be higher
  std::optional<Confirmed> confirmed;  // of the choice, where it is not the defaults
  bool is_refuted = false;             // no such rate was found: the defaults stay
  std::vector<std::string> command;    // starts a server with the choice; {} for a service
  ApplyState applied = ApplyState::kNotAsked;
  std::string canary;  // its result
  std::string kept;    // the folder with all files; "" none
  std::string revert;  // how to undo a kept change
  std::vector<std::string> notes;

  // The recommended settings: the defaults if nothing is better.
  Point Recommended() const;
  bool IsChange() const { return Recommended() != space.Standard(); }
};

std::string WriteTuneText(const Outcome& outcome, bool colour);
std::string WriteTuneMarkdown(const Outcome& outcome);
std::string WriteTuneJson(const Outcome& outcome);

}  // namespace rankscope::tune

namespace rankscope::json {
template <>
const Fields<tune::TrialNote>& FieldsOf();
}
