#include "analysis/kernels/outlier_rows.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "statistics/statistics.h"

namespace rankscope {
namespace {

using Shape = std::array<std::int64_t, 6>;

Shape ShapeOf(const RankTrace& trace, Row row) {
  if (trace.aux[row] == kNoAux) return {};
  if (trace.kind[row] != EventKind::kKernel) return {trace.copies[trace.aux[row]].bytes};
  const KernelArgs& args = trace.kernels[trace.aux[row]];
  return {args.grid[0], args.grid[1], args.grid[2], args.block[0], args.block[1], args.block[2]};
}

// Input shapes of the op that launched the work: matrices of many sizes run on one grid. The empty
// string when the trace has none; bounded, as nesting may be deep.
StringId InputsOf(const RankTrace& trace, Row row) {
  Row above = trace.link[row];
  for (int level = 0; level < 16 && above != kNoRow; ++level) {
    const bool is_op = trace.kind[above] == EventKind::kCpuOp && trace.aux[above] != kNoAux;
    if (is_op && trace.ops[trace.aux[above]].input_dims != kEmptyString)
      return trace.ops[trace.aux[above]].input_dims;
    above = trace.parent[above];
  }
  return kEmptyString;
}

struct Item {
  StringId name;
  Shape shape;
  StringId inputs;
  Row row;
  auto Like() const { return std::tie(name, shape, inputs); }
};

// Items [begin, end) are alike.
void FindAmong(const RankTrace& trace, const Item* begin, const Item* end,
               std::vector<std::int64_t>& durations, std::vector<OutlierRow>& outliers) {
  durations.clear();
  for (const Item* item = begin; item != end; ++item) durations.push_back(trace.dur_ns[item->row]);
  std::sort(durations.begin(), durations.end());
  const double median = Quantile(durations, 0.5);
  const double p75 = Quantile(durations, 0.75);
  const double fence = std::max(p75 + 3 * (p75 - Quantile(durations, 0.25)), 1.5 * median);
  if (static_cast<double>(durations.back()) <= fence) return;
  for (const Item* item = begin; item != end; ++item) {
    if (static_cast<double>(trace.dur_ns[item->row]) > fence)
      outliers.push_back({item->row, median});
  }
}

}  // namespace

std::vector<OutlierRow> FindOutliers(const TraceFacts& facts, const Windows& windows) {
  const RankTrace& trace = facts.trace();
  std::vector<OutlierRow> outliers;
  std::vector<std::int64_t> durations;
  for (const DeviceTime& device : facts.recorded_devices()) {
    std::vector<Item> items;
    items.reserve(device.work.size());
    for (const Row row : device.work) {
      if (windows.OfWork(row) != Windows::kNone)
        items.push_back({trace.name[row], ShapeOf(trace, row), InputsOf(trace, row), row});
    }
    std::sort(items.begin(), items.end(),
              [](const Item& a, const Item& b) { return a.Like() < b.Like(); });
    const std::size_t first_of_device = outliers.size();
    for (std::size_t begin = 0, end = 0; begin < items.size(); begin = end) {
      while (end < items.size() && items[end].Like() == items[begin].Like()) ++end;
      FindAmong(trace, items.data() + begin, items.data() + end, durations, outliers);
    }
    std::sort(outliers.begin() + static_cast<std::ptrdiff_t>(first_of_device), outliers.end(),
              [&](const OutlierRow& a, const OutlierRow& b) {
                return std::tie(trace.ts_ns[a.row], a.row) < std::tie(trace.ts_ns[b.row], b.row);
              });
  }
  return outliers;
}

}  // namespace rankscope
