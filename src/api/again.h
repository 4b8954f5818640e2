// Reruns of a job with a change for a finding, and measured gains.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json/type.h"

namespace rankscope::api {

// Promised and measured gain of a change for a finding, both of the step time with the profiler.
struct MeasuredGain {
  std::string finding, model, team;
  std::string base, test;  // ids of runs, "" if measured elsewhere
  std::string made;        // ISO 8601, UTC
  double promised_pct = 0;
  double measured_pct = 0;  // below 0: it became slower
};
struct MeasuredGainList {
  std::vector<MeasuredGain> gains;
  std::int64_t total = 0;  // including those left out
};
struct NewMeasuredGain {
  std::string finding, model;
  double promised_pct = 0;
  double measured_pct = 0;
};

// The expected gain of a finding, from measured gains of changes for its cause.
struct ExpectedGain {
  std::string finding;
  double promised_pct = 0;
  double expected_pct = 0;
  std::int64_t measured = 0;  // changes
  std::int64_t of_model = 0;  // of them, those of this model
};

// A run with tags that mark it as a rerun of another one.
struct SecondRun {
  std::string id, name, finding, state, created;
  std::optional<double> step_ns;
  std::optional<double> gain_pct;
  std::optional<double> promised_pct;
};

// How to run a run again, and the results.
struct RunAgain {
  std::string command, environment;  // as its tags say
  std::string push;                  // shell command that sends the second run's traces
  bool can_launch = false;           // the caller may do so on this server
  std::vector<SecondRun> runs;
  std::vector<ExpectedGain> expected;
};

struct LaunchRequest {
  std::string finding;
};
struct Launched {
  std::string output;  // the last output of the launcher
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
