#include "insight/evidence/peers/assignment.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "insight/base/cause_tools.h"
#include "insight/evidence/peers/pipeline_stages.h"
#include "insight/evidence/peers/varying_work.h"

namespace rankscope {
namespace {

// Of the largest load, what a move must take off it.
constexpr double kLeastMove = 0.01;

// The first bracket of shapes, the table's own: "[1000,64]" of "[[1000,64],[512]]".
std::string_view FirstShape(std::string_view shapes) {
  if (!shapes.starts_with("[[")) return {};
  const std::size_t end = shapes.find(']');
  return end == std::string_view::npos ? std::string_view() : shapes.substr(1, end);
}

// "1 layer of stage 2 to stage 0", "2 layers of stage 2 to each of the stages 0, 3".
std::string LayersText(const std::vector<PieceMove>& moves,
                       const std::vector<std::int32_t>& stages) {
  std::map<std::pair<std::size_t, std::size_t>, int> counts;
  for (const PieceMove& move : moves) ++counts[{move.from, move.to}];
  std::map<std::pair<std::size_t, int>, std::vector<std::size_t>> targets;  // of equal counts
  for (const auto& [way, count] : counts) targets[{way.first, count}].push_back(way.second);
  std::string text;
  for (const auto& [what, to] : targets) {
    const auto& [from, count] = what;
    text += fmt::format("{}{} layer{} of stage {} to {}", text.empty() ? "" : ", ", count,
                        count == 1 ? "" : "s", stages[from],
                        to.size() == 1 ? "stage" : "each of the stages");
    for (std::size_t i = 0; i < to.size(); ++i)
      text += fmt::format("{} {}", i == 0 ? "" : ",", stages[to[i]]);
  }
  return text;
}

// The work on tables of ranks that do the same.
class TablesOfPeers {
 public:
  TablesOfPeers(const RuleInput& input, const std::vector<std::uint32_t>& peers)
      : input_(input), peers_(peers), loads_(peers.size(), 0) {
    const JobGraph& graph = input.graph();
    std::map<std::tuple<std::size_t, std::string_view, std::string_view>, double> by_table;
    std::vector<double> of_tables(peers.size(), 0);  // of what `by_table` has
    for (NodeId node = 0; node < graph.nodes().size(); ++node) {
      const NodeKind& kind = graph.KindOf(node);
      if (graph.StepOf(node) == kNoStep || !WorksOnTables(kind)) continue;
      const auto found = std::find(peers.begin(), peers.end(), input.RankOf(node));
      if (found == peers.end()) continue;
      nodes_.push_back(node);
      if (!input.Counts(node)) continue;
      const auto holder = static_cast<std::size_t>(found - peers.begin());
      const auto ns = static_cast<double>(graph.nodes().DurationOf(node)) /
                      static_cast<double>(input.counted().size());
      loads_[holder] += ns;
      // A table's backward goes with its forward.
      if (IsOfBackward(kind) || FirstShape(kind.shapes).empty()) continue;
      by_table[{holder, kind.op, FirstShape(kind.shapes)}] += ns;
      of_tables[holder] += ns;
    }
    for (const auto& [table, ns] : by_table) {
      const auto& [holder, op, shape] = table;
      pieces_.push_back(
          {holder, ns * loads_[holder] / of_tables[holder], fmt::format("table {}", shape)});
    }
  }

  // "table [3000,64] (1.2 ms) of rank 1 to rank 0"; empty where nothing changes. Changes `factors`,
  // by rank.
  std::string Assign(std::map<std::uint32_t, double>& factors) const {
    const auto most =
        static_cast<std::size_t>(std::max_element(loads_.begin(), loads_.end()) - loads_.begin());
    const auto of_most =
        std::count_if(pieces_.begin(), pieces_.end(),
                      [&](const MovablePiece& piece) { return piece.holder == most; });
    std::vector<double> loads = loads_;
    std::string text;
    if (of_most > 1) {
      for (const PieceMove& move : MovesToEven(pieces_, loads))
        text +=
            fmt::format("{}{} ({}) of {} to {}", text.empty() ? "" : ", ", pieces_[move.piece].name,
                        TimeText(pieces_[move.piece].ns), Who(move.from), Who(move.to));
    } else {
      text = Spread(loads);
    }
    for (std::size_t i = 0; i < loads.size(); ++i) {
      if (loads_[i] > 0 && loads[i] != loads_[i]) factors[peers_[i]] = loads[i] / loads_[i];
    }
    return factors.empty() ? std::string() : text;
  }

  const std::vector<NodeId>& nodes() const { return nodes_; }

 private:
  std::string Who(std::size_t holder) const { return WhoText(input_, {peers_[holder]}); }

  // Parts of no size of their own: all have as much. Who has none cannot be given any by a factor.
  std::string Spread(std::vector<double>& loads) const {
    if (std::find(loads.begin(), loads.end(), 0) != loads.end()) return {};
    const double even =
        std::accumulate(loads.begin(), loads.end(), 0.0) / static_cast<double>(loads.size());
    std::string text;
    for (std::size_t i = 0; i < loads.size(); ++i) {
      if (loads[i] * (1 - kLeastMove) > even)
        text += fmt::format("{}{} of the {} of {}", text.empty() ? "" : ", ",
                            TimeText(loads[i] - even), TimeText(loads[i]), Who(i));
    }
    std::fill(loads.begin(), loads.end(), even);
    return text.empty() ? text : text + " spread over the others";
  }

  const RuleInput& input_;
  const std::vector<std::uint32_t>& peers_;
  std::vector<NodeId> nodes_;  // of all steps
  std::vector<double> loads_;  // of a step, in the mean, by place in peers_
  std::vector<MovablePiece> pieces_;
};

}  // namespace

std::vector<PieceMove> MovesToEven(std::vector<MovablePiece> pieces, std::vector<double>& loads) {
  std::vector<PieceMove> moves;
  while (!loads.empty() && moves.size() < kMostMoves) {
    const auto [least, most] = std::minmax_element(loads.begin(), loads.end());
    std::optional<std::size_t> best;
    double highest = *most * (1 - kLeastMove);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (pieces[i].holder != static_cast<std::size_t>(most - loads.begin())) continue;
      const double then = std::max(*most - pieces[i].ns, *least + pieces[i].ns);
      if (then >= highest) continue;
      highest = then;
      best = i;
    }
    if (!best) break;
    const auto to = static_cast<std::size_t>(least - loads.begin());
    moves.push_back({*best, pieces[*best].holder, to});
    *most -= pieces[*best].ns;
    *least += pieces[*best].ns;
    pieces[*best].holder = to;
  }
  return moves;
}

std::optional<Proposal> AssignTables(const RuleInput& input,
                                     const std::vector<std::uint32_t>& heavy) {
  Proposal proposal{{}, input.recorded()};
  std::set<std::uint32_t> groups;
  for (const std::uint32_t rank : heavy) groups.insert(input.peers().group_of[rank]);
  for (const std::uint32_t group : groups) {
    const TablesOfPeers tables(input, input.peers().of[group]);
    std::map<std::uint32_t, double> factors;
    const std::string what = tables.Assign(factors);
    if (what.empty()) continue;
    proposal.what += (proposal.what.empty() ? "" : "; ") + what;
    for (const NodeId node : tables.nodes()) {
      const auto found = factors.find(input.RankOf(node));
      if (found != factors.end()) proposal.then.Scale(node, static_cast<float>(found->second));
    }
  }
  if (proposal.what.empty()) return std::nullopt;
  return proposal;
}

std::optional<Proposal> AssignLayers(const RuleInput& input) {
  const auto& stages = input.Shared<PipelineStages>().of;
  std::vector<std::int32_t> numbers;
  std::vector<double> loads;
  std::vector<std::int64_t> layers;
  double layer_ns = 0;  // the shortest of any stage: the ends have more than layers
  for (const auto& [number, stage] : stages) {
    if (stage.layers < 1) return std::nullopt;
    numbers.push_back(number);
    loads.push_back(stage.compute_ns);
    layers.push_back(stage.layers);
    const double each = stage.compute_ns / static_cast<double>(stage.layers);
    layer_ns = layer_ns == 0 ? each : std::min(layer_ns, each);
  }
  std::vector<MovablePiece> pieces;
  // A stage keeps one.
  for (std::size_t i = 0; i < layers.size(); ++i)
    pieces.insert(pieces.end(), static_cast<std::size_t>(layers[i] - 1),
                  MovablePiece{i, layer_ns, "layer"});
  const std::vector<double> before = loads;
  const std::vector<PieceMove> moves = MovesToEven(std::move(pieces), loads);
  if (moves.empty()) return std::nullopt;
  std::map<std::uint32_t, double> factors;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    for (const std::uint32_t rank : stages.at(numbers[i]).ranks)
      factors[rank] = loads[i] / before[i];
  }
  return Proposal{LayersText(moves, numbers), WithStagesTimes(input, factors)};
}

}  // namespace rankscope
