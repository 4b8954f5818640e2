#include "replay/job_graph/job_graph_builder.h"

#include <algorithm>

namespace rankscope {

JobGraph::Builder::Builder(const JobContext& job, const AcrossFacts& across,
                           const JobGraphLimits& limits)
    : job_(job), across_(across), limits_(limits) {
  graph_.origin_ns_ = job.origin_ns;
  const auto& ranks = across.collectives().ranks();
  for (std::uint32_t i = 0; i < ranks.size(); ++i) dense_.emplace(ranks[i].rank, i);
}

Result<std::shared_ptr<const JobGraph>> JobGraph::Builder::Build(PartialStream& partials) {
  // Nodes are numbered in the order of captures; those that come early wait for their turn.
  std::map<std::size_t, std::vector<Table>> early;
  std::size_t turn = NextSelected(0);
  Partial partial;
  while (true) {
    RS_ASSIGN_OR_RETURN(const bool more, partials.Next(partial));
    if (!more) break;
    early.emplace(partial.capture, std::move(partial.tables));
    while (!early.empty() && early.begin()->first <= turn) {
      RS_RETURN_IF_ERROR(Add(early.begin()->first, early.begin()->second));
      turn = NextSelected(early.begin()->first + 1);
      early.erase(early.begin());
    }
  }
  for (const auto& [capture, tables] : early) RS_RETURN_IF_ERROR(Add(capture, tables));
  OrderBySteps();
  Join();
  communication_ = {};
  NumberSteps();
  SetGaps();
  graph_.Order(begin_);
  begin_ = {};
  graph_.AssignSlots();
  graph_.CountSteps(job_.steps);
  return std::shared_ptr<const JobGraph>(std::make_shared<JobGraph>(std::move(graph_)));
}

std::size_t JobGraph::Builder::NextSelected(std::size_t capture) const {
  while (capture < job_.captures.size() && !job_.captures[capture].selected) ++capture;
  return capture;
}

void JobGraph::Builder::NumberSteps() {
  for (const auto& [key, draft] : step_numbers_) graph_.steps_left_out_ += IsKept(key) ? 0 : 1;
  for (const RankWindow& window : windows_) {
    Step& step = draft_steps_[window.step];
    const std::int64_t shift = ShiftOf(window.rank);
    step.recorded_begin_ns = std::max(step.recorded_begin_ns, window.begin + shift);
    step.recorded_end_ns = std::max(step.recorded_end_ns, window.end + shift);
  }
  std::vector<std::uint32_t> number(draft_steps_.size());
  const Step* before = nullptr;
  for (const auto& [key, draft] : step_numbers_) {
    number[draft] = static_cast<std::uint32_t>(graph_.steps_.size());
    Step& step = draft_steps_[draft];
    if (step.recorded_end_ns == INT64_MIN) step.complete = false;
    step.follows_recorded = before != nullptr && before->group == step.group &&
                            before->number + 1 == step.number &&
                            before->recorded_end_ns != INT64_MIN;
    // Clocks that are not known to each other could let a step end before it begins.
    if (step.follows_recorded) {
      step.recorded_end_ns = std::max(step.recorded_end_ns, before->recorded_end_ns);
      step.recorded_begin_ns = before->recorded_end_ns;
    }
    step.recorded_begin_ns = std::min(step.recorded_begin_ns, step.recorded_end_ns);
    before = &step;
    if (!IsKept(key)) continue;
    step.follows_recorded = step.follows_recorded && !graph_.steps_.empty();
    graph_.steps_.push_back(step);
  }
  for (NodeId node = 0; node < graph_.nodes_.size(); ++node) {
    const std::uint32_t draft = graph_.StepOf(node);
    if (draft != kNoStep) graph_.step_.Set(node, number[draft] + 1);
  }
}

void JobGraph::Builder::SetGaps() {
  for (NodeId i = 0; i < graph_.nodes_.size(); ++i) {
    const NodeId previous = graph_.nodes_.PreviousOf(i);
    std::int64_t ready = previous == kNoNode ? INT64_MIN : EndOf(previous);
    for (const NodeEdge edge : graph_.EdgesOf(i))
      ready = std::max(ready, SaturatingAdd(EndOf(edge.from), edge.lag_ns));
    graph_.nodes_.SetGap(i, SaturatingSubtract(begin_[i], ready == INT64_MIN ? 0 : ready));
  }
  for (const Meeting& meeting : graph_.meetings_) {
    std::int64_t last = INT64_MIN;
    for (const NodeId node : graph_.MembersOf(meeting)) last = std::max(last, begin_[node]);
    for (const NodeId node : graph_.MembersOf(meeting)) {
      if (EndOf(node) < last) {
        graph_.flags_[node] |= kEager;
      } else {
        graph_.nodes_.SetDuration(node, EndOf(node) - last);
      }
    }
  }
}

}  // namespace rankscope
