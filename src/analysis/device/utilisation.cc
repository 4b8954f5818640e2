#include "analysis/device/analyses.h"

#include <algorithm>
#include <utility>

#include "facts/trace_facts.h"
#include "facts/window_pieces.h"
#include "schemas/device.h"
#include "stage/reduce.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

struct UtilisationSums {
  double sm_time = 0;         // sum of share of SMs * ns
  double kernel_time = 0;     // integral of the number of running kernels
  double with_blocks = 0;     // of those that state their blocks
  double occupancy_time = 0;  // sum of occupancy * ns
  double with_occupancy = 0;
};

// Kernels of a device: what they occupy, window by window.
class Occupation {
 public:
  Occupation(const RankTrace& trace, const DeviceTime& device, const Windows& windows)
      : sums_(windows.size()) {
    for (const Row row : device.work) {
      if (trace.kind[row] == EventKind::kKernel && trace.dur_ns[row] > 0) Add(trace, row, windows);
    }
    SweepKernels(windows);
  }
  const UtilisationSums& operator[](std::size_t window) const { return sums_[window]; }
  bool any_blocks() const { return any_blocks_; }
  // All kernels, united.
  IntervalSet Extents() { return Normalise(std::move(extents_)); }

 private:
  struct Change {
    std::int64_t t;
    std::int32_t kernels;  // +1: one begins; -1: it ends
    bool has_blocks;
    double blocks_per_sm;
  };

  void Add(const RankTrace& trace, Row row, const Windows& windows) {
    const Interval extent{trace.ts_ns[row], trace.end_ns(row)};
    extents_.push_back(extent);
    const KernelArgs* args = trace.aux[row] == kNoAux ? nullptr : &trace.kernels[trace.aux[row]];
    const bool has_blocks = args != nullptr && args->blocks_per_sm >= 0;
    // More than one per multiprocessor fill all of them, however many more.
    const double blocks = has_blocks ? std::min(static_cast<double>(args->blocks_per_sm), 1.0) : 0;
    any_blocks_ |= has_blocks;
    changes_.push_back({extent.begin, 1, has_blocks, blocks});
    changes_.push_back({extent.end, -1, has_blocks, blocks});
    const std::size_t window = windows.OfWork(row);
    if (window == Windows::kNone || args == nullptr || !(args->occupancy_pct >= 0)) return;
    const auto duration = static_cast<double>(extent.end - extent.begin);
    sums_[window].with_occupancy += duration;
    sums_[window].occupancy_time +=
        std::min(static_cast<double>(args->occupancy_pct), 100.0) * duration;
  }

  // Kernels that run together fill multiprocessors together, up to all of them.
  void SweepKernels(const Windows& windows) {
    std::sort(changes_.begin(), changes_.end(),
              [](const Change& a, const Change& b) { return a.t < b.t; });
    WindowPieces pieces(windows);
    double blocks = 0;
    std::int64_t running = 0;
    std::int64_t with_blocks = 0;
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      if (running > 0) {
        pieces.Divide({changes_[i - 1].t, changes_[i].t},
                      [&](std::size_t window, std::int64_t length) {
                        const auto ns = static_cast<double>(length);
                        sums_[window].kernel_time += static_cast<double>(running) * ns;
                        sums_[window].with_blocks += static_cast<double>(with_blocks) * ns;
                        sums_[window].sm_time += std::clamp(blocks, 0.0, 1.0) * ns;
                      });
      }
      const Change& change = changes_[i];
      running += change.kernels;
      if (!change.has_blocks) continue;
      with_blocks += change.kernels;
      blocks += change.kernels * change.blocks_per_sm;
      if (with_blocks == 0) blocks = 0;  // no remainder of rounding is carried on
    }
  }

  std::vector<UtilisationSums> sums_;
  std::vector<Interval> extents_;
  std::vector<Change> changes_;
  bool any_blocks_ = false;
};

Value Percent(double part, double whole) {
  return whole > 0 ? Value(100 * part / whole) : Value(kNull);
}

std::vector<Table> MapUtilisation(const TraceFacts& facts, const MapOptions& options) {
  const auto& columns = SchemaOf<Utilisation>();
  auto table = columns.NewPartial("utilisation");
  for (const DeviceTime& device : facts.devices()) {
    const Windows windows = Windows::OfDevice(facts, device, options.steps);
    Occupation occupation(facts.trace(), device, windows);
    const IntervalSet kernels = occupation.Extents();
    for (std::size_t w = 0; w < windows.size(); ++w) {
      const Window& window = windows[w];
      if (!window.HasExtent()) continue;
      const UtilisationSums& sums = occupation[w];
      const std::int64_t duration = window.Duration();
      const std::int64_t observed = duration - window.TotalOf(device.not_observed);
      const std::int64_t busy = window.TotalOf(device.compute) +
                                window.TotalOf(device.exposed_communication) +
                                window.TotalOf(device.exposed_copy);
      const auto of_window = [&](double part) {
        return Percent(part, static_cast<double>(observed));
      };
      // Where kernels state their blocks and none runs, nothing is occupied.
      const bool is_known =
          sums.with_blocks > 0 || (occupation.any_blocks() && sums.kernel_time == 0);
      table.Add({columns.device = device.device, columns.step = window.StepValue(),
                 columns.duration_ns = duration, columns.busy_ns = busy,
                 columns.busy_pct = of_window(static_cast<double>(busy)),
                 columns.kernel_ns = window.TotalOf(kernels),
                 columns.sm_efficiency_pct = is_known ? of_window(sums.sm_time) : Value(kNull),
                 columns.occupancy_pct = sums.with_occupancy > 0
                                             ? Value(sums.occupancy_time / sums.with_occupancy)
                                             : Value(kNull),
                 columns.known_pct = Percent(sums.with_blocks, sums.kernel_time),
                 columns.complete = window.complete});
    }
  }
  return MoveTables(std::move(table));
}

}  // namespace

const Analysis& UtilisationAnalysis() {
  static const Analysis kAnalysis = {
      .name = "utilisation",
      .summary = "how busy a device is, and how full: time, multiprocessors, occupancy",
      .definition =
          "busy_pct = 100 * time with any work / observed duration. sm_efficiency_pct = 100 * "
          "integral over "
          "the window of min(1, sum of 'blocks per SM' of the running kernels) / duration: idle "
          "time counts as 0, so it is at most busy_pct; kernels that do not state their blocks "
          "count as 0 too, known_pct says how many do. occupancy_pct = sum of 'est. achieved "
          "occupancy %' * duration / sum of duration over the kernels launched in the step that "
          "state it. The two estimates follow the idea of PyTorch's TensorBoard plug-in (GPU "
          "summary).",
      .example = "rankscope table utilisation traces/",
      .columns = SchemaOf<Utilisation>().columns(),
      .mapper = {.name = "utilisation",
                 .version = 3,
                 .tables = {SchemaOf<Utilisation>().BareColumns()},
                 .map = MapUtilisation},
      .reducer = JoinRows<Utilisation>(SchemaOf<Utilisation>().step),
  };
  return kAnalysis;
}

}  // namespace rankscope
