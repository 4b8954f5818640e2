#include "trace/repeated_backward.h"

#include <algorithm>
#include <tuple>

#include "trace/autograd_names.h"

namespace rankscope {
namespace {

// One evaluation of a node.
struct Evaluation {
  std::int64_t sequence = -1;  // of its forward op; below 0: it has none
  std::int64_t thread = 0;     // of its forward op
  // Nodes that are made outside of any op have the number that comes next, as the op has that then
  // gets it: the same node has the same name.
  StringId name = kEmptyString;
  std::int64_t begin_ns = 0;
  Row row = kNoRow;
  std::uint32_t place = 0;  // among all evaluations, by their tracks and times
  bool is_differentiated = false;
};

class RepeatedBackwardFinder {
 public:
  explicit RepeatedBackwardFinder(const RankTrace& trace)
      : trace_(trace), is_engine_(trace.strings.size()) {
    for (StringId id = 0; id < trace.strings.size(); ++id)
      is_engine_[id] = trace.strings.Get(id).starts_with(kEvaluateFunction);
  }

  std::vector<std::uint8_t> Find() {
    Collect();
    MarkRepeated();
    if (!has_any_) return {};
    std::vector<std::uint8_t> rows(trace_.row_count(), 0);
    ForEachHostTrack([&](const Track& track) {
      for (Row row = track.begin; row < track.end; ++row) {
        const Row parent = trace_.parent[row];
        if (parent != kNoRow) rows[row] = rows[parent];
        if (evaluation_of_[row] != kNone) rows[row] = repeated_[evaluation_of_[row]];
      }
    });
    return rows;
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  template <typename Visit>
  void ForEachHostTrack(const Visit& visit) const {
    for (const Track& track : trace_.tracks)
      if (track.domain == Domain::kHost) visit(track);
  }

  const OpArgs* ArgsOf(Row row) const {
    return trace_.kind[row] == EventKind::kCpuOp && trace_.aux[row] != kNoAux
               ? &trace_.ops[trace_.aux[row]]
               : nullptr;
  }

  void Collect() {
    evaluation_of_.assign(trace_.row_count(), kNone);
    std::vector<std::uint32_t> around(trace_.row_count(), kNone);  // the evaluation it is inside of
    ForEachHostTrack([&](const Track& track) {
      for (Row row = track.begin; row < track.end; ++row) {
        if (trace_.parent[row] != kNoRow) around[row] = around[trace_.parent[row]];
        const OpArgs* const args = ArgsOf(row);
        if (is_engine_[trace_.name[row]]) {
          Evaluation one{.name = trace_.name[row],
                         .begin_ns = trace_.ts_ns[row],
                         .row = row,
                         .place = static_cast<std::uint32_t>(evaluations_.size())};
          if (args != nullptr && args->forward_thread > 0) {
            one.sequence = args->sequence_number;
            one.thread = args->forward_thread;
          }
          around[row] = evaluation_of_[row] = one.place;
          evaluations_.push_back(one);
        } else if (args != nullptr && args->sequence_number >= 0 && args->forward_thread <= 0 &&
                   around[row] != kNone) {
          evaluations_[around[row]].is_differentiated = true;
        }
      }
    });
  }

  void MarkRepeated() {
    repeated_.assign(evaluations_.size(), 0);
    std::vector<Evaluation> sorted = evaluations_;
    std::ranges::sort(sorted, {}, [](const Evaluation& one) {
      return std::tuple(one.thread, one.sequence, one.name, one.begin_ns, one.row);
    });
    for (std::size_t first = 0; first < sorted.size();) {
      std::size_t last = first;
      bool is_differentiated = false;
      for (; last < sorted.size() && sorted[last].thread == sorted[first].thread &&
             sorted[last].sequence == sorted[first].sequence &&
             sorted[last].name == sorted[first].name;
           ++last)
        is_differentiated = is_differentiated || sorted[last].is_differentiated;
      if (sorted[first].sequence >= 0 && !is_differentiated) {
        for (std::size_t i = first + 1; i < last; ++i) repeated_[sorted[i].place] = 1;
        has_any_ = has_any_ || last > first + 1;
      }
      first = last;
    }
    for (std::size_t i = 1; i < evaluations_.size(); ++i)
      if (evaluations_[i].sequence < 0 &&
          trace_.parent[evaluations_[i].row] == trace_.parent[evaluations_[i - 1].row])
        repeated_[i] = repeated_[i - 1];
  }

  const RankTrace& trace_;
  std::vector<std::uint8_t> is_engine_;       // by name
  std::vector<Evaluation> evaluations_;       // by tracks and times
  std::vector<std::uint32_t> evaluation_of_;  // by row
  std::vector<std::uint8_t> repeated_;        // by evaluation
  bool has_any_ = false;
};

}  // namespace

std::vector<std::uint8_t> RepeatedBackwardRows(const RankTrace& trace) {
  return RepeatedBackwardFinder(trace).Find();
}

}  // namespace rankscope
