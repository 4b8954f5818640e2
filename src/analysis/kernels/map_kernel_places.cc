#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/graphs/graph_join.h"
#include "analysis/kernels/kernel_places.h"
#include "analysis/op_models/modelled_ops.h"
#include "base/saturating.h"
#include "facts/places/work_places.h"
#include "facts/windows.h"
#include "op_cost/device_name.h"
#include "table/or_null.h"
#include "trace/device_api.h"

namespace rankscope {

template const KernelPlacePartial& SchemaOf<KernelPlacePartial>();
template const GraphKernelPartial& SchemaOf<GraphKernelPartial>();

namespace {

struct PlaceKey {
  StringId name = kEmptyString;
  StringId op = kEmptyString;
  StringId shapes = kEmptyString;
  StringId group = kEmptyString;
  std::uint32_t code = UINT32_MAX;  // LaunchPlace::code
  std::uint32_t cost = UINT32_MAX;  // ModelledOps::IndexOfOwner
  std::uint32_t device = 0;         // index into TraceFacts::devices
  std::uint8_t phase = kPhaseCount;
  std::uint8_t kernel_class = 0;

  KernelClass for_what() const { return static_cast<KernelClass>(kernel_class); }
  friend bool operator==(const PlaceKey&, const PlaceKey&) = default;
  friend std::size_t hash_value(const PlaceKey& key) {
    const auto pair = [](std::uint64_t high, std::uint64_t low) { return high << 32 | low; };
    std::uint64_t hash = pair(key.name, key.op);
    for (const std::uint64_t part : {pair(key.shapes, key.group), pair(key.code, key.cost),
                                     pair(key.device, key.phase << 8U | key.kernel_class)}) {
      hash = (hash ^ part) * 0x9E3779B97F4A7C15;
      hash ^= hash >> 29;
    }
    return static_cast<std::size_t>(hash);
  }
};

struct PlaceSum {
  Row work = kNoRow;     // the first of them
  Row cost_op = kNoRow;  // one of them
  std::int64_t count = 0;
  std::int64_t total_ns = 0;
  std::int64_t runs = 0;
};

class RankPlaces {
 public:
  RankPlaces(const TraceFacts& facts, const StepFilter& steps)
      : facts_(facts),
        trace_(facts.trace()),
        windows_(Windows::OfHost(facts, steps)),
        places_(facts, windows_),
        ops_(trace_),
        is_graph_launch_(trace_.strings.size()),
        is_counted_(trace_.row_count()) {
    for (StringId id = 0; id < is_graph_launch_.size(); ++id)
      is_graph_launch_[id] = IsGraphLaunchCall(trace_.strings.Get(id)) ? 1 : 0;
    for (std::uint32_t device = 0; device < facts.recorded_devices().size(); ++device) {
      for (const Row work : facts.recorded_devices()[device].work) Add(device, work);
    }
  }

  // The `most` with the most time, 0 = all; the rest by kernel, without its places.
  Table Places(std::size_t most) const {
    using Entry = std::pair<PlaceKey, PlaceSum>;
    std::vector<Entry> rows(sums_.begin(), sums_.end());
    const auto order = [](const Entry& entry) {
      return std::tuple(-entry.second.total_ns, entry.second.work, entry.first.device);
    };
    std::sort(rows.begin(), rows.end(),
              [&](const Entry& a, const Entry& b) { return order(a) < order(b); });
    auto table = SchemaOf<KernelPlacePartial>().NewPartial("kernel_places");
    const std::size_t kept = most == 0 ? rows.size() : std::min(most, rows.size());
    for (std::size_t i = 0; i < kept; ++i) AddRow(table, rows[i].first, rows[i].second);
    std::map<std::pair<StringId, KernelClass>, PlaceSum> rest;
    for (std::size_t i = kept; i < rows.size(); ++i) {
      PlaceSum& sum = rest[{rows[i].first.name, rows[i].first.for_what()}];
      sum.count += rows[i].second.count;
      AddSaturating(sum.total_ns, rows[i].second.total_ns);
    }
    const auto& columns = SchemaOf<KernelPlacePartial>();
    for (const auto& [key, sum] : rest) {
      table.Add({columns.name = trace_.strings.Get(key.first),
                 columns.class_ = ToString(key.second), columns.work = ToString(WorkOf(key.second)),
                 columns.op = kOtherPlaces, columns.count = sum.count,
                 columns.total_ns = sum.total_ns});
    }
    return table;
  }

  Table GraphKernels() const {
    const auto& columns = SchemaOf<GraphKernelPartial>();
    auto table = columns.NewPartial("kernel_places_of_graphs");
    for (const auto& [name, kernel_class] : graph_kernels_) {
      table.Add({columns.name = trace_.strings.Get(name), columns.class_ = ToString(kernel_class),
                 columns.work = ToString(WorkOf(kernel_class))});
    }
    return table;
  }

 private:
  void Add(std::uint32_t device, Row work) {
    if (windows_.OfWork(work) == Windows::kNone) return;
    const KernelClass kernel_class = facts_.classes().ClassOf(work);
    const Row launch = trace_.link[work];
    if (launch != kNoRow && is_graph_launch_[trace_.name[launch]] != 0) {
      graph_kernels_.emplace(trace_.name[work], kernel_class);
      return;
    }
    const LaunchPlace place = places_.Of(work);
    const Row cost_op = WorkOf(kernel_class) == WorkClass::kCompute ? ops_.OwnerOf(work) : kNoRow;
    PlaceSum& sum = sums_[{.name = trace_.name[work],
                           .op = place.op == kNoRow ? kEmptyString : trace_.name[place.op],
                           .shapes = place.shapes,
                           .group = ProcessGroupOf(trace_, work),
                           .code = place.code,
                           .cost = cost_op == kNoRow ? UINT32_MAX : ops_.IndexOfOwner(cost_op),
                           .device = device,
                           .phase = place.phase,
                           .kernel_class = static_cast<std::uint8_t>(kernel_class)}];
    if (sum.work == kNoRow) {
      sum.work = work;
      sum.cost_op = cost_op;
    }
    ++sum.count;
    AddSaturating(sum.total_ns, std::max<std::int64_t>(trace_.dur_ns[work], 0));
    if (cost_op == kNoRow || is_counted_[cost_op] != 0) return;
    is_counted_[cost_op] = 1;
    ++sum.runs;
  }

  void AddRow(TableOf<KernelPlacePartial>& table, const PlaceKey& key, const PlaceSum& sum) const {
    const auto& columns = SchemaOf<KernelPlacePartial>();
    const LaunchPlace place = places_.Of(sum.work);
    const auto text = [&](StringId id) { return TextOrNull(trace_.strings.Get(id)); };
    const std::string_view phase =
        key.phase < kPhaseCount ? ToString(static_cast<HostPhase>(key.phase)) : "";
    const std::string_view device =
        NameOfDevice(trace_, facts_.recorded_devices()[key.device].device);
    const bool has_cost = sum.cost_op != kNoRow;
    const OpCost* cost = has_cost ? &ops_.CostOfOwner(sum.cost_op) : nullptr;
    const auto of_cost = [&](auto value) { return has_cost ? Value(value(*cost)) : Value(kNull); };
    table.Add({columns.name = trace_.strings.Get(key.name),
               columns.class_ = ToString(key.for_what()),
               columns.work = ToString(WorkOf(key.for_what())),
               columns.op = text(key.op),
               columns.shapes = text(key.shapes),
               columns.module = TextOrNull(places_.module(place)),
               columns.line = TextOrNull(places_.line(place)),
               columns.phase = TextOrNull(phase),
               columns.group = text(key.group),
               columns.count = sum.count,
               columns.total_ns = sum.total_ns,
               columns.cost_op = has_cost ? Value(trace_.name_of(sum.cost_op)) : Value(kNull),
               columns.cost_family = of_cost([](const OpCost& c) { return ToString(c.family); }),
               columns.cost_shapes = has_cost ? Value(trace_.strings.Get(
                                                    trace_.ops[trace_.aux[sum.cost_op]].input_dims))
                                              : Value(kNull),
               columns.cost_dtype = has_cost ? TextOrNull(cost->dtype) : Value(kNull),
               columns.device = TextOrNull(device),
               columns.flops = of_cost([](const OpCost& c) { return c.flops; }),
               columns.bytes = of_cost([](const OpCost& c) { return c.bytes; }),
               columns.fits = of_cost([](const OpCost& c) { return c.fits_matrix_cores; }),
               columns.lower_bound = of_cost([](const OpCost& c) { return c.is_lower_bound; }),
               columns.runs = sum.runs});
  }

  const TraceFacts& facts_;
  const RankTrace& trace_;
  const Windows windows_;
  const WorkPlaces places_;
  const ModelledOps ops_;
  std::vector<std::uint8_t> is_graph_launch_;  // by name
  std::vector<std::uint8_t> is_counted_;       // by row of an op
  boost::unordered_flat_map<PlaceKey, PlaceSum> sums_;
  std::map<StringId, KernelClass> graph_kernels_;
};

}  // namespace

std::vector<Table> MapKernelPlaces(const TraceFacts& facts, const MapOptions& options) {
  const RankPlaces places(facts, options.steps);
  std::vector<Table> tables = MapGraphs(facts, options.steps);
  tables.insert(tables.begin(), places.GraphKernels());
  tables.insert(tables.begin(),
                places.Places(static_cast<std::size_t>(CountOption(options.values, "places"))));
  return tables;
}

std::vector<std::vector<ColumnSpec>> KernelPlacePartials() {
  std::vector<std::vector<ColumnSpec>> columns = GraphPartialColumns();
  columns.insert(columns.begin(), SchemaOf<GraphKernelPartial>().BareColumns());
  columns.insert(columns.begin(), SchemaOf<KernelPlacePartial>().BareColumns());
  return columns;
}

}  // namespace rankscope
