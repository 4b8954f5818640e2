#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/captures/analyses.h"
#include "base/number_set.h"
#include "base/saturating.h"
#include "schemas/captures.h"
#include "table/human_number.h"

namespace rankscope {
namespace {

constexpr std::string_view kInflateLimit = "inflate_limit";

// Launches without work from this part of all on leave device time unknown.
constexpr double kMuchUnknown = 0.25;
constexpr std::int64_t kUnreadOfRead = 20;
// A recording is mostly loading, or mostly the profiler, from this part of its span on.
constexpr double kMuchOfSpan = 0.3;
// Recording is worth a word from this part of the steps on, where devices idle as long for the
// host.
constexpr double kMuchOfSteps = 0.2;
// Fewer kernels and copies, in less than this part of the recording, tell nothing of a program.
constexpr std::int64_t kFewDeviceRows = 32;
constexpr double kHardlyAny = 0.05;
// Fewer are a remark (table data_quality) and no verdict.
constexpr std::int64_t kSomeLaunches = 4;
constexpr std::int64_t kManyLaunches = 32;
// Where no graph was launched, work that is missing from this part of the launches on was dropped.
constexpr double kThinned = 0.1;

class Verdicts {
 public:
  explicit Verdicts(const InputTables& inputs)
      : work_(inputs.Of<RecordedWork>()), quality_(inputs.Of<DataQuality>()) {}

  Table Make() {
    DeviceNotRecorded();
    DeviceCutOff();
    GraphsWithoutKernels();
    LaunchesWithoutWork();
    Thinned();
    RowsNotUnderstood();
    TooLittleWork();
    Truncated();
    StartUp();
    SingleStep();
    ImpossibleDurations();
    ProfilerOverhead();
    return std::move(table_);
  }

 private:
  using Column = RecordedWork::IntColumn;

  static const RecordedWork& Of() { return SchemaOf<RecordedWork>(); }
  std::int64_t At(std::size_t row, Column column) const { return work_.Int(row, column); }

  bool IsMuch(std::size_t row, Column column) const {
    return At(row, column) > 0 && static_cast<double>(At(row, column)) >=
                                      kMuchOfSpan * static_cast<double>(At(row, Of().span_ns));
  }

  struct Rows {
    std::vector<std::size_t> rows;
    std::set<std::int64_t> ranks;
    bool empty() const { return rows.empty(); }
  };
  Rows That(const std::function<bool(std::size_t)>& is_one) const {
    Rows found;
    for (std::size_t row = 0; row < work_.row_count(); ++row) {
      if (!is_one(row)) continue;
      found.rows.push_back(row);
      found.ranks.insert(At(row, Of().rank));
    }
    return found;
  }
  std::int64_t Sum(const Rows& rows, Column column) const {
    std::int64_t sum = 0;
    for (const std::size_t row : rows.rows) AddSaturating(sum, At(row, column));
    return sum;
  }

  void Add(std::string_view code, std::string_view severity, const std::string& message,
           const Rows& rows) {
    const auto& columns = SchemaOf<Recording>();
    const std::string ranks = RangesText({rows.ranks.begin(), rows.ranks.end()});
    const bool of_some = !rows.empty() && rows.rows.size() < work_.row_count();
    table_.Add({columns.code = code, columns.severity = severity, columns.message = message,
                columns.ranks = of_some || work_.row_count() == 1 ? Value(std::string_view(ranks))
                                                                  : Value(kNull)});
  }

  void DeviceNotRecorded() {
    const Rows without = That([&](std::size_t row) {
      return At(row, Of().device_rows) == 0 && At(row, Of().unread_device_rows) == 0 &&
             At(row, Of().launches) + At(row, Of().graph_launches) > 0 && !IsCutOff(row);
    });
    if (without.empty()) return;
    const std::int64_t launches = Sum(without, Of().launches) + Sum(without, Of().graph_launches);
    Add("device-not-recorded", "high",
        fmt::format(
            "The device was not recorded: {} launches and no work of a device in the file, so {}. "
            "Usual reasons: no permission for the counters of CUPTI (or its like), activities "
            "without the device, another profiler attached.",
            launches, WhatIsUnknown(without)),
        without);
  }

  // Kineto writes device work behind all ops: a file that ends too early lacks it.
  bool IsCutOff(std::size_t row) const {
    return At(row, Of().cut_device_rows) > 0 ||
           (At(row, Of().device_rows) == 0 && At(row, Of().steps) > 0 &&
            At(row, Of().unread_device_rows) == 0 && IsCut(At(row, Of().rank)));
  }
  void DeviceCutOff() {
    const std::size_t all = work_.row_count() + Unread().size();
    const Rows without =
        That([&](std::size_t row) { return IsCutOff(row) && !IsAtLimit(At(row, Of().rank)); });
    if (!without.empty())
      Add("device-not-recorded", "high",
          fmt::format("{} too early, before all device work of a step was written: {}. Copy files "
                      "whole, or record anew.",
                      FilesThatEnd(without.rows.size(), all), WhatIsUnknown(without)),
          without);
    const Rows stopped =
        That([&](std::size_t row) { return IsCutOff(row) && IsAtLimit(At(row, Of().rank)); });
    if (!stopped.empty())
      Add("device-not-recorded", "high",
          fmt::format("{} before all device work of a step: {}. Record anew.",
                      StoppedReading(stopped.rows.size(), all), WhatIsUnknown(stopped)),
          stopped);
  }
  // As AcrossFacts does with ranks by their hosts alone beside ranks with devices.
  std::string_view WhatIsUnknown(const Rows& without) const {
    const bool has_others = !That([&](std::size_t row) {
                               return At(row, Of().device_rows) > At(row, Of().cut_device_rows);
                             }).empty();
    if (!has_others) return "nothing can be said about device time";
    return without.ranks.size() == 1 ? "figures of the job's devices are without this rank"
                                     : "figures of the job's devices are without these ranks";
  }

  // "2 of 8 files end", "The file ends".
  static std::string FilesThatEnd(std::size_t count, std::size_t all) {
    if (all == 1) return "The file ends";
    return fmt::format("{} of {} files end{}", count, all, count == 1 ? "s" : "");
  }

  // Of files that inflate beyond all bounds.
  static std::string StoppedReading(std::size_t count, std::size_t all) {
    const std::string which = all == 1 ? "the file" : fmt::format("{} of {} files", count, all);
    return fmt::format("Reading {} stopped where {} far more than any trace does,", which,
                       count == 1 ? "it inflates" : "they inflate");
  }

  // Files of no rank: nothing of them can be read.
  std::set<std::string_view> Unread() const {
    const auto& columns = SchemaOf<DataQuality>();
    std::set<std::string_view> files;
    for (std::size_t row = 0; row < quality_.row_count(); ++row) {
      if (quality_.IsNull(row, columns.rank)) files.insert(quality_.String(row, columns.file));
    }
    return files;
  }

  // The file of the rank ends too early, or was not read to its end.
  bool IsCut(std::int64_t rank) const {
    return HasProblem(rank, "truncated") || HasProblem(rank, "corrupt_gzip") || IsAtLimit(rank);
  }
  bool IsAtLimit(std::int64_t rank) const { return HasProblem(rank, kInflateLimit); }

  bool HasProblem(std::int64_t rank, std::string_view code) const {
    const auto& columns = SchemaOf<DataQuality>();
    for (std::size_t row = 0; row < quality_.row_count(); ++row) {
      if (quality_.String(row, columns.code) == code && !quality_.IsNull(row, columns.rank) &&
          quality_.Int(row, columns.rank) == rank)
        return true;
    }
    return false;
  }

  void GraphsWithoutKernels() {
    const Rows with = That([&](std::size_t row) {
      return At(row, Of().device_rows) > 0 &&
             At(row, Of().graph_launches_without_work) >= kSomeLaunches &&
             static_cast<double>(At(row, Of().graph_launches_without_work)) >=
                 kMuchUnknown * static_cast<double>(At(row, Of().graph_launches));
    });
    if (with.empty()) return;
    Add("graphs-without-kernels", "high",
        fmt::format("{} of {} graph launches have no device work in the file, so device time of "
                    "their steps is unknown, not idle. Record the kernels of graphs (a newer "
                    "profiler, or CUPTI's activity per graph node).",
                    Sum(with, Of().graph_launches_without_work), Sum(with, Of().graph_launches)),
        with);
  }

  // What is launched while a graph is captured runs when the graph does.
  bool LacksMostWork(std::size_t row) const {
    return At(row, Of().device_rows) > 0 && At(row, Of().launches_without_work) >= kManyLaunches &&
           2 * At(row, Of().launches_without_work) >= At(row, Of().launches);
  }
  void LaunchesWithoutWork() {
    const Rows with = That([&](std::size_t row) { return LacksMostWork(row); });
    if (with.empty()) return;
    Add("graphs-without-kernels", "high",
        fmt::format(
            "{} of {} launches have no device work in the file, so device time is unknown, "
            "not idle: they were captured into graphs, or their records were dropped. Record "
            "steps that run the graphs.",
            Sum(with, Of().launches_without_work), Sum(with, Of().launches)),
        with);
  }

  // A profiler whose buffers are full drops records; one that ends while its device is far behind
  // the host leaves the last work out. Files that end too early have verdicts of their own.
  void Thinned() {
    const Rows with = That([&](std::size_t row) {
      return At(row, Of().device_rows) > 0 && At(row, Of().graph_launches) == 0 &&
             At(row, Of().launches_without_work) >= kManyLaunches &&
             static_cast<double>(At(row, Of().launches_without_work)) >=
                 kThinned * static_cast<double>(At(row, Of().launches)) &&
             !LacksMostWork(row) && !IsCutOff(row) && !IsCut(At(row, Of().rank));
    });
    if (with.empty()) return;
    Add("thinned", "high",
        fmt::format("{} of {} launches have no device work in the file: the profiler dropped "
                    "records, or ended before the work did, so what devices did, and when they "
                    "idled, is unknown. Record fewer steps or ops, or give the profiler larger "
                    "buffers.",
                    Sum(with, Of().launches_without_work), Sum(with, Of().launches)),
        with);
  }

  void RowsNotUnderstood() {
    const Rows unknown = That([&](std::size_t row) {
      return At(row, Of().host_rows) + At(row, Of().device_rows) == 0 &&
             At(row, Of().other_rows) > 0;
    });
    if (!unknown.empty()) {
      Add("rows-not-understood", "high",
          fmt::format(
              "None of {} rows has a category that rankscope knows: ops, calls, kernels are not "
              "told apart. Record with torch.profiler (Kineto), or convert the file.",
              Sum(unknown, Of().other_rows)),
          unknown);
    }
    const Rows unread = That([&](std::size_t row) {
      return At(row, Of().host_rows) + At(row, Of().device_rows) > 0 &&
             At(row, Of().unread_device_rows) > 0;
    });
    if (unread.empty()) return;
    // A few rows beside all that was read leave device time as it is.
    const bool is_much =
        kUnreadOfRead * Sum(unread, Of().unread_device_rows) >= Sum(unread, Of().device_rows);
    Add("rows-not-understood", is_much ? "high" : "low",
        fmt::format("{} under the names of devices of no kind that rankscope knows: {}.",
                    Sum(unread, Of().unread_device_rows) == 1
                        ? std::string("There is 1 row")
                        : fmt::format("There are {} rows", Sum(unread, Of().unread_device_rows)),
                    Sum(unread, Of().device_rows) == 0 ? "nothing can be said about device time"
                                                       : "device time lacks them"),
        unread);
  }

  // A single call of a compiled function, a test of a profiler: what of it is usual, nobody knows.
  void TooLittleWork() {
    const Rows with = That([&](std::size_t row) {
      return At(row, Of().device_rows) > 0 && At(row, Of().device_rows) < kFewDeviceRows &&
             At(row, Of().unread_device_rows) == 0 &&
             At(row, Of().graph_launches_without_work) == 0 && At(row, Of().complete_steps) <= 1 &&
             static_cast<double>(At(row, Of().device_ns)) <
                 kHardlyAny * static_cast<double>(At(row, Of().span_ns));
    });
    if (with.empty() || with.rows.size() < work_.row_count()) return;
    const std::int64_t count = Sum(with, Of().device_rows);
    Add("too-little-work", "high",
        fmt::format("Too little device work was recorded to say what is slow: {}, {}% of the "
                    "recording. Record several steps.",
                    count == 1 ? "1 kernel or copy" : fmt::format("{} kernels and copies", count),
                    PercentOfSpans(with)),
        with);
  }

  // Device work against the recordings, "0.02".
  std::string PercentOfSpans(const Rows& rows) const {
    const double percent = 100 * static_cast<double>(Sum(rows, Of().device_ns)) /
                           static_cast<double>(std::max<std::int64_t>(1, Sum(rows, Of().span_ns)));
    return percent < 0.01 ? "less than 0.01" : fmt::format("{:.2g}", percent);
  }

  void Truncated() {
    const auto& columns = SchemaOf<DataQuality>();
    const std::set<std::string_view> unread = Unread();
    std::set<std::string_view> cut, stopped;
    for (std::size_t row = 0; row < quality_.row_count(); ++row) {
      const std::string_view code = quality_.String(row, columns.code);
      if (!quality_.IsNull(row, columns.rank) && (code == "truncated" || code == "corrupt_gzip"))
        cut.insert(quality_.String(row, columns.file));
      if (!quality_.IsNull(row, columns.rank) && code == kInflateLimit)
        stopped.insert(quality_.String(row, columns.file));
    }
    const std::size_t files = work_.row_count() + unread.size();
    if (!unread.empty())
      Add("truncated", "high",
          fmt::format("{} of {} files cannot be read (rankscope table data_quality says why).",
                      unread.size(), files),
          {});
    if (!cut.empty())
      Add("truncated", "medium",
          FilesThatEnd(cut.size(), files) +
              " too early: steps of which something is missing do not count.",
          {});
    if (!stopped.empty())
      Add("inflate-limit", "medium",
          StoppedReading(stopped.size(), files) +
              " so the rest is unknown: steps of which something is missing do not count.",
          {});
  }

  void StartUp() {
    const Rows loading = That([&](std::size_t row) { return IsMuch(row, Of().startup_ns); });
    if (loading.empty()) return;
    Add("start-up", "medium",
        "The recording is of the start: loading of the driver and its libraries takes most of it. "
        "Record later steps (torch.profiler.schedule with wait and warmup).",
        loading);
  }

  void SingleStep() {
    const Rows single = That(
        [&](std::size_t row) { return At(row, Of().steps) == 1 && At(row, Of().host_rows) > 0; });
    if (single.empty() || single.rows.size() < work_.row_count()) return;
    Add("single-step", "low",
        "One step was recorded: what is usual, and what of it is start-up, cannot be told. Record "
        "five or more.",
        single);
  }

  void ImpossibleDurations() {
    const Rows with = That([&](std::size_t row) { return At(row, Of().impossible) > 0; });
    if (with.empty()) return;
    const std::size_t worst =
        *std::max_element(with.rows.begin(), with.rows.end(), [&](std::size_t a, std::size_t b) {
          return At(a, Of().impossible_ns) < At(b, Of().impossible_ns);
        });
    const double excess_ms = static_cast<double>(Sum(with, Of().impossible_ns)) / 1e6;
    const std::string where =
        fmt::format("{} on stream {}", work_.String(worst, Of().impossible_kernel),
                    At(worst, Of().impossible_stream));
    const std::int64_t count = Sum(with, Of().impossible);
    Add("impossible-durations", "medium",
        count == 1 ? fmt::format("A kernel's recorded end lies {:.0f} ms after the start of the "
                                 "next kernel on its stream, which is impossible: {}. It is taken "
                                 "to end where the next one starts.",
                                 excess_ms, where)
                   : fmt::format("The recorded ends of {} kernels lie after the start of the next "
                                 "kernel on their stream, by {:.0f} ms in total, which is "
                                 "impossible; the longest is {}. They are taken to end where the "
                                 "next one starts.",
                                 count, excess_ms, where),
        with);
  }

  void ProfilerOverhead() {
    const Rows with = That([&](std::size_t row) {
      return IsMuch(row, Of().profiler_ns) && At(row, Of().complete_steps) == 0;
    });
    if (!with.empty())
      Add("profiler-overhead", "medium",
          "The profiler's own start or end takes most of the recording. Record longer, or leave "
          "the first step out.",
          with);
    CostOfRecording();
  }

  // Where devices idle for the host, and recording may be why.
  void CostOfRecording() {
    const Rows with = That([&](std::size_t row) {
      const auto much =
          static_cast<std::int64_t>(kMuchOfSteps * static_cast<double>(At(row, Of().steps_ns)));
      return At(row, Of().complete_steps) > 0 && At(row, Of().recording_cost_ns) > much &&
             At(row, Of().host_idle_ns) > much;
    });
    if (with.empty()) return;
    const auto steps = static_cast<double>(Sum(with, Of().complete_steps));
    const auto per_step = [&](Column column) {
      return static_cast<double>(Sum(with, column)) / steps;
    };
    std::string what = fmt::format("{:.0f} ops{}", per_step(Of().recorded_ops),
                                   HaveShapes(with) ? " with shapes" : "");
    if (per_step(Of().recorded_frames) >= 1)
      what += fmt::format(", {:.0f} Python frames", per_step(Of().recorded_frames));
    Add("profiler-overhead", "medium",
        fmt::format(
            "The profiler may take {} of the {} of a step on the host ({}); without it a "
            "step takes at least {}, what its devices compute and copy. What findings gain "
            "without the profiler is estimated; record without with_stack and record_shapes to be "
            "sure.",
            HumanDuration(per_step(Of().recording_cost_ns)), HumanDuration(per_step(Of().steps_ns)),
            what, HumanDuration(per_step(Of().busy_ns))),
        with);
  }

  bool HaveShapes(const Rows& rows) const {
    return std::ranges::any_of(rows.rows, [&](std::size_t row) {
      return !work_.IsNull(row, Of().has_shapes) && work_.Bool(row, Of().has_shapes);
    });
  }

  ViewOf<RecordedWork> work_;
  ViewOf<DataQuality> quality_;
  TableOf<Recording> table_ = SchemaOf<Recording>().NewTable(std::string(Recording::kName));
};

Result<Table> DeriveRecording(const InputTables& inputs, const JobContext&, const Options&) {
  return Verdicts(inputs).Make();
}

}  // namespace

const Analysis& RecordingAnalysis() {
  static const Analysis kAnalysis = {
      .name = std::string(Recording::kName),
      .summary = "verdicts on the recordings: what limits all that can be said of the job",
      .definition =
          "From recorded_work and data_quality. device-not-recorded: launches and no device work, "
          "or a file that ends before a step has all of it. "
          "graphs-without-kernels: a quarter of the graph launches or more, or half of the "
          "launches of single work, have no work in the file. "
          "thinned: no graph is launched, and a tenth of the launches or more (32 at least) have "
          "no "
          "work in a file that is whole. "
          "rows-not-understood: no row of a kind that is known, or device rows of a kind that is "
          "not read. too-little-work: fewer than 32 kernels and copies, less than 5% of the "
          "recording, at most one complete step. truncated: files that end too early or cannot be "
          "read. inflate-limit: packed files that inflate far more than any trace does, read up to "
          "there. start-up: 30% or more "
          "of "
          "the recording in calls that load the driver. single-step: one step. "
          "impossible-durations: "
          "see recorded_work. profiler-overhead: no complete step, and 30% or more in the "
          "profiler's own frames; or recording takes an estimated 20% of the complete steps or "
          "more "
          "(recorded_work), and devices idle as long because the host had not issued "
          "work, or was launching it.",
      .example = "rankscope table recording traces/",
      .columns = SchemaOf<Recording>().columns(),
      .inputs = {&RecordedWorkAnalysis(), &DataQualityAnalysis()},
      .derive = DeriveRecording,
  };
  return kAnalysis;
}

}  // namespace rankscope
