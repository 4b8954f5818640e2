// The tables of a comparison of two jobs, BASE and TEST (src/compare).
//
// Unless a column says otherwise, times are means: of a window of one device in one counted step.
// They are rounded so that the rows of a table sum exactly, to the nanosecond, to step_time_ns of
// diff_job, for BASE, for TEST and for the change.
#pragma once

#include <string_view>

#include "schemas/columns.h"
#include "table/schema.h"

namespace rankscope {

// The row of every table of differences for time outside of all device windows: the job's step
// minus the mean window of its devices.
inline constexpr std::string_view kOutsideOfDevices = "outside_of_devices";

struct DiffJob : Schema<DiffJob> {
  static constexpr std::string_view kName = "diff_job";

  StringColumn unit =
      Text("unit",
           "what is compared: step (mean complete step of the job); recording (all of it, where a "
           "side has no complete step)");
  IntColumn base_ns = Int("base_ns", "ns", "length of BASE's unit, the mean");
  IntColumn test_ns = Int("test_ns", "ns", "length of TEST's");
  IntColumn change_ns = Int("change_ns", "ns", "test_ns - base_ns");
  RealColumn change_pct = Real("change_pct", "%", "of base_ns; above 0: TEST is slower");
  RealColumn p = Real("p", "",
                      "chance to see such a change of step times without a cause (Welch's test "
                      "over steps); null with one step on both sides");
  FlagColumn significant =
      Flag("significant",
           "p is below 0.05, or a finding that appeared (went, where TEST is faster) would gain "
           "half of the change or more; null where there is no spread to judge by");
  StringColumn spread_of =
      Text("spread_of",
           "what the spread of rows is taken from: steps, or ranks where BASE and "
           "TEST have one step; null when there is none");
  IntColumn base_steps = Int("base_steps", "", "steps of BASE that count");
  IntColumn test_steps = Int("test_steps", "", "steps of TEST that count");
  IntColumn base_ranks = Int("base_ranks", "", "ranks of BASE that were analysed");
  IntColumn test_ranks = Int("test_ranks", "", "ranks of TEST that were analysed");
  FlagColumn same_recordings = Flag("same_recordings", "BASE and TEST are the same files");
};
extern template const DiffJob& SchemaOf<DiffJob>();

struct DiffNotes : Schema<DiffNotes> {
  static constexpr std::string_view kName = "diff_notes";

  StringColumn about = Text(
      "about", "ranks, steps, layout, devices, programs, spread or unit: what is not the same");
  StringColumn note = Text("note", "one sentence: how they differ and what was done about it");
};
extern template const DiffNotes& SchemaOf<DiffNotes>();

// The length of every counted step: the input of the test on the whole job.
struct DiffSteps : Schema<DiffSteps> {
  static constexpr std::string_view kName = "diff_steps";

  StringColumn side = Text("side", "base or test");
  IntColumn group = Int("group", "", "of recordings (captures)");
  IntColumn step = Int("step", "", "number of the step; null for a whole recording");
  IntColumn duration_ns = Int("duration_ns", "ns", "of the job (job_steps)");
};
extern template const DiffSteps& SchemaOf<DiffSteps>();

// The columns of tables of differences after those of Names.
template <typename Names>
struct DiffSums : Schema<DiffSums<Names>, Names> {
  using Columns = Schema<DiffSums<Names>, Names>;
  using typename Columns::FlagColumn;
  using typename Columns::IntColumn;
  using typename Columns::RealColumn;
  IntColumn base_ns = this->Int("base_ns", "ns", "mean in BASE, of a device and step");
  IntColumn test_ns = this->Int("test_ns", "ns", "mean in TEST");
  IntColumn change_ns = this->Int("change_ns", "ns", "test_ns - base_ns");
  RealColumn of_step_pct =
      this->Real("of_step_pct", "%", "change_ns as a part of BASE's step; above 0: TEST is slower");
  RealColumn change_pct = this->Real("change_pct", "%", "change_ns of base_ns; null without BASE");
  RealColumn base_count =
      this->Real("base_count", "", "how often in BASE, a mean of a device and step");
  RealColumn test_count = this->Real("test_count", "", "how often in TEST");
  RealColumn p = this->Real("p", "",
                            "chance to see such a change without a cause, of all tests of this "
                            "table together (Welch, Holm); null where it was not tested: below 1 "
                            "% of the step on both sides, or without spread");
  FlagColumn significant = this->Flag("significant", "p is below 0.05; null where p is");
};

struct DiffPartNames : Schema<DiffPartNames> {
  StringColumn part =
      Text("part", "of time_breakdown; outside_of_devices: the step less the devices' windows");
};
extern template const DiffPartNames& SchemaOf<DiffPartNames>();
struct DiffParts : Schema<DiffParts, DiffSums<DiffPartNames>> {
  static constexpr std::string_view kName = "diff_parts";
};

struct DiffPhaseNames : Schema<DiffPhaseNames> {
  StringColumn phase = Text("phase", "of the launching call; null where no call is recorded");
};
extern template const DiffPhaseNames& SchemaOf<DiffPhaseNames>();
struct DiffPhases : Schema<DiffPhases, DiffSums<DiffPhaseNames>> {
  static constexpr std::string_view kName = "diff_phases";
};

struct DiffModuleNames : Schema<DiffModuleNames> {
  StringColumn module = Text("module", "classes of modules; null where none are known");
};
extern template const DiffModuleNames& SchemaOf<DiffModuleNames>();
struct DiffModules : Schema<DiffModules, DiffSums<DiffModuleNames>> {
  static constexpr std::string_view kName = "diff_modules";
};

struct DiffOpNames : Schema<DiffOpNames> {
  StringColumn part = Text("part", "of time_breakdown");
  StringColumn phase = Text("phase", "of the launching call");
  StringColumn op = Text("op", "innermost op or annotation; null where none is known");
};
extern template const DiffOpNames& SchemaOf<DiffOpNames>();
struct DiffOps : Schema<DiffOps, DiffSums<DiffOpNames>> {
  static constexpr std::string_view kName = "diff_ops";
};

struct DiffHostNames : Schema<DiffHostNames> {
  StringColumn phase = Text("phase", "of the host when it began");
  StringColumn op = Text("op", "op or annotation");
};
extern template const DiffHostNames& SchemaOf<DiffHostNames>();
// For host threads, which are not part of the step's sum: base_ns and test_ns are means per rank
// and step.
struct DiffHost : Schema<DiffHost, DiffSums<DiffHostNames>> {
  static constexpr std::string_view kName = "diff_host";
};

struct DiffKernelNames : Schema<DiffKernelNames> {
  StringColumn part = Text("part", "of time_breakdown");
  StringColumn base_name = Text("base_name", "kernel or copy in BASE; null: TEST's alone, or idle");
  StringColumn test_name = Text("test_name", "in TEST; null: BASE's alone, or idle");
  StringColumn state =
      Text("state", "same; renamed: another name at the same place; added, removed");
};
extern template const DiffKernelNames& SchemaOf<DiffKernelNames>();
struct DiffKernels : Schema<DiffKernels, DiffSums<DiffKernelNames>> {
  static constexpr std::string_view kName = "diff_kernels";
};

struct DiffPlaceNames : Schema<DiffPlaceNames> {
  StringColumn part = Text("part", "of time_breakdown");
  StringColumn phase = Text("phase", "of the launching call");
  StringColumn module = Text("module", "classes of modules; null where none are known");
  StringColumn path = Text("path", "annotations and ops around the call (step_work)");
  StringColumn base_shapes = Text("base_shapes", "inputs in BASE; null where none are stated");
  StringColumn test_shapes = Text("test_shapes", "inputs in TEST");
  StringColumn base_name = Text("base_name", "kernel or copy in BASE");
  StringColumn test_name = Text("test_name", "kernel or copy in TEST");
  StringColumn class_ = Text("class", "of the kernel, TEST's where it has it (kernel_classes)");
  StringColumn state =
      Text("state",
           "same: place, shapes and name agree; changed: the same, with another count or a "
           "significant change of time; renamed: another name at the same place with the same "
           "shapes; reshaped: other shapes at the same place; moved: another op or place, the only "
           "one of its name and "
           "shapes on both sides; added, removed");
};
extern template const DiffPlaceNames& SchemaOf<DiffPlaceNames>();
struct DiffPlaces : Schema<DiffPlaces, DiffSums<DiffPlaceNames>> {
  static constexpr std::string_view kName = "diff_places";
};

// Both call trees merged: phase, modules, annotations and ops, work.
struct DiffCallTree : Schema<DiffCallTree> {
  static constexpr std::string_view kName = "diff_call_tree";

  IntColumn frame = Int("frame", "", "number of the row: 0 is (all), which holds every other one");
  IntColumn parent = Int("parent", "", "the frame around it; null for (all)");
  IntColumn level = Int("level", "", "how many frames are around it");
  StringColumn name = Text("name", "of the frame; TEST's where a kernel has another one");
  StringColumn kind = Text("kind", "phase, module, op, work or idle; null for (all)");
  IntColumn base_ns =
      Int("base_ns", "ns", "device time in it and in frames inside, a mean of a device and step");
  IntColumn test_ns = Int("test_ns", "ns", "the same in TEST");
  IntColumn change_ns = Int("change_ns", "ns", "test_ns - base_ns");
  IntColumn base_host_ns =
      Int("base_host_ns", "ns",
          "time of host threads in it, frames inside left out, a mean of a device and step");
  IntColumn test_host_ns = Int("test_host_ns", "ns", "the same in TEST");
  RealColumn base_calls = Real("base_calls", "", "calls in BASE, of work how often; the mean");
  RealColumn test_calls = Real("test_calls", "", "the same in TEST");
};
extern template const DiffCallTree& SchemaOf<DiffCallTree>();

// What determines the step time (path_over_ranks), in both.
struct DiffPath : Schema<DiffPath> {
  static constexpr std::string_view kName = "diff_path";

  StringColumn part = Text("part", "what the path does there (path_over_ranks)");
  StringColumn name = Text("name", "op that launched it, call or range; null where none is known");
  IntColumn base_ns = Int("base_ns", "ns", "of the path of a step of BASE, the mean, over ranks");
  IntColumn test_ns = Int("test_ns", "ns", "the same in TEST");
  IntColumn change_ns = Int("change_ns", "ns", "test_ns - base_ns");
  RealColumn of_step_pct = Real("of_step_pct", "%", "change_ns as a part of BASE's step");
};
extern template const DiffPath& SchemaOf<DiffPath>();

struct DiffRanks : Schema<DiffRanks> {
  static constexpr std::string_view kName = "diff_ranks";

  IntColumn rank = Int(column::Rank());
  StringColumn part = Text("part", "of time_breakdown");
  IntColumn base_ns = Int("base_ns", "ns", "mean over the counted windows of BASE's rank");
  IntColumn test_ns = Int("test_ns", "ns", "the same in TEST");
  IntColumn change_ns = Int("change_ns", "ns", "test_ns - base_ns");
  RealColumn of_step_pct = Real("of_step_pct", "%", "change_ns as a part of BASE's step");
};
extern template const DiffRanks& SchemaOf<DiffRanks>();

struct DiffFindings : Schema<DiffFindings> {
  static constexpr std::string_view kName = "diff_findings";

  StringColumn state =
      Text("state",
           "appeared, gone, changed (severity, ranks or 2 points of gain), same; small: on one "
           "side alone, with less than 2% to gain, which a finding at its threshold may be by "
           "chance");
  StringColumn id = Text("id", "of the rule (rankscope explain)");
  RealColumn base_gain_pct = Real("base_gain_pct", "%", "gain_pct in BASE; null where it is not");
  RealColumn test_gain_pct = Real("test_gain_pct", "%", "gain_pct in TEST; null where it is not");
  StringColumn base_who = Text("base_who", "where it sits in BASE");
  StringColumn test_who = Text("test_who", "where it sits in TEST");
  StringColumn title = Text("title", "TEST's sentence, BASE's where TEST has none");
  IntColumn base_row = Int("base_row", "", "its row in BASE's findings; null where it is not");
  IntColumn test_row = Int("test_row", "", "its row in TEST's findings; null where it is not");
};
extern template const DiffFindings& SchemaOf<DiffFindings>();

}  // namespace rankscope
