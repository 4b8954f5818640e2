#include "formats/et/join.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <limits>
#include <utility>
#include <vector>

namespace rankscope::et {
namespace {

constexpr std::int64_t kAgreeingPerDisagreeing = 99;
// Fewer calls than this may stand in a row by chance.
constexpr std::size_t kLeastInARow = 16;
constexpr std::int64_t kMostRanksListed = 1024;

using Pairs = std::vector<std::pair<Row, std::uint32_t>>;  // rows and nodes

bool IsOp(const RankTrace& trace, Row row) {
  return trace.kind[row] == EventKind::kCpuOp || trace.kind[row] == EventKind::kUserAnnotation;
}

// The strings of a trace, by their text.
class Texts {
 public:
  explicit Texts(RankTrace& trace) : trace_(trace) {
    for (StringId id = 0; id < trace.strings.size(); ++id) {
      StringId& known = InTrace(trace.strings.Get(id));
      if (known == kNoAux) known = id;
    }
  }
  // kNoAux where the trace has no such string.
  StringId Find(std::string_view text) { return InTrace(text); }
  StringId Add(std::string_view text) {
    StringId& known = InTrace(text);
    if (known == kNoAux) known = trace_.strings.Append(text);
    return known;
  }

 private:
  StringId& InTrace(std::string_view text) {
    const StringId id = texts_.Intern(text);
    if (id >= in_trace_.size()) in_trace_.resize(id + 1, kNoAux);
    return in_trace_[id];
  }

  RankTrace& trace_;
  Interner texts_;
  std::vector<StringId> in_trace_;
};

class Joiner {
 public:
  Joiner(RankTrace& trace, const ExecutionTrace& execution)
      : trace_(trace), execution_(execution), texts_(trace) {
    for (const Node& node : execution.nodes)
      names_.push_back(texts_.Find(execution.strings.Get(node.name)));
  }

  Joined Run(std::span<const RecordId> ids) {
    Joined joined;
    Pairs pairs;
    if (!ids.empty()) {
      joined.by = JoinedBy::kRecordIds;
      pairs = ById(
          [&](Row row) {
            const auto found = std::lower_bound(
                ids.begin(), ids.end(), trace_.source[row],
                [](const RecordId& one, std::uint32_t source) { return one.source < source; });
            return found != ids.end() && found->source == trace_.source[row] ? found->id : 0;
          },
          joined);
    } else {
      joined.by = JoinedBy::kExternalIds;
      pairs = ById([&](Row row) -> std::int64_t { return trace_.external_id[row]; }, joined);
    }
    if (pairs.empty() ||
        joined.disagreeing * kAgreeingPerDisagreeing > static_cast<std::int64_t>(pairs.size())) {
      pairs = ByOrder();
      joined.by = pairs.empty() ? JoinedBy::kNothing : JoinedBy::kOrder;
    }
    // Threads that call the same may find the same rows.
    pairs.erase(std::unique(pairs.begin(), pairs.end(),
                            [](const auto& a, const auto& b) { return a.first == b.first; }),
                pairs.end());
    joined.ops = static_cast<std::int64_t>(pairs.size());
    for (const auto& [row, node] : pairs) {
      const Node& of_row = execution_.nodes[node];
      Fill(row, of_row);
      trace_.nodes.push_back({.row = row, .schema = Text(of_row.schema), .node = of_row.id});
    }
    return joined;
  }

 private:
  template <typename IdOf>
  Pairs ById(const IdOf& id_of, Joined& joined) const {
    boost::unordered_flat_map<std::int64_t, std::uint32_t> node_of;
    for (std::uint32_t i = 0; i < execution_.nodes.size(); ++i) {
      if (execution_.nodes[i].record_id > 0) node_of.emplace(execution_.nodes[i].record_id, i);
    }
    Pairs pairs;
    for (Row row = 0; row < trace_.row_count(); ++row) {
      if (!IsOp(trace_, row)) continue;
      const std::int64_t id = id_of(row);
      const auto node = id > 0 ? node_of.find(id) : node_of.end();
      if (node == node_of.end()) continue;
      ++joined.compared;
      if (names_[node->second] == trace_.name[row]) {
        pairs.emplace_back(row, node->second);
      } else {
        ++joined.disagreeing;
      }
    }
    return pairs;
  }

  // The calls of a thread in their order.
  Pairs ByOrder() const {
    boost::unordered_flat_map<std::int64_t, std::vector<std::uint32_t>> threads;
    for (std::uint32_t i = 0; i < execution_.nodes.size(); ++i) {
      if (execution_.nodes[i].record_id > 0) threads[execution_.nodes[i].thread].push_back(i);
    }
    std::vector<std::vector<Row>> rows_of;
    for (const Track& track : trace_.tracks) {
      if (track.domain != Domain::kHost) continue;
      std::vector<Row>& rows = rows_of.emplace_back();
      for (Row row = track.begin; row < track.end; ++row)
        if (IsOp(trace_, row)) rows.push_back(row);
    }
    Pairs pairs;
    for (const auto& [thread, nodes] : threads) {
      if (nodes.size() < kLeastInARow) return {};
      bool is_found = false;
      for (const std::vector<Row>& rows : rows_of) {
        const std::size_t at = FindInARow(nodes, rows);
        if (at == rows.size()) continue;
        for (std::size_t i = 0; i < nodes.size(); ++i) pairs.emplace_back(rows[at + i], nodes[i]);
        is_found = true;
        break;
      }
      if (!is_found) return {};
    }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  }

  // Where the names of the nodes first stand in a row; rows.size() if nowhere. Knuth, Morris and
  // Pratt's search.
  std::size_t FindInARow(const std::vector<std::uint32_t>& nodes,
                         const std::vector<Row>& rows) const {
    std::vector<std::size_t> border(nodes.size(), 0);
    for (std::size_t i = 1, length = 0; i < nodes.size(); ++i) {
      while (length > 0 && names_[nodes[i]] != names_[nodes[length]]) length = border[length - 1];
      if (names_[nodes[i]] == names_[nodes[length]]) ++length;
      border[i] = length;
    }
    for (std::size_t i = 0, length = 0; i < rows.size(); ++i) {
      const StringId name = trace_.name[rows[i]];
      while (length > 0 && name != names_[nodes[length]]) length = border[length - 1];
      if (name == names_[nodes[length]]) ++length;
      if (length == nodes.size()) return i + 1 - length;
    }
    return rows.size();
  }

  void Fill(Row row, const Node& node) {
    const bool says = node.types != kEmptyString || node.collective != UINT32_MAX;
    if (!says) return;
    if (trace_.aux[row] == kNoAux) {
      trace_.aux[row] = static_cast<std::uint32_t>(trace_.ops.size());
      trace_.ops.push_back({});
    }
    // A profiler that recorded shapes recorded all of them.
    if (OpArgs& args = trace_.ops[trace_.aux[row]]; args.input_dims == kEmptyString) {
      args.input_dims = Text(node.dims);
      args.input_types = Text(node.types);
      args.input_strides = Text(node.strides);
      if (args.concrete_inputs == kEmptyString) args.concrete_inputs = Text(node.values);
    }
    if (node.collective == UINT32_MAX || trace_.ops[trace_.aux[row]].collective != kNoAux) return;
    trace_.ops[trace_.aux[row]].collective = static_cast<std::uint32_t>(trace_.collectives.size());
    CollectiveArgs args = ArgsOf(execution_.collectives[node.collective]);
    args.row = row;
    trace_.collectives.push_back(args);
  }

  CollectiveArgs ArgsOf(const Collective& collective) {
    CollectiveArgs args;
    args.in_elements = collective.in_elements;
    args.out_elements = collective.out_elements;
    args.name = Text(collective.name);
    args.dtype = Text(collective.dtype);
    args.group_name = Text(collective.group_name);
    args.group_desc = Text(collective.group_desc);
    args.in_split = Text(collective.in_split);
    args.out_split = Text(collective.out_split);
    if (collective.group_size > 0 &&
        collective.group_size <= std::numeric_limits<std::int32_t>::max())
      args.group_size = static_cast<std::int32_t>(collective.group_size);
    const bool has_ranks = collective.first_rank >= 0 && collective.first_rank < INT32_MAX &&
                           collective.rank_stride > 0 && collective.rank_stride < INT32_MAX &&
                           args.group_size > 0 && args.group_size <= kMostRanksListed;
    if (!has_ranks) return args;
    std::string ranks = "[";
    for (std::int64_t i = 0; i < args.group_size; ++i) {
      ranks += fmt::format("{}{}", i == 0 ? "" : ", ",
                           collective.first_rank + i * collective.rank_stride);
    }
    args.group_ranks = texts_.Add(ranks + "]");
    return args;
  }

  StringId Text(StringId of_execution) {
    return of_execution == kEmptyString ? kEmptyString
                                        : texts_.Add(execution_.strings.Get(of_execution));
  }

  RankTrace& trace_;
  const ExecutionTrace& execution_;
  Texts texts_;
  std::vector<StringId> names_;  // by node, as the trace's
};

}  // namespace

Joined Join(RankTrace& trace, const ExecutionTrace& execution, std::span<const RecordId> ids) {
  return Joiner(trace, execution).Run(ids);
}

std::string JoinedInWords(const Joined& joined, const std::string& path) {
  const std::string name = path.substr(path.find_last_of('/') + 1);
  switch (joined.by) {
    case JoinedBy::kRecordIds:
    case JoinedBy::kExternalIds:
      return fmt::format("the execution trace {} adds to {} ops what it knows (joined by id)", name,
                         joined.ops);
    case JoinedBy::kOrder:
      return fmt::format(
          "the execution trace {} adds to {} ops what it knows (joined by the order of the calls, "
          "since ids are not the same)",
          name, joined.ops);
    case JoinedBy::kNothing:
      break;
  }
  return fmt::format(
      "the execution trace {} is of another run and was left out: of {} ops whose id it has {} "
      "have "
      "another name, and its calls do not stand in a row either",
      name, joined.compared, joined.disagreeing);
}

}  // namespace rankscope::et
