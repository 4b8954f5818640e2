#include "mcp/results.h"

namespace rankscope::json {

using mcp::CodeChange;
using mcp::DiffFinding;
using mcp::DiffResult;
using mcp::FindingsResult;
using mcp::FixResult;
using mcp::FoundCause;
using mcp::JobFacts;
using mcp::NotLookedFor;
using mcp::RecordingVerdict;
using mcp::ResultColumn;
using mcp::RowsResult;

namespace {

// What is unknown is left out.
constexpr Field Known(std::string_view name, std::string_view doc = "",
                      std::string_view unit = "") {
  return {.name = name, .doc = doc, .unit = unit, .is_left_out = true};
}

constexpr Field kNotices = Known("notices", "what else is to be known, such as files left out");

}  // namespace

template <>
const Fields<JobFacts>& FieldsOf() {
  using T = JobFacts;
  static const Fields<T> fields =
      Fields<T>("JobFacts", "what is true of the job", Use::kReport)
          .Add<&T::ranks>({.name = "ranks", .doc = "that were analysed"})
          .Add<&T::world_size>(Known("world_size"))
          .Add<&T::devices>({.name = "devices"})
          .Add<&T::step_time_ns>(Known("step_time_ns", "mean complete step", "ns"))
          .Add<&T::complete_steps>(Known("complete_steps"))
          .Add<&T::bottleneck>(Known("bottleneck", "the resource whose removal gains most"))
          .Add<&T::combined_gain_pct>(
              Known("combined_gain_pct", "of a step, without the causes of all findings", "%"))
          .Add<&T::mfu_pct>(Known("mfu_pct", "model FLOP utilisation", "%"));
  return fields;
}

template <>
const Fields<RecordingVerdict>& FieldsOf() {
  using T = RecordingVerdict;
  static const Fields<T> fields =
      Fields<T>("RecordingVerdict", "what the recording cannot tell", Use::kReport)
          .Add<&T::code>({.name = "code", .doc = "explain has its page"})
          .Add<&T::severity>({.name = "severity"})
          .Add<&T::message>({.name = "message"})
          .Add<&T::ranks>(Known("ranks"));
  return fields;
}

template <>
const Fields<FoundCause>& FieldsOf() {
  using T = FoundCause;
  static const Fields<T> fields =
      Fields<T>("FoundCause", "a cause of slowness", Use::kReport)
          .Add<&T::id>({.name = "id", .doc = "explain has its page"})
          .Add<&T::severity>({.name = "severity", .doc = "high, medium or low"})
          .Add<&T::title>({.name = "title"})
          .Add<&T::gain_pct>(Known("gain_pct", "of a step, without the cause", "%"))
          .Add<&T::gain_unprofiled_pct>(
              Known("gain_unprofiled_pct", "the same without the profiler, an estimate", "%"))
          .Add<&T::gain_ns>(Known("gain_ns", "per step", "ns"))
          .Add<&T::gain_method>(Known("gain_method", "replay, bound (at most) or estimate"))
          .Add<&T::confidence>(Known("confidence", "0 to 1"))
          .Add<&T::who>(Known("who", "where the cause sits, never its victims"))
          .Add<&T::ranks>(Known("ranks"))
          .Add<&T::steps>(Known("steps"))
          .Add<&T::why>(Known("why", "how it is known"))
          .Add<&T::where>(Known("where", "ops, modules and lines of the user's code"))
          .Add<&T::recommendation>(Known("recommendation", "what to change"))
          .Add<&T::command>(Known("command", "that shows it in a shell"));
  return fields;
}

template <>
const Fields<NotLookedFor>& FieldsOf() {
  using T = NotLookedFor;
  static const Fields<T> fields =
      Fields<T>("NotLookedFor", "a cause that this recording cannot show", Use::kReport)
          .Add<&T::id>({.name = "id"})
          .Add<&T::reason>({.name = "reason"});
  return fields;
}

template <>
const Fields<FindingsResult>& FieldsOf() {
  using T = FindingsResult;
  static const Fields<T> fields =
      Fields<T>("FindingsResult", "why the job is slow", Use::kReport)
          .Add<&T::headline>({.name = "headline"})
          .Add<&T::job>({.name = "job"})
          .Add<&T::recording>({.name = "recording", .doc = "verdicts on the recording"})
          .Add<&T::findings>({.name = "findings", .doc = "the gravest first"})
          .Add<&T::not_evaluated>(
              {.name = "not_evaluated", .doc = "what could not be looked for, and why"})
          .Add<&T::notices>(kNotices);
  return fields;
}

template <>
const Fields<ResultColumn>& FieldsOf() {
  using T = ResultColumn;
  static const Fields<T> fields =
      Fields<T>("ResultColumn", "a column", Use::kReport)
          .Add<&T::name>({.name = "name"})
          .Add<&T::type>({.name = "type", .doc = "int64, double, string or bool"})
          .Add<&T::unit>(Known("unit"));
  return fields;
}

template <>
const Fields<RowsResult>& FieldsOf() {
  using T = RowsResult;
  static const Fields<T> fields =
      Fields<T>("RowsResult", "rows of a table", Use::kReport)
          .Add<&T::table>({.name = "table"})
          .Add<&T::columns>({.name = "columns"})
          .Add<&T::rows>({.name = "rows",
                          .doc =
                              "cells in the order of columns; null is unknown, never 0; integers "
                              "beyond 2^53 are texts"})
          .Add<&T::row_count>({.name = "row_count", .doc = "of all rows that were asked for"})
          .Add<&T::left_out>(Known("left_out", "why not all of them are here"))
          .Add<&T::notices>(kNotices);
  return fields;
}

template <>
const Fields<DiffFinding>& FieldsOf() {
  using T = DiffFinding;
  static const Fields<T> fields =
      Fields<T>("DiffFinding", "a finding of which the jobs have not the same", Use::kReport)
          .Add<&T::state>({.name = "state", .doc = "appeared, gone, changed or small"})
          .Add<&T::id>({.name = "id"})
          .Add<&T::title>({.name = "title"})
          .Add<&T::base_gain_pct>(Known("base_gain_pct", "", "%"))
          .Add<&T::test_gain_pct>(Known("test_gain_pct", "", "%"));
  return fields;
}

template <>
const Fields<DiffResult>& FieldsOf() {
  using T = DiffResult;
  static const Fields<T> fields =
      Fields<T>("DiffResult", "what changed between two jobs", Use::kReport)
          .Add<&T::headline>({.name = "headline"})
          .Add<&T::reasons>({.name = "reasons", .doc = "what the change consists of"})
          .Add<&T::base>({.name = "base"})
          .Add<&T::test>({.name = "test"})
          .Add<&T::unit>({.name = "unit", .doc = "step or recording: what is compared"})
          .Add<&T::base_ns>(Known("base_ns", "mean of a unit", "ns"))
          .Add<&T::test_ns>(Known("test_ns", "", "ns"))
          .Add<&T::change_pct>(Known("change_pct", "above 0: test is slower", "%"))
          .Add<&T::p>(Known("p", "chance of such a change without a cause"))
          .Add<&T::significant>(Known("significant"))
          .Add<&T::findings>({.name = "findings"})
          .Add<&T::notes>({.name = "notes", .doc = "what is not the same on both sides"})
          .Add<&T::tables>({.name = "tables", .doc = "whose rows `table` gives"})
          .Add<&T::rows>(Known("rows", "of the table that was asked for"))
          .Add<&T::notices>(kNotices);
  return fields;
}

template <>
const Fields<CodeChange>& FieldsOf() {
  using T = CodeChange;
  static const Fields<T> fields =
      Fields<T>("CodeChange", "one change of the diff", Use::kReport)
          .Add<&T::file>({.name = "file"})
          .Add<&T::line>({.name = "line", .doc = "of the file as it is"})
          .Add<&T::finding>({.name = "finding"})
          .Add<&T::gain>(Known("gain", "what the finding costs now"))
          .Add<&T::what>({.name = "what"})
          .Add<&T::undo>({.name = "undo", .doc = "how to take it back"});
  return fields;
}

template <>
const Fields<FixResult>& FieldsOf() {
  using T = FixResult;
  static const Fields<T> fields =
      Fields<T>("FixResult", "a patch, which nobody has applied", Use::kReport)
          .Add<&T::diff>({.name = "diff", .doc = "unified, for git apply or patch -p1"})
          .Add<&T::changes>({.name = "changes"})
          .Add<&T::left>({.name = "left", .doc = "what is to be changed by hand, and why"})
          .Add<&T::nothing>(Known("nothing", "why there is no patch"))
          .Add<&T::left_out>(Known("left_out", "why not all is here"))
          .Add<&T::notices>(kNotices);
  return fields;
}

}  // namespace rankscope::json
