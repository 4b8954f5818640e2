#include "trace/unused_forward.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <span>
#include <string_view>
#include <utility>

#include "trace/autograd_names.h"

namespace rankscope {
namespace {

constexpr std::size_t kLeastRun = 4;

enum class Part : std::uint8_t { kOther, kProduct, kConvolution, kAttention };

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Of an op ("aten::addmm"), and of a node of backward ("AddmmBackward0").
Part PartOf(std::string_view name) {
  if (Has(name, "ttention")) return Part::kAttention;
  if (Has(name, "onv")) return Part::kConvolution;
  if (Has(name, "comm") || Has(name, "Comm")) return Part::kOther;  // record_param_comms
  const bool is_product = Has(name, "mm") || Has(name, "Mm") || Has(name, "::linear") ||
                          Has(name, "Linear") || Has(name, "matmul");
  return is_product ? Part::kProduct : Part::kOther;
}

class UnusedForwardFinder {
 public:
  explicit UnusedForwardFinder(const RankTrace& trace)
      : trace_(trace), is_engine_(trace.strings.size()) {
    for (StringId id = 0; id < trace.strings.size(); ++id) {
      is_engine_[id] = trace.strings.Get(id).starts_with(kEvaluateFunction);
      parts_.push_back(PartOf(trace.strings.Get(id)));
    }
  }

  std::vector<ForwardUse> Find() {
    FindNodes();
    if (evaluated_.empty()) return {};
    std::vector<Thread> threads;
    for (const Track& track : trace_.tracks) {
      if (track.domain == Domain::kHost) threads.push_back({&track, ForwardOf(track)});
    }
    for (const Thread& thread : threads) FindUsed(thread.ops);
    if (!AgreeInParts()) return {};
    bool any = false;
    std::vector<ForwardUse> rows(trace_.row_count(), ForwardUse::kUsed);
    for (Thread& thread : threads) {
      // A recording may end before the backward of what comes last.
      while (!thread.ops.empty() && !thread.ops.back().is_used) thread.ops.pop_back();
      if (thread.ops.empty()) continue;
      any = MarkUnused(thread.ops, rows) || any;
      any = MarkWithoutGradients(*thread.track, thread.ops.back().row, rows) || any;
    }
    if (!any) return {};
    for (const Track& track : trace_.tracks) {
      if (track.domain != Domain::kHost) continue;
      for (Row row = track.begin; row < track.end; ++row) {
        const Row parent = trace_.parent[row];
        if (parent != kNoRow && rows[parent] != ForwardUse::kUsed) rows[row] = rows[parent];
      }
    }
    return rows;
  }

 private:
  using Like = std::pair<std::size_t, std::uint64_t>;  // step, name and inputs
  // An outermost op of forward that records itself.
  struct Op {
    Row row = kNoRow;
    bool is_used = false;
    Like like;
  };
  struct Thread {
    const Track* track;
    std::vector<Op> ops;
  };
  // An outermost op of a thread: whether it, or one inside it, records itself; otherwise whether
  // one of these is like one that is used, and what the first such does.
  struct Outer {
    Row row = kNoRow;
    bool records = false;
    bool is_like_used = false;
    bool is_layer = false;
  };

  const OpArgs* ArgsOf(Row row) const {
    return trace_.kind[row] == EventKind::kCpuOp && trace_.aux[row] != kNoAux
               ? &trace_.ops[trace_.aux[row]]
               : nullptr;
  }

  void FindNodes() {
    for (Row row = 0; row < trace_.row_count(); ++row) {
      const OpArgs* const args = ArgsOf(row);
      if (args == nullptr || args->sequence_number < 0 || args->forward_thread <= 0) continue;
      const auto [found, is_new] =
          evaluated_.try_emplace(args->sequence_number, parts_[trace_.name[row]]);
      if (found->second == Part::kOther) found->second = parts_[trace_.name[row]];
    }
  }

  std::vector<Op> ForwardOf(const Track& track) {
    std::vector<Op> ops;
    // Of each row whether it is one of them, inside of one, or inside of backward.
    std::vector<bool> is_inside(track.end - track.begin, false);
    std::vector<bool> is_of_backward(track.end - track.begin, false);
    for (Row row = track.begin; row < track.end; ++row) {
      const Row parent = trace_.parent[row];
      const bool is_in_other = parent != kNoRow && parent >= track.begin && parent < track.end &&
                               is_inside[parent - track.begin];
      const OpArgs* const args = ArgsOf(row);
      const bool is_backward =
          is_engine_[trace_.name[row]] != 0 || (args != nullptr && args->forward_thread > 0);
      const bool is_op = args != nullptr && args->sequence_number >= 0 && !is_backward;
      is_inside[row - track.begin] = is_in_other || is_backward || is_op;
      is_of_backward[row - track.begin] =
          is_backward || (is_in_other && is_of_backward[parent - track.begin]);
      if (is_op && !is_of_backward[row - track.begin])
        last_op_[args->sequence_number] = parts_[trace_.name[row]];
      if (is_in_other || !is_op) continue;
      ops.push_back({row, evaluated_.contains(args->sequence_number), LikeOf(row, *args)});
    }
    return ops;
  }

  Like LikeOf(Row row, const OpArgs& args) const {
    return {StepOf(trace_.ts_ns[row]), std::uint64_t{trace_.name[row]} << 32 | args.input_dims};
  }

  std::vector<Outer> OutersOf(const Track& track) const {
    std::vector<Outer> outers;
    std::vector<std::uint32_t> outer_of(track.end - track.begin, UINT32_MAX);
    for (Row row = track.begin; row < track.end; ++row) {
      const Row parent = trace_.parent[row];
      std::uint32_t& outer = outer_of[row - track.begin];
      if (parent != kNoRow && parent >= track.begin && parent < track.end)
        outer = outer_of[parent - track.begin];
      if (trace_.kind[row] != EventKind::kCpuOp) continue;
      if (outer == UINT32_MAX) {
        outer = static_cast<std::uint32_t>(outers.size());
        outers.push_back({.row = row});
      }
      Outer& of = outers[outer];
      const OpArgs* const args = ArgsOf(row);
      of.records = of.records || is_engine_[trace_.name[row]] != 0 ||
                   (args != nullptr && args->sequence_number >= 0);
      // Without shapes the name alone would make it alike.
      if (of.records || args == nullptr || args->input_dims == kEmptyString ||
          !used_.contains(LikeOf(row, *args)))
        continue;
      of.is_like_used = true;
      of.is_layer = of.is_layer || parts_[trace_.name[row]] != Part::kOther;
    }
    return outers;
  }

  // Of what lies before the last op that is used.
  bool MarkWithoutGradients(const Track& track, Row last_used,
                            std::vector<ForwardUse>& rows) const {
    const std::vector<Outer> outers = OutersOf(track);
    bool any = false;
    for (std::size_t first = 0; first < outers.size();) {
      std::size_t last = first;
      bool has_layer = false;
      const auto is_one = [&](const Outer& outer) {
        return !outer.records && outer.is_like_used && outer.row < last_used;
      };
      for (; last < outers.size() && is_one(outers[last]); ++last)
        has_layer = has_layer || outers[last].is_layer;
      if (has_layer && last - first >= kLeastRun) {
        for (std::size_t i = first; i < last; ++i)
          rows[outers[i].row] = ForwardUse::kWithoutGradients;
        any = true;
      }
      first = last + 1;
    }
    return any;
  }

  // Steps lie one behind the other.
  std::size_t StepOf(std::int64_t t) const {
    const auto next = std::partition_point(trace_.steps.begin(), trace_.steps.end(),
                                           [t](const Step& step) { return step.end_ns <= t; });
    return static_cast<std::size_t>(next - trace_.steps.begin());
  }

  void FindUsed(std::span<const Op> ops) {
    for (const Op& op : ops) {
      if (op.is_used) used_.insert(op.like);
    }
  }

  // Whether nodes are those of the ops with their numbers, by what these do: else numbers say
  // nothing.
  bool AgreeInParts() const {
    std::size_t layers = 0, fitting = 0;
    for (const auto& [number, part] : evaluated_) {
      const auto op = last_op_.find(number);
      if (op == last_op_.end() || (part == Part::kOther && op->second == Part::kOther)) continue;
      ++layers;
      fitting += op->second == part ? 1 : 0;
    }
    return layers > 0 && 50 * (layers - fitting) <= layers;
  }

  // The last of the ops is used.
  bool MarkUnused(std::span<const Op> ops, std::vector<ForwardUse>& rows) const {
    bool any = false;
    for (std::size_t first = 0; first < ops.size();) {
      std::size_t last = first;
      bool has_layer = false;
      for (; !ops[last].is_used && used_.contains(ops[last].like); ++last)
        has_layer = has_layer || parts_[trace_.name[ops[last].row]] != Part::kOther;
      if (has_layer && last - first >= kLeastRun) {
        for (std::size_t i = first; i < last; ++i) rows[ops[i].row] = ForwardUse::kUnused;
        any = true;
      }
      first = last + 1;
    }
    return any;
  }

  const RankTrace& trace_;
  std::vector<std::uint8_t> is_engine_;                      // by name
  std::vector<Part> parts_;                                  // likewise
  boost::unordered_flat_map<std::int64_t, Part> evaluated_;  // by number
  boost::unordered_flat_set<Like> used_;
  // Of each number what the last op with it does: ops in which it is made have it, too
  // (aten::linear that of aten::t), and those that make no node that of the next one.
  boost::unordered_flat_map<std::int64_t, Part> last_op_;
};

}  // namespace

std::vector<ForwardUse> ForwardUses(const RankTrace& trace) {
  return UnusedForwardFinder(trace).Find();
}

}  // namespace rankscope
