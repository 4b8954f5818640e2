// Pipelines of two stages whose times follow from the schedule.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "insight/findings.h"
#include "stage/job_for_test.h"

namespace rankscope {

inline constexpr std::int64_t kStepsOfPipeline = 4;
// From the end of a step's last pass to the first one of the next.
inline constexpr std::int64_t kBetween = 100;
// Of these between a step's mark and its first pass, which is launched inside of the mark.
inline constexpr std::int64_t kLead = 20;

struct Passes {
  std::vector<std::int64_t> forward, backward;  // begins in the step, us
};

// One forward, one backward: stage 0 is one forward ahead. `layers` are those of the two stages; a
// layer takes 100 us forward and 200 us backward; behind its layers the second stage's forward has
// a product of its own of `head_us`.
struct Schedule {
  Schedule(std::int64_t micro_batches, std::int64_t of_first, std::int64_t of_second,
           std::int64_t head_us = 0)
      : layers{of_first, of_second}, head{head_us} {
    Passes& first = stages[0];
    Passes& second = stages[1];
    first.forward = {0, Forward(0)};
    std::int64_t first_free = 2 * Forward(0);
    std::int64_t second_free = 0;
    for (std::int64_t i = 0; i < micro_batches; ++i) {
      const auto at = static_cast<std::size_t>(i);
      second.forward.push_back(std::max(second_free, first.forward[at] + Forward(0)));
      second.backward.push_back(second.forward[at] + Forward(1));
      second_free = second.backward[at] + Backward(1);
      first.backward.push_back(std::max(first_free, second_free));
      first_free = first.backward[at] + Backward(0);
      if (i + 2 >= micro_batches) continue;
      first.forward.push_back(first_free);
      first_free += Forward(0);
    }
    window = first_free;
  }
  std::int64_t Forward(std::size_t stage) const {
    return 100 * layers[stage] + (stage == 1 ? head : 0);
  }
  std::int64_t Backward(std::size_t stage) const { return 200 * layers[stage]; }

  std::int64_t layers[2];
  std::int64_t head;
  // What a layer of the stage runs.
  const char* forward_kernel[2] = {"flash_fwd_kernel", "flash_fwd_kernel"};
  const char* backward_kernel[2] = {"flash_bwd_kernel", "flash_bwd_kernel"};
  Passes stages[2];
  std::int64_t window = 0;
};

// A stage's trace: kernels are launched 5 us before they begin, sends name their partner.
class StageTrace {
 public:
  StageTrace(const Schedule& schedule, std::size_t stage) : schedule_(schedule), stage_(stage) {}

  RankTrace Build() {
    const std::int64_t length = schedule_.window + kBetween;
    const Passes& passes = schedule_.stages[stage_];
    for (std::int64_t step = 0; step < kStepsOfPipeline; ++step) {
      trace_.Step(step, step * length * 1000, length * 1000);
      origin_ = step * length + kLead;
      for (std::size_t i = 0; i < passes.backward.size(); ++i) {
        const std::int64_t forward = passes.forward[i];
        const std::int64_t backward = passes.backward[i];
        Pass("forward_step", 1, schedule_.forward_kernel[stage_], forward,
             schedule_.Forward(stage_));
        Pass("backward_step", 2, schedule_.backward_kernel[stage_], backward,
             schedule_.Backward(stage_));
        if (stage_ == 0) {
          Message("send", forward + schedule_.Forward(0));
          Message("recv", backward);
        } else {
          Message("recv", forward);
          Message("send", backward + schedule_.Backward(1));
        }
      }
      // Links the clocks of both stages.
      Comm(20, schedule_.window + 40, 10, {.name = "allreduce", .in = 8, .out = 8, .group = "9"});
    }
    RankTrace trace = trace_.DeviceName(0, "NVIDIA A100-SXM4-80GB").Build();
    trace.meta.process_groups.push_back(
        {.name = "1", .description = kGroup, .backend = {}, .ranks = {0, 1}});
    return trace;
  }

 private:
  static constexpr const char* kGroup = "PIPELINE_MODEL_PARALLEL_GROUP";

  void Pass(std::string_view mark, std::int64_t thread, std::string_view kernel, std::int64_t begin,
            std::int64_t us) {
    const std::int64_t layers = schedule_.layers[stage_];
    const std::int64_t head = mark == "forward_step" && stage_ == 1 ? schedule_.head : 0;
    us -= head;
    trace_.Host(1, EventKind::kUserAnnotation, mark, (origin_ + begin - 6) * 1000, 4 * 1000);
    for (std::int64_t layer = 0; layer < layers; ++layer) {
      const std::int64_t at = origin_ + begin + layer * (us / layers);
      ++call_;
      trace_.Launch(call_, (at - 5) * 1000, 1000, thread)
          .Kernel(7, kernel, at * 1000, us / layers * 1000, call_);
    }
    if (head == 0) return;
    const std::int64_t at = origin_ + begin + us;
    ++call_;
    trace_.Launch(call_, (at - 5) * 1000, 1000, thread)
        .Kernel(7, "gemm_of_head", at * 1000, head * 1000, call_);
  }
  void Message(std::string_view name, std::int64_t begin) {
    Comm(21, begin, 2,
         {.name = name,
          .in = 1000,
          .out = 1000,
          .group = "1",
          .peer = static_cast<std::int32_t>(1 - stage_),
          .description = kGroup});
  }
  void Comm(std::int64_t stream, std::int64_t begin, std::int64_t us,
            const TraceForTest::Collective& collective) {
    trace_.Comm(stream, (origin_ + begin) * 1000, us * 1000, collective);
  }

  const Schedule& schedule_;
  std::size_t stage_;
  TraceForTest trace_;
  std::int64_t origin_ = 0, call_ = 0;
};

inline JobForTest JobOf(const Schedule& schedule) {
  JobForTest job;
  for (std::size_t stage = 0; stage < 2; ++stage)
    job.Add(static_cast<std::int64_t>(stage), StageTrace(schedule, stage).Build());
  return job;
}

struct ToldOfPipeline {
  double gain_pct = -1;
  std::string title, ranks, change, severity;
};

// What the finding of that id says; a gain of -1 without it.
inline ToldOfPipeline TellOfPipeline(std::string_view id, const Schedule& schedule) {
  const Table findings = JobOf(schedule).Run(FindingsAnalysis());
  ToldOfPipeline told;
  for (std::size_t row = 0; row < findings.row_count(); ++row) {
    if (std::get<std::string_view>(Cell(findings, row, "id")) != id) continue;
    told = {std::get<double>(Cell(findings, row, "gain_pct")),
            std::string(std::get<std::string_view>(Cell(findings, row, "title"))),
            std::string(std::get<std::string_view>(Cell(findings, row, "ranks"))),
            std::string(std::get<std::string_view>(Cell(findings, row, "recommendation"))),
            std::string(std::get<std::string_view>(Cell(findings, row, "severity")))};
  }
  return told;
}

}  // namespace rankscope
