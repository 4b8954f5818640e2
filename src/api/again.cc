#include "api/again.h"

#include "json/fields.h"

namespace rankscope::json {

using api::ExpectedGain;
using api::Launched;
using api::LaunchRequest;
using api::MeasuredGain;
using api::MeasuredGainList;
using api::NewMeasuredGain;
using api::RunAgain;
using api::SecondRun;

namespace {

constexpr std::size_t kMostId = 100;
constexpr std::string_view kPromised = "what the finding promised, of the step time";

}  // namespace

template <>
const Fields<MeasuredGain>& FieldsOf() {
  using T = MeasuredGain;
  static const Fields<T> fields =
      Fields<T>("MeasuredGain", "what a change for a finding was to gain, and did", Use::kReport)
          .Add<&T::finding>({.name = "finding", .doc = "its id", .most_bytes = kMostId})
          .Add<&T::model>({.name = "model", .doc = "model of the run", .is_null_when_empty = true})
          .Add<&T::team>({.name = "team", .doc = "team of the run", .is_null_when_empty = true})
          .Add<&T::base>({.name = "base", .doc = "a run's id", .is_null_when_empty = true})
          .Add<&T::test>({.name = "test", .doc = "a run's id", .is_null_when_empty = true})
          .Add<&T::made>({.name = "made", .doc = "ISO 8601, UTC"})
          .Add<&T::promised_pct>({.name = "promised_pct", .doc = kPromised, .unit = "%"})
          .Add<&T::measured_pct>(
              {.name = "measured_pct", .doc = "what came; below 0: it became slower", .unit = "%"});
  return fields;
}

template <>
const Fields<MeasuredGainList>& FieldsOf() {
  using T = MeasuredGainList;
  static const Fields<T> fields =
      Fields<T>("MeasuredGainList", "what changes have gained, the newest first", Use::kReport)
          .Add<&T::gains>({.name = "gains", .doc = "the newest first", .most_items = 100'000})
          .Add<&T::total>({.name = "total", .doc = "with those that are left out"});
  return fields;
}

template <>
const Fields<NewMeasuredGain>& FieldsOf() {
  using T = NewMeasuredGain;
  static const Fields<T> fields =
      Fields<T>("NewMeasuredGain", "a gain that was measured elsewhere", Use::kRequest)
          .Add<&T::finding>(
              {.name = "finding", .doc = "its id", .most_bytes = kMostId, .is_required = true})
          .Add<&T::model>({.name = "model", .doc = "of the job"})
          .Add<&T::promised_pct>(
              {.name = "promised_pct", .doc = kPromised, .unit = "%", .is_required = true})
          .Add<&T::measured_pct>(
              {.name = "measured_pct", .doc = "what came", .unit = "%", .is_required = true});
  return fields;
}

template <>
const Fields<ExpectedGain>& FieldsOf() {
  using T = ExpectedGain;
  static const Fields<T> fields =
      Fields<T>("ExpectedGain", "what a finding is likely to gain", Use::kReport)
          .Add<&T::finding>({.name = "finding", .doc = "its id", .most_bytes = kMostId})
          .Add<&T::promised_pct>({.name = "promised_pct", .doc = kPromised, .unit = "%"})
          .Add<&T::expected_pct>({.name = "expected_pct",
                                  .doc = "after what changes for its cause have gained",
                                  .unit = "%"})
          .Add<&T::measured>({.name = "measured", .doc = "changes that were measured"})
          .Add<&T::of_model>({.name = "of_model", .doc = "of them, of this run's model"});
  return fields;
}

template <>
const Fields<SecondRun>& FieldsOf() {
  using T = SecondRun;
  static const Fields<T> fields =
      Fields<T>("SecondRun", "a run that is another one again, with a change", Use::kReport)
          .Add<&T::id>({.name = "id", .doc = "16 hexadecimal digits"})
          .Add<&T::name>({.name = "name", .doc = "name of the run"})
          .Add<&T::finding>(
              {.name = "finding", .doc = "for which it was changed", .is_null_when_empty = true})
          .Add<&T::state>({.name = "state", .doc = "uploading, queued, analysing, ready or failed"})
          .Add<&T::created>({.name = "created", .doc = "ISO 8601, UTC"})
          .Add<&T::step_ns>({.name = "step_ns", .doc = "mean of its complete steps", .unit = "ns"})
          .Add<&T::gain_pct>(
              {.name = "gain_pct", .doc = "of the step time of the first", .unit = "%"})
          .Add<&T::promised_pct>({.name = "promised_pct", .doc = kPromised, .unit = "%"});
  return fields;
}

template <>
const Fields<RunAgain>& FieldsOf() {
  using T = RunAgain;
  static const Fields<T> fields =
      Fields<T>("RunAgain", "how a run is run again, and what came of it", Use::kReport)
          .Add<&T::command>(
              {.name = "command", .doc = "the run's tag command", .is_null_when_empty = true})
          .Add<&T::environment>({.name = "environment",
                                 .doc = "the run's tag environment",
                                 .is_null_when_empty = true})
          .Add<&T::push>({.name = "push", .doc = "sends the second run's traces"})
          .Add<&T::can_launch>({.name = "can_launch", .doc = "this server does, for who asks"})
          .Add<&T::runs>(
              {.name = "runs", .doc = "its runs again, the newest first", .most_items = 1000})
          .Add<&T::expected>({.name = "expected", .doc = "of findings of which gains are known"});
  return fields;
}

template <>
const Fields<LaunchRequest>& FieldsOf() {
  using T = LaunchRequest;
  static const Fields<T> fields = Fields<T>("LaunchRequest", "a run to be run again", Use::kRequest)
                                      .Add<&T::finding>({.name = "finding",
                                                         .doc = "for which it is changed; its id",
                                                         .most_bytes = kMostId,
                                                         .is_required = true});
  return fields;
}

template <>
const Fields<Launched>& FieldsOf() {
  using T = Launched;
  static const Fields<T> fields =
      Fields<T>("Launched", "what the launcher did", Use::kReport)
          .Add<&T::output>(
              {.name = "output", .doc = "the last of what it said", .most_bytes = 4096});
  return fields;
}

}  // namespace rankscope::json
