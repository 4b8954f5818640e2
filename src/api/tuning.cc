#include "api/tuning.h"

#include "json/fields.h"

namespace rankscope::json {

using api::RunTuning;
using api::TuningRun;

template <>
const Fields<TuningRun>& FieldsOf() {
  using T = TuningRun;
  static const Fields<T> fields =
      Fields<T>("TuningRun", "a search for settings of a serving program", Use::kReport)
          .Add<&T::id>({.name = "id", .doc = "16 hexadecimal digits"})
          .Add<&T::name>({.name = "name", .doc = "name of the run"})
          .Add<&T::state>({.name = "state", .doc = "uploading, queued, analysing, ready or failed"})
          .Add<&T::created>({.name = "created", .doc = "ISO 8601, UTC"})
          .Add<&T::headline>({.name = "headline",
                              .doc = "what came of it, or how far it is",
                              .is_null_when_empty = true});
  return fields;
}

template <>
const Fields<RunTuning>& FieldsOf() {
  using T = RunTuning;
  static const Fields<T> fields =
      Fields<T>("RunTuning", "how settings of a serving program are searched", Use::kReport)
          .Add<&T::command>({.name = "command", .doc = "a line of a shell"})
          .Add<&T::can_launch>({.name = "can_launch", .doc = "this server does, for who asks"})
          .Add<&T::runs>({.name = "runs", .doc = "the newest first", .most_items = 1000});
  return fields;
}

}  // namespace rankscope::json
