#include "analysis/captures/analyses.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "analysis/captures/recording_cost.h"
#include "base/letter_case.h"
#include "base/saturating.h"
#include "base/text.h"
#include "facts/trace_facts.h"
#include "schemas/captures.h"
#include "stage/reduce.h"
#include "table/move_tables.h"
#include "trace/device_api.h"
#include "trace/profiler_frames.h"

namespace rankscope {
namespace {

constexpr std::int64_t kStartUpCallNs = 50'000'000;

// In names of processes that stand for devices, in lower case.
constexpr std::array<std::string_view, 9> kDeviceWords = {
    "gpu", "cuda", "npu", "tpu", "xpu", "hpu", "hardware", "accelerator", "neuron"};

struct Impossible {
  std::int64_t count = 0;
  std::int64_t excess_ns = 0;
  std::int64_t longest_ns = 0;
  Row longest = kNoRow;
  std::int64_t stream = -1;
};

class RecordedOfTrace {
 public:
  explicit RecordedOfTrace(const TraceFacts& facts) : facts_(facts), trace_(facts.trace()) {}

  void AddTo(TableOf<RecordedWork>& table) {
    FindLaunched();
    CountRows();
    const Impossible impossible = FindImpossible();
    const RecordingCost cost = CostOfRecording(facts_);
    const auto& columns = SchemaOf<RecordedWork>();
    const auto complete =
        std::count_if(facts_.rank_steps().steps.begin(), facts_.rank_steps().steps.end(),
                      [](const auto& step) { return step.complete; });
    table.Add({columns.span_ns = trace_.finish_ns - trace_.begin_ns,
               columns.steps = static_cast<std::int64_t>(trace_.steps.size()),
               columns.complete_steps = trace_.steps.empty() ? 0 : std::int64_t{complete},
               columns.launches = launches_,
               columns.launches_without_work = without_work_,
               columns.graph_launches = graph_launches_,
               columns.graph_launches_without_work = graphs_without_work_,
               columns.device_rows = device_rows_,
               columns.cut_device_rows = AreCut() ? device_rows_ : 0,
               columns.device_ns = device_ns_,
               columns.host_rows = host_rows_,
               columns.other_rows = other_rows_,
               columns.unread_device_rows = CountUnread(),
               columns.impossible = impossible.count,
               columns.impossible_ns = impossible.excess_ns,
               columns.impossible_kernel = impossible.longest == kNoRow
                                               ? Value(kNull)
                                               : Value(trace_.name_of(impossible.longest)),
               columns.impossible_stream =
                   impossible.longest == kNoRow ? Value(kNull) : Value(impossible.stream),
               columns.startup_ns = startup_ns_,
               columns.profiler_ns = profiler_ns_,
               columns.steps_ns = cost.steps_ns,
               columns.busy_ns = cost.busy_ns,
               columns.host_idle_ns = cost.host_idle_ns,
               columns.recorded_ops = cost.ops,
               columns.recorded_frames = cost.frames,
               columns.recorded_calls = cost.calls,
               columns.has_shapes = cost.has_shapes,
               columns.recording_cost_ns = cost.EstimateNs(),
               columns.recording_cost_most_ns = cost.most_ns});
  }

 private:
  bool AreCut() const { return facts_.devices().size() < facts_.recorded_devices().size(); }

  void FindLaunched() {
    has_work_.assign(trace_.row_count(), false);
    is_.assign(trace_.strings.size(), Is::kUnasked);
    first_work_ns_ = INT64_MAX;
    for (const DeviceTime& device : facts_.recorded_devices()) {
      for (const Row row : device.work) {
        first_work_ns_ = std::min(first_work_ns_, trace_.ts_ns[row]);
        if (const Row launch = trace_.link[row]; launch != kNoRow) has_work_[launch] = true;
      }
    }
  }

  void CountRows() {
    for (Row row = 0; row < trace_.row_count(); ++row) {
      switch (trace_.kind[row]) {
        case EventKind::kKernel:
        case EventKind::kMemcpy:
        case EventKind::kMemset:
          ++device_rows_;
          AddSaturating(device_ns_, std::max<std::int64_t>(trace_.dur_ns[row], 0));
          break;
        case EventKind::kRuntime:
          if (trace_.track_of(row).domain != Domain::kHost) break;  // set aside (stray_calls.h)
          ++host_rows_;
          AddCall(row);
          break;
        case EventKind::kCpuOp:
        case EventKind::kUserAnnotation:
        case EventKind::kPythonFunction:
          ++host_rows_;
          AddFrame(row);
          break;
        case EventKind::kOther:
        case EventKind::kInstant:
        case EventKind::kCounter:
          ++other_rows_;
          break;
        default:
          break;
      }
    }
  }

  enum class Is : std::uint8_t { kUnasked, kLaunch, kGraphLaunch, kProfiler, kOther };
  // What rows of that name are; asked once a name.
  Is Of(StringId name) {
    Is& is = is_[name];
    if (is != Is::kUnasked) return is;
    const std::string_view text = trace_.strings.Get(name);
    is = IsGraphLaunchCall(text)   ? Is::kGraphLaunch
         : IsLaunchCall(text)      ? Is::kLaunch
         : IsFrameOfProfiler(text) ? Is::kProfiler
                                   : Is::kOther;
    return is;
  }

  void AddCall(Row row) {
    const Is is = Of(trace_.name[row]);
    if (is == Is::kGraphLaunch) {
      ++graph_launches_;
      graphs_without_work_ += has_work_[row] ? 0 : 1;
    } else if (is == Is::kLaunch) {
      ++launches_;
      without_work_ += has_work_[row] ? 0 : 1;
    }
    // What waits for the device may well be long.
    if (trace_.dur_ns[row] < kStartUpCallNs || trace_.ts_ns[row] > first_work_ns_) return;
    const std::string_view name = trace_.name_of(row);
    if (!IsSynchronizeCall(name) && !AllocatorAction(name))
      AddSaturating(startup_ns_, trace_.dur_ns[row]);
  }

  void AddFrame(Row row) {
    if (trace_.dur_ns[row] > 0 && Of(trace_.name[row]) == Is::kProfiler)
      profiler_ns_ = std::max(profiler_ns_, trace_.dur_ns[row]);
  }

  // "/device:GPU:0/stream:all Compute", "GPU 0", "Ascend Hardware". Tracks beside threads and
  // streams whose ids are numbers are those that the reader of the format put there: it knows their
  // rows.
  // Words are runs of letters: "Input" has no "npu".
  bool IsOfUnreadDevice(const Track& track) const {
    if (track.domain != Domain::kHost && (track.domain != Domain::kOther || track.first >= 0))
      return false;
    const std::string process = LowerCase(trace_.strings.Get(track.process));
    bool names_device = Contains(process, "/device:");
    std::string word;
    for (std::size_t i = 0; i <= process.size(); ++i) {
      if (i < process.size() && std::isalpha(static_cast<unsigned char>(process[i])) != 0) {
        word.push_back(process[i]);
        continue;
      }
      if (word == "cpu") return false;
      names_device = names_device || std::find(kDeviceWords.begin(), kDeviceWords.end(), word) !=
                                         kDeviceWords.end();
      word.clear();
    }
    return names_device;
  }

  std::int64_t CountUnread() const {
    std::int64_t count = 0;
    for (const Track& track : trace_.tracks) {
      if (track.begin == track.end || !IsOfUnreadDevice(track)) continue;
      for (Row row = track.begin; row < track.end; ++row)
        count += trace_.kind[row] == EventKind::kOther && trace_.dur_ns[row] > 0;
    }
    return count;
  }

  Impossible FindImpossible() const {
    Impossible found;
    for (const CutWork& cut : trace_.cut_work) {
      const std::int64_t excess = cut.stated_ns - trace_.dur_ns[cut.row];
      ++found.count;
      AddSaturating(found.excess_ns, excess);
      if (excess <= found.longest_ns) continue;
      found.longest_ns = excess;
      found.longest = cut.row;
      found.stream = trace_.track_of(cut.row).second;
    }
    return found;
  }

  const TraceFacts& facts_;
  const RankTrace& trace_;
  std::vector<bool> has_work_;  // by row
  std::vector<Is> is_;          // by name
  std::int64_t first_work_ns_ = INT64_MAX;
  std::int64_t launches_ = 0, without_work_ = 0, graph_launches_ = 0, graphs_without_work_ = 0;
  std::int64_t device_rows_ = 0, device_ns_ = 0, host_rows_ = 0, other_rows_ = 0;
  std::int64_t startup_ns_ = 0, profiler_ns_ = 0;
};

std::vector<Table> MapRecordedWork(const TraceFacts& facts, const MapOptions&) {
  auto table = SchemaOf<RecordedWork>().NewPartial(std::string(RecordedWork::kName));
  RecordedOfTrace(facts).AddTo(table);
  return MoveTables(std::move(table));
}

}  // namespace

const Analysis& RecordedWorkAnalysis() {
  static const Analysis kAnalysis = {
      .name = std::string(RecordedWork::kName),
      .summary = "what each recording has of its rank's work, and what in it cannot be",
      .definition =
          "A row for each recording. A launch without work is a call that puts work on a device of "
          "which the file has none. A kernel's duration is impossible when it ends 1 ms or more "
          "behind the begin of the next work of its stream, by half of the duration or more: it is "
          "taken to end at that begin, and impossible_ns is what all of them state beyond it. "
          "Kernels of graphs, and streams where more than a twentieth do so, run side by side and "
          "keep their durations. A process is a device's by its name: /device:GPU:0, GPU 0, Ascend "
          "Hardware. recording_cost_ns is an estimate by PyTorch 2.11 on the host of an H200, "
          "where 33 programs were timed with and without the profiler: 2 to 6 us an op; on hosts "
          "where ops follow each other faster than that, recording_cost_most_ns.",
      .example = "rankscope table recorded_work traces/",
      .columns = SchemaOf<RecordedWork>().columns(),
      .mapper = {.name = std::string(RecordedWork::kName),
                 .version = 9,
                 .tables = {SchemaOf<RecordedWork>().BareColumns()},
                 .map = MapRecordedWork},
      .reducer = JoinRows<RecordedWork>(SchemaOf<RecordedWork>().span_ns),
  };
  return kAnalysis;
}

}  // namespace rankscope
