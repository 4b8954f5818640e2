// The tables of findings: why a job is slow, what to change, and the gain from that.
#pragma once

#include <string_view>

#include "schemas/columns.h"
#include "table/schema.h"

namespace rankscope {

struct Findings : Schema<Findings> {
  static constexpr std::string_view kName = "findings";

  StringColumn id = Text("id", "of the rule (rankscope explain); never changes");
  StringColumn severity =
      Text("severity",
           "high from 10% gain, medium from 3%, low from 1%; of growing memory by the time that "
           "it leaves until the device is full");
  RealColumn confidence = Real("confidence", "", "0 to 1, a judgement of the evidence");
  RealColumn gain_pct = Real("gain_pct", "%",
                             "of the mean complete step of the job that would be saved without "
                             "the cause; null when that is not known");
  IntColumn gain_ns = Int("gain_ns", "ns", "the same per step");
  RealColumn gain_unprofiled_pct =
      Real("gain_unprofiled_pct", "%",
           "an estimate of gain_pct without the profiler, where recording itself may take much of "
           "the step (recording: profiler-overhead): severity and order go by it; else null");
  RealColumn gain_alone_pct =
      Real("gain_alone_pct", "%",
           "what it gains while the causes are there that hide it, where gain_pct is what it gains "
           "once they are gone; else null");
  RealColumn combined_gain_pct =
      Real("combined_gain_pct", "%", "without the causes of this finding and of all rows above");
  RealColumn combined_unprofiled_pct =
      Real("combined_unprofiled_pct", "%",
           "an estimate of combined_gain_pct without the profiler, where one of the findings has a "
           "gain_unprofiled_pct; else null");
  FlagColumn unclaimed =
      Flag("unclaimed",
           "whether the gain may not be had: nothing recorded shows that it can be, or the cost "
           "buys something else (memory); such findings are of low severity and come last");
  StringColumn gain_method =
      Text("gain_method",
           "replay: the job replayed without the cause; bound: it cannot gain more; estimate");
  IntColumn time_lost_ns =
      Int("time_lost_ns", "ns",
          "what the cause itself takes on the ranks where it sits, a step and a rank in the mean, "
          "hidden or not; null when not known");
  IntColumn time_to_failure_ns =
      Int("time_to_failure_ns", "ns", "until memory is full, of what will end the job; else null");
  StringColumn ranks =
      Text("ranks", "where the cause sits, never its victims: numbers and ranges, \"0-3,7\"");
  StringColumn who =
      Text("who", "the same in words: \"rank 3\", \"pipeline stage 2: ranks 32-47\"");
  StringColumn what = Text("what", "what takes the time, as in contributions");
  StringColumn steps = Text("steps", "that it strikes: numbers and ranges; null: not of steps");
  StringColumn title = Text("title", "one sentence with the numbers that matter");
  StringColumn why = Text("why", "how it is known: what was compared with what");
  StringColumn recommendation = Text("recommendation", "what to change");
  StringColumn command =
      Text("command", "the command line that shows it; TRACES is the job's path");
  StringColumn tables =
      Text("tables", "tables with more evidence, the most telling first, separated by commas");
  StringColumn places = Text(
      "places",
      "where to look: a JSON list of {\"op\",\"call\",\"annotation\",\"module\",\"file\","
      "\"line\",\"function\",\"ns\"}: op is the name of the op, call or annotation; "
      "classes of modules, and the innermost line of the user's own code, where Python frames "
      "were recorded; what is not known is left out; ns: how long the finding's work there takes, "
      "its waits apart, a step and a rank of the finding in the mean");
  StringColumn evidence = Text(
      "evidence",
      "a JSON list of {\"table\",\"rows\":[{column: value}]} and {\"rank\",\"capture\",\"event\"}");
};
extern template const Findings& SchemaOf<Findings>();

// The job's mean step, divided into parts: the rows sum to it.
struct Contributions : Schema<Contributions> {
  static constexpr std::string_view kName = "contributions";

  StringColumn what = Text(
      "what",
      "slower kernels, more work, kernels, copies, host work, launching, data, sync, allocator, "
      "transfers, schedule, outlier step; best: what no change known to rankscope wins back");
  StringColumn finding = Text("finding", "id of the finding that tells it; null of best");
  StringColumn ranks = Text("ranks", "as ranks of findings; null of best");
  StringColumn who = Text("who", "the same in words");
  StringColumn steps = Text("steps", "as steps of findings");
  StringColumn places = Text("places", "as places of findings");
  IntColumn time_ns =
      Int("time_ns", "ns",
          "of the mean step: how much shorter it gets without this, once those above "
          "are gone; of best the rest");
  RealColumn gain_pct = Real("gain_pct", "%", "of the mean step, without this alone");
  RealColumn marginal_gain_pct =
      Real("marginal_gain_pct", "%", "of the mean step, once those above are gone");
  StringColumn gain_method = Text("gain_method", "as gain_method of findings; null of best");
};
extern template const Contributions& SchemaOf<Contributions>();

struct NotEvaluated : Schema<NotEvaluated> {
  static constexpr std::string_view kName = "not_evaluated";

  StringColumn id = Text("id", "of the rule");
  StringColumn reason = Text("reason", "why this job's recordings cannot tell");
};
extern template const NotEvaluated& SchemaOf<NotEvaluated>();

// The job's gain without one of its costs, by replay.
struct Gains : Schema<Gains> {
  static constexpr std::string_view kName = "gains";

  StringColumn of = Text("of",
                         "resource: all that it does takes no time; finding: without its cause; "
                         "findings: without the causes of all");
  StringColumn name = Text("name", "of the resource or finding; null for all findings");
  RealColumn gain_pct = Real("gain_pct", "%", "of the mean complete step");
  IntColumn gain_ns = Int("gain_ns", "ns", "per step");
};
extern template const Gains& SchemaOf<Gains>();

struct WhatIf : Schema<WhatIf> {
  static constexpr std::string_view kName = "whatif";

  StringColumn change = Text("change", "as it was given; all together in the last row");
  IntColumn step_ns = Int("step_ns", "ns", "mean complete step, as recorded");
  IntColumn changed_ns =
      Int("changed_ns", "ns",
          "the same with the change; null where nothing is predicted, as the two below");
  RealColumn gain_pct = Real("gain_pct", "%", "of step_ns that is saved; below 0: it gets slower");
  RealColumn confidence = Real("confidence", "", "0 to 1: how far the replay can be trusted");
  StringColumn refused_reason =
      Text("refused_reason", "why nothing is predicted; null where it is");
  StringColumn note = Text("note", "what the gain rests on, where that is not what one expects");
};
extern template const WhatIf& SchemaOf<WhatIf>();

struct ReplayFidelity : Schema<ReplayFidelity> {
  static constexpr std::string_view kName = "replay_fidelity";

  IntColumn steps = Int("steps", "", "complete steps that were replayed");
  IntColumn steps_left_out =
      Int("steps_left_out", "", "the first steps of a job whose graph is too large for all");
  IntColumn step_ns = Int("step_ns", "ns", "mean complete step of the job");
  RealColumn error_pct = Real("error_pct", "%",
                              "mean over steps of how far the replayed step is off the recorded "
                              "one, of the mean step");
  RealColumn prediction_error_pct =
      Real("prediction_error_pct", "%",
           "the same of steps that are replayed with the other steps' median durations; null with "
           "a single step");
  RealColumn spread_pct =
      Real("spread_pct", "%", "mean over steps of how far a step is off the others' median");
  RealColumn unexplained_pct =
      Real("unexplained_pct", "%", "of the job's critical path that no dependency explains");
  StringColumn refused_reason =
      Text("refused_reason", "why the replay predicts nothing; null where it does");
};
extern template const ReplayFidelity& SchemaOf<ReplayFidelity>();

}  // namespace rankscope
