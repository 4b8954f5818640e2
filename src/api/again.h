// A job that was run again with a change for a finding, and what changes have gained.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json/type.h"

namespace rankscope::api {

// What a change for a finding was to gain and did, both of the step time with the profiler.
struct MeasuredGain {
  std::string finding, model, team;
  std::string base, test;  // ids of runs, "" where it was measured elsewhere
  std::string made;        // ISO 8601, UTC
  double promised_pct = 0;
  double measured_pct = 0;  // below 0: it became slower
};
struct MeasuredGainList {
  std::vector<MeasuredGain> gains;
  std::int64_t total = 0;  // with those that are left out
};
struct NewMeasuredGain {
  std::string finding, model;
  double promised_pct = 0;
  double measured_pct = 0;
};

// What a finding is likely to gain, after what changes for its cause have gained.
struct ExpectedGain {
  std::string finding;
  double promised_pct = 0;
  double expected_pct = 0;
  std::int64_t measured = 0;  // changes
  std::int64_t of_model = 0;  // of them, those of this model
};

// A run that says by its tags that it is another one again.
struct SecondRun {
  std::string id, name, finding, state, created;
  std::optional<double> step_ns;
  std::optional<double> gain_pct;
  std::optional<double> promised_pct;
};

// How a run is run again, and what came of it.
struct RunAgain {
  std::string command, environment;  // as its tags say
  std::string push;                  // what sends the second run's traces: a line of a shell
  bool can_launch = false;           // whoever asks: at this server
  std::vector<SecondRun> runs;
  std::vector<ExpectedGain> expected;
};

struct LaunchRequest {
  std::string finding;
};
struct Launched {
  std::string output;  // the last of what the launcher said
};

}  // namespace rankscope::api

namespace rankscope::json {

template <>
const Fields<api::MeasuredGain>& FieldsOf();
template <>
const Fields<api::MeasuredGainList>& FieldsOf();
template <>
const Fields<api::NewMeasuredGain>& FieldsOf();
template <>
const Fields<api::ExpectedGain>& FieldsOf();
template <>
const Fields<api::SecondRun>& FieldsOf();
template <>
const Fields<api::RunAgain>& FieldsOf();
template <>
const Fields<api::LaunchRequest>& FieldsOf();
template <>
const Fields<api::Launched>& FieldsOf();

}  // namespace rankscope::json
