#include "replay/operations.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/median.h"
#include "schemas/straggler.h"

namespace rankscope {
namespace {

// Clocks of ranks differ; a transfer that would end this long before it begins is none.
constexpr double kLeastTransferSeconds = -0.01;
constexpr std::size_t kNoUnit = SIZE_MAX;

// With whom an operation begins.
enum class Meets { kNobody, kNeighbour, kReplicas, kEnds, kAll };

struct TypeInfo {
  std::string_view name;
  Meets meets = Meets::kNobody;
  bool is_computing = false;  // idealised by the mean; else by the median
  std::string_view key;       // of the row; "" = the name
};

// The first seven are told apart by their place in the list of known types.
enum Known : std::size_t {
  kForward,
  kBackward,
  kForwardSend,
  kForwardReceive,
  kBackwardSend,
  kBackwardReceive,
  kGather,
};
constexpr std::array kKnown = {
    TypeInfo{"forward-compute", Meets::kNobody, true, ""},
    TypeInfo{"backward-compute", Meets::kNobody, true, ""},
    TypeInfo{"forward-send", Meets::kNeighbour, false, "forward-pp-comm"},
    TypeInfo{"forward-recv", Meets::kNeighbour, false, "forward-pp-comm"},
    TypeInfo{"backward-send", Meets::kNeighbour, false, "backward-pp-comm"},
    TypeInfo{"backward-recv", Meets::kNeighbour, false, "backward-pp-comm"},
    TypeInfo{"params-all-gather", Meets::kReplicas, false, ""},
    TypeInfo{"grads-reduce-scatter", Meets::kReplicas, false, ""},
    // Of tensor parallel ranks, which are one here.
    TypeInfo{"layernorm-grads-all-reduce", Meets::kNobody, false, ""},
    TypeInfo{"embedding-grads-all-reduce", Meets::kEnds, false, ""},
    TypeInfo{"optimizer-clip-main-grad", Meets::kAll, false, ""},
    TypeInfo{"optimizer", Meets::kNobody, true, ""},
    TypeInfo{"gc", Meets::kNobody, true, ""},
};

struct Operation {
  std::int64_t step = 0;
  std::int64_t dp_rank = 0;
  std::int64_t chunk = 0;
  std::size_t stage = 0;  // its place among the stages
  std::size_t type = 0;   // its place among the types
  double start_s = 0;
  double duration_s = 0;
  double transfer_s = 0;  // what it takes once all are there
};

// The whole table: what is known of all steps.
struct AllOperations {
  std::vector<Operation> operations;  // by step, in the order of the table
  std::vector<std::int64_t> stages;   // ascending
  std::vector<std::string> types;     // those of kKnown first
  std::int64_t first_chunk = 0;
  std::int64_t last_chunk = 0;

  bool IsComputing(std::size_t type) const {
    return type >= kKnown.size() || kKnown[type].is_computing;
  }
  std::string_view KeyOf(std::size_t type) const {
    if (type < kKnown.size() && !kKnown[type].key.empty()) return kKnown[type].key;
    return types[type];
  }
};

std::size_t PlaceOf(std::vector<std::string>& types, std::string_view name) {
  const auto found = std::find(types.begin(), types.end(), name);
  if (found != types.end()) return static_cast<std::size_t>(found - types.begin());
  types.emplace_back(name);
  return types.size() - 1;
}

Result<AllOperations> Read(const Table& operations) {
  const auto& columns = SchemaOf<Operations>();
  if (!columns.Fits(operations)) {
    return Error(StatusCode::kBadData, "{} is no table of operations", operations.name());
  }
  const ViewOf<Operations> table = operations;
  if (table.row_count() == 0) {
    return Error(StatusCode::kBadData, "the table of operations is empty");
  }
  AllOperations work;
  for (const TypeInfo& type : kKnown) work.types.emplace_back(type.name);
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    const auto step = table.Known(row, columns.step);
    const auto dp_rank = table.Known(row, columns.dp_rank);
    const auto stage = table.Known(row, columns.stage);
    const auto start = table.Known(row, columns.start_ts);
    const auto duration = table.Known(row, columns.duration);
    if (!step || !dp_rank || !stage || !start || !duration || table.IsNull(row, columns.optype) ||
        *duration < 0) {
      return Error(
          StatusCode::kBadData,
          "row {} of the operations lacks a step, rank, stage, type, start or duration, or "
          "its duration is negative",
          row + 1);
    }
    Operation operation{.step = *step,
                        .dp_rank = *dp_rank,
                        .chunk = table.Known(row, columns.mc).value_or(-1),
                        .type = PlaceOf(work.types, table.String(row, columns.optype)),
                        .start_s = *start,
                        .duration_s = *duration};
    const auto place = std::lower_bound(work.stages.begin(), work.stages.end(), *stage);
    if (place == work.stages.end() || *place != *stage) work.stages.insert(place, *stage);
    work.operations.push_back(operation);
  }
  for (std::size_t row = 0; row < work.operations.size(); ++row) {
    const auto place =
        std::lower_bound(work.stages.begin(), work.stages.end(), *table.Known(row, columns.stage));
    work.operations[row].stage = static_cast<std::size_t>(place - work.stages.begin());
  }
  bool any = false;
  for (const Operation& operation : work.operations) {
    if (operation.type != kForward && operation.type != kBackward) continue;
    work.first_chunk = any ? std::min(work.first_chunk, operation.chunk) : operation.chunk;
    work.last_chunk = any ? std::max(work.last_chunk, operation.chunk) : operation.chunk;
    any = true;
  }
  std::stable_sort(work.operations.begin(), work.operations.end(),
                   [](const Operation& a, const Operation& b) { return a.step < b.step; });
  return work;
}

// A step's operations, what each follows, and the order in which they can be replayed.
class StepGraph {
 public:
  // Sets transfer_s of the operations.
  static Result<StepGraph> Make(const AllOperations& work, std::vector<Operation>& all,
                                std::size_t begin, std::size_t end) {
    StepGraph graph(work, all, begin, end);
    RS_RETURN_IF_ERROR(graph.FollowLanes());
    RS_RETURN_IF_ERROR(graph.Meet());
    RS_RETURN_IF_ERROR(graph.Order());
    return graph;
  }

  // The length of the step when each operation takes `length(operation)`.
  template <typename Length>
  double Replay(const Length& length) {
    double last = 0;
    ends_.assign(size_, 0);
    for (const std::size_t unit : order_) {
      double begin = 0;
      for (const std::size_t member : units_[unit]) {
        for (const std::size_t before : before_[member]) begin = std::max(begin, ends_[before]);
      }
      for (const std::size_t member : units_[unit]) {
        ends_[member] = begin + length(At(member));
        last = std::max(last, ends_[member]);
      }
    }
    return last;
  }

 private:
  using List = std::vector<std::size_t>;
  // What one rank does, by type and in order.
  struct Lane {
    std::map<std::size_t, List> of_type;
    List chain;  // all but sends, receives and gathers
  };

  StepGraph(const AllOperations& work, std::vector<Operation>& all, std::size_t begin,
            std::size_t end)
      : work_(&work), all_(&all), begin_(begin), size_(end - begin), before_(end - begin) {}

  Operation& At(std::size_t i) const { return (*all_)[begin_ + i]; }
  std::int64_t Step() const { return At(0).step; }

  void Follow(const List& list) {
    for (std::size_t i = 1; i < list.size(); ++i) before_[list[i]].push_back(list[i - 1]);
  }

  Status FollowLanes() {
    List by_start(size_);
    std::iota(by_start.begin(), by_start.end(), std::size_t{0});
    std::stable_sort(by_start.begin(), by_start.end(),
                     [&](std::size_t a, std::size_t b) { return At(a).start_s < At(b).start_s; });
    for (const std::size_t i : by_start) {
      Lane& lane = lanes_[{At(i).dp_rank, At(i).stage}];
      lane.of_type[At(i).type].push_back(i);
      const bool is_aside = At(i).type >= kForwardSend && At(i).type <= kGather;
      if (!is_aside) lane.chain.push_back(i);
    }
    for (auto& [place, lane] : lanes_) {
      Follow(lane.chain);
      for (const std::size_t type :
           {kForwardSend, kForwardReceive, kBackwardSend, kBackwardReceive})
        Follow(lane.of_type[type]);
      const std::size_t stage = place.second;
      const std::size_t last = work_->stages.size() - 1;
      const auto is_begin = [&](std::size_t pass) {
        return stage == 0 && At(pass).chunk == work_->first_chunk;
      };
      const auto is_end = [&](std::size_t pass) {
        return stage == last && At(pass).chunk == work_->last_chunk;
      };
      RS_RETURN_IF_ERROR(Wire(lane, kForward, kForwardReceive, kForwardSend, is_begin, is_end));
      RS_RETURN_IF_ERROR(Wire(lane, kBackward, kBackwardReceive, kBackwardSend, is_end, is_begin));
      FollowGathers(lane);
      PostFirstReceive(lane);
    }
    return OkStatus();
  }

  // Receives before the passes that need one, sends after those that make one.
  template <typename IsFirst, typename IsLast>
  Status Wire(Lane& lane, Known pass, Known receive, Known send, const IsFirst& is_first,
              const IsLast& is_last) {
    const List& receives = lane.of_type[receive];
    const List& sends = lane.of_type[send];
    List needing;
    List making;
    const List& passes = lane.of_type[pass];
    for (const std::size_t one : passes) {
      if (!is_first(one)) needing.push_back(one);
      if (!is_last(one)) making.push_back(one);
    }
    const auto check = [&](const List& list, const List& of, Known type) {
      if (list.size() == of.size()) return OkStatus();
      return Error(StatusCode::kBadData,
                   "in step {} dp rank {}, stage {} has {} of {} for {} passes that need one",
                   Step(), At(passes.empty() ? list.front() : passes.front()).dp_rank,
                   work_->stages[At(passes.empty() ? list.front() : passes.front()).stage],
                   list.size(), kKnown[type].name, of.size());
    };
    RS_RETURN_IF_ERROR(check(receives, needing, receive));
    RS_RETURN_IF_ERROR(check(sends, making, send));
    for (std::size_t i = 0; i < receives.size(); ++i) {
      before_[needing[i]].push_back(receives[i]);
      // Posted when the pass of its kind before is done.
      const auto own = std::find(passes.begin(), passes.end(), needing[i]);
      if (own != passes.begin()) before_[receives[i]].push_back(*(own - 1));
    }
    for (std::size_t i = 0; i < sends.size(); ++i) before_[sends[i]].push_back(making[i]);
    return OkStatus();
  }

  // The first backward receive is posted behind the last pass but one before the first backward.
  void PostFirstReceive(Lane& lane) {
    const List& receives = lane.of_type[kBackwardReceive];
    const List& passes = lane.of_type[kBackward];
    if (receives.empty() || passes.empty()) return;
    const auto first = std::find(lane.chain.begin(), lane.chain.end(), passes.front());
    if (first - lane.chain.begin() >= 2) before_[receives.front()].push_back(*(first - 2));
  }

  void FollowGathers(Lane& lane) {
    const List& passes = lane.of_type[kForward];
    const List& gathers = lane.of_type[kGather];
    Follow(gathers);
    for (const std::size_t gather : gathers) {
      const auto own = std::find_if(passes.begin(), passes.end(), [&](std::size_t pass) {
        return At(pass).chunk == At(gather).chunk;
      });
      if (own != passes.end()) {
        before_[*own].push_back(gather);
      } else if (!passes.empty()) {
        before_[passes.front()].push_back(gather);
      }
    }
  }

  // What a unit of operations that begin together is known by: the type (of a send for its
  // receive), two coordinates and the order.
  using UnitKey = std::tuple<std::size_t, std::int64_t, std::size_t, std::size_t>;

  UnitKey KeyOf(const Operation& operation, std::size_t ordinal) const {
    const std::size_t stages = work_->stages.size();
    const std::size_t type = operation.type;
    if (type == kForwardReceive)
      return {kForwardSend, operation.dp_rank, (operation.stage + stages - 1) % stages, ordinal};
    if (type == kBackwardReceive)
      return {kBackwardSend, operation.dp_rank, (operation.stage + 1) % stages, ordinal};
    switch (type < kKnown.size() ? kKnown[type].meets : Meets::kNobody) {
      case Meets::kReplicas:
        return {type, 0, operation.stage, ordinal};
      case Meets::kEnds:
        return {type, operation.dp_rank, 0, ordinal};
      case Meets::kAll:
        return {type, 0, 0, ordinal};
      case Meets::kNeighbour:
      case Meets::kNobody:
        break;
    }
    return {type, operation.dp_rank, operation.stage, ordinal};
  }

  Status Meet() {
    std::map<UnitKey, std::size_t> places;
    unit_of_.assign(size_, kNoUnit);
    for (const auto& [place, lane] : lanes_) {
      for (const auto& [type, list] : lane.of_type) {
        for (std::size_t i = 0; i < list.size(); ++i) {
          const auto [found, is_new] = places.try_emplace(KeyOf(At(list[i]), i), units_.size());
          if (is_new) units_.emplace_back();
          units_[found->second].push_back(list[i]);
          unit_of_[list[i]] = found->second;
        }
      }
    }
    for (const List& unit : units_) {
      const std::size_t type = At(unit.front()).type;
      if (type >= kForwardSend && type <= kBackwardReceive && unit.size() != 2) {
        return Error(StatusCode::kBadData,
                     "in step {} a {} of dp rank {}, stage {} has no counterpart", Step(),
                     kKnown[type].name, At(unit.front()).dp_rank,
                     work_->stages[At(unit.front()).stage]);
      }
      double latest = At(unit.front()).start_s;
      for (const std::size_t member : unit) latest = std::max(latest, At(member).start_s);
      for (const std::size_t member : unit) {
        Operation& operation = At(member);
        const double transfer = operation.start_s + operation.duration_s - latest;
        operation.transfer_s = unit.size() == 1                    ? operation.duration_s
                               : transfer <= kLeastTransferSeconds ? 0
                                                                   : transfer;
      }
    }
    return OkStatus();
  }

  // Units whose operations all have what they follow behind them, first come first.
  Status Order() {
    std::vector<List> after(units_.size());
    List missing(units_.size(), 0);
    for (std::size_t i = 0; i < size_; ++i) {
      for (const std::size_t before : before_[i]) {
        after[unit_of_[before]].push_back(unit_of_[i]);
        ++missing[unit_of_[i]];
      }
    }
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
      if (missing[unit] == 0) order_.push_back(unit);
    }
    for (std::size_t at = 0; at < order_.size(); ++at) {
      for (const std::size_t unit : after[order_[at]]) {
        if (--missing[unit] == 0) order_.push_back(unit);
      }
    }
    if (order_.size() == units_.size()) return OkStatus();
    return Error(StatusCode::kBadData, "the operations of step {} wait for each other in a circle",
                 Step());
  }

  const AllOperations* work_;
  std::vector<Operation>* all_;
  std::size_t begin_;
  std::size_t size_;
  std::map<std::pair<std::int64_t, std::size_t>, Lane> lanes_;
  std::vector<List> before_;  // of each operation: those that it follows
  std::vector<List> units_;
  List unit_of_;
  List order_;
  std::vector<double> ends_;
};

// Begin and end of every step's operations.
std::vector<std::pair<std::size_t, std::size_t>> StepsOf(const AllOperations& work) {
  std::vector<std::pair<std::size_t, std::size_t>> steps;
  const auto& all = work.operations;
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin + 1;
    while (end < all.size() && all[end].step == all[begin].step) ++end;
    steps.emplace_back(begin, end);
    begin = end;
  }
  return steps;
}

// What an operation of each type takes when nobody is a straggler.
std::vector<double> IdealLengths(const AllOperations& work) {
  std::vector<std::vector<double>> lengths(work.types.size());
  for (const Operation& operation : work.operations)
    lengths[operation.type].push_back(operation.transfer_s);
  std::vector<double> ideal(lengths.size(), 0);
  for (std::size_t type = 0; type < lengths.size(); ++type) {
    if (lengths[type].empty()) continue;
    ideal[type] = work.IsComputing(type)
                      ? std::accumulate(lengths[type].begin(), lengths[type].end(), 0.0) /
                            static_cast<double>(lengths[type].size())
                      : MedianOf(lengths[type]);
  }
  return ideal;
}

// Sums of replayed times over steps, by what keeps its length.
struct OperationSums {
  double actual = 0;
  double ideal = 0;
  std::vector<std::pair<std::int64_t, double>> steps;  // slowdown of each
  std::map<std::int64_t, double> dp_ranks;
  std::map<std::size_t, double> stages;
  std::map<std::string_view, double> types;
};

void AddStep(OperationSums& sums, const AllOperations& work, const std::vector<double>& ideal,
             StepGraph& graph, const std::pair<std::size_t, std::size_t>& step) {
  const auto replay_with = [&](const auto& is_kept) {
    return graph.Replay([&](const Operation& operation) {
      return is_kept(operation) ? operation.transfer_s : ideal[operation.type];
    });
  };
  const double actual = replay_with([](const Operation&) { return true; });
  const double best = replay_with([](const Operation&) { return false; });
  sums.actual += actual;
  sums.ideal += best;
  sums.steps.emplace_back(work.operations[step.first].step, best > 0 ? actual / best : 1);
  for (auto& [dp_rank, sum] : sums.dp_ranks)
    sum += replay_with([key = dp_rank](const Operation& one) { return one.dp_rank == key; });
  for (auto& [stage, sum] : sums.stages)
    sum += replay_with([key = stage](const Operation& one) { return one.stage == key; });
  for (auto& [name, sum] : sums.types) {
    sum +=
        replay_with([&, key = name](const Operation& one) { return work.KeyOf(one.type) == key; });
  }
}

Table SlowdownTable(const OperationSums& sums, const AllOperations& work) {
  const auto& columns = SchemaOf<StragglerSlowdown>();
  auto table = columns.NewTable(std::string(StragglerSlowdown::kName));
  const auto against_ideal = [&](double sum) { return sums.ideal > 0 ? sum / sums.ideal : 1; };
  const auto add = [&](std::string_view scope, std::string_view key, double slowdown) {
    table.Add({columns.scope = scope, columns.key = key, columns.slowdown = slowdown});
  };
  table.Add({columns.scope = "job", columns.slowdown = against_ideal(sums.actual)});
  for (const auto& [step, slowdown] : sums.steps) add("step", std::to_string(step), slowdown);
  for (const auto& [dp_rank, sum] : sums.dp_ranks)
    add("dp_rank", std::to_string(dp_rank), against_ideal(sum));
  for (const auto& [stage, sum] : sums.stages)
    add("stage", std::to_string(work.stages[stage]), against_ideal(sum));
  for (const auto& [type, sum] : sums.types) add("optype", type, against_ideal(sum));
  return table;
}

}  // namespace

Result<Table> ReplayStragglers(const Table& operations) {
  RS_ASSIGN_OR_RETURN(AllOperations work, Read(operations));
  const auto steps = StepsOf(work);
  // Ideal lengths follow from the transfers of all steps, so that graphs are made twice.
  for (const auto& [begin, end] : steps)
    RS_RETURN_IF_ERROR(StepGraph::Make(work, work.operations, begin, end).status());
  const std::vector<double> ideal = IdealLengths(work);
  OperationSums sums;
  for (const Operation& operation : work.operations) {
    sums.dp_ranks[operation.dp_rank] = 0;
    sums.stages[operation.stage] = 0;
    sums.types[work.KeyOf(operation.type)] = 0;
  }
  for (const auto& step : steps) {
    RS_ASSIGN_OR_RETURN(StepGraph graph,
                        StepGraph::Make(work, work.operations, step.first, step.second));
    AddStep(sums, work, ideal, graph, step);
  }
  return SlowdownTable(sums, work);
}

}  // namespace rankscope
