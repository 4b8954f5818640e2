// The tables of a small job, for tests that can be checked by hand: one device per rank.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/compare.h"
#include "schemas/captures.h"
#include "schemas/findings.h"
#include "schemas/steps.h"
#include "schemas/work.h"

namespace rankscope {

class JobForDiff {
 public:
  explicit JobForDiff(std::int64_t ranks = 1, std::string_view device = "H100") : ranks_(ranks) {
    const auto& columns = SchemaOf<Captures>();
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      captures_.Add({columns.rank = rank, columns.capture = 0, columns.group = 0,
                     columns.analysed = true, columns.device = device, columns.duration_ns = 1'000,
                     columns.content = "some"});
    }
  }

  // Adds a step that is as long as its window on every device.
  JobForDiff& Step(std::int64_t step, std::int64_t duration_ns, std::int64_t job_ns = -1) {
    const auto& of_job = SchemaOf<JobSteps>();
    const auto& of_rank = SchemaOf<StepTimes>();
    const auto& of_device = SchemaOf<TimeBreakdown>();
    step_ = step;
    job_steps_.Add({of_job.group = 0, of_job.step = step,
                    of_job.duration_ns = job_ns < 0 ? duration_ns : job_ns, of_job.ranks = ranks_,
                    of_job.aligned = true, of_job.complete = true});
    for (std::int64_t rank = 0; rank < ranks_; ++rank) {
      step_times_.Add({of_rank.rank = rank, of_rank.capture = 0, of_rank.step = step,
                       of_rank.duration_ns = duration_ns, of_rank.complete = true});
      time_.Add({of_device.rank = rank, of_device.capture = 0, of_device.device = 0,
                 of_device.step = step, of_device.duration_ns = duration_ns,
                 of_device.compute_ns = duration_ns, of_device.exposed_communication_ns = 0,
                 of_device.exposed_copy_ns = 0, of_device.idle_host_ns = 0,
                 of_device.idle_data_ns = 0, of_device.idle_sync_ns = 0,
                 of_device.idle_launch_ns = 0, of_device.idle_gap_ns = 0,
                 of_device.idle_stream_ns = 0, of_device.unknown_ns = 0,
                 of_device.not_observed_ns = 0, of_device.complete = true});
    }
    return *this;
  }

  // Adds work in the step added last, summed over all devices.
  JobForDiff& Work(std::string_view path, std::string_view name, std::int64_t duration_ns,
                   std::int64_t count = 1, std::string_view shapes = "[[8]]",
                   std::string_view part = "compute") {
    AddWork(work_, std::nullopt, path, name, duration_ns, count, shapes, part);
    return *this;
  }
  // The same for one rank's device, for the table with ranks=1.
  JobForDiff& WorkOfRank(std::int64_t rank, std::string_view path, std::string_view name,
                         std::int64_t duration_ns) {
    AddWork(work_of_ranks_, rank, path, name, duration_ns, 1, "[[8]]", "compute");
    return *this;
  }
  JobForDiff& Idle(std::string_view path, std::int64_t duration_ns) {
    return Work(path, "", duration_ns, 1, "", "idle_host");
  }

  JobTables Tables() const {
    return {.captures = &captures_,
            .job_steps = &job_steps_,
            .step_times = &step_times_,
            .time_breakdown = &time_,
            .step_work = &work_,
            .step_work_of_ranks = work_of_ranks_.row_count() > 0 ? &work_of_ranks_ : nullptr};
  }

 private:
  void AddWork(TableOf<StepWork>& table, std::optional<std::int64_t> rank, std::string_view path,
               std::string_view name, std::int64_t duration_ns, std::int64_t count,
               std::string_view shapes, std::string_view part) {
    const auto& columns = SchemaOf<StepWork>();
    table.Add({columns.group = 0, columns.step = step_, columns.rank = rank,
               columns.complete = true, columns.part = part, columns.phase = "forward",
               columns.path = path, columns.shapes = shapes,
               columns.name = name.empty() ? Value(kNull) : Value(name), columns.class_ = "gemm",
               columns.count = count, columns.duration_ns = duration_ns,
               columns.first_ns = static_cast<std::int64_t>(table.row_count())});
  }

  std::int64_t ranks_;
  std::int64_t step_ = 0;
  TableOf<Captures> captures_ = SchemaOf<Captures>().NewTable("captures");
  TableOf<JobSteps> job_steps_ = SchemaOf<JobSteps>().NewTable("job_steps");
  TableOf<StepTimes> step_times_ = SchemaOf<StepTimes>().NewTable("step_times");
  TableOf<TimeBreakdown> time_ = SchemaOf<TimeBreakdown>().NewTable("time_breakdown");
  TableOf<StepWork> work_ = SchemaOf<StepWork>().NewTable("step_work");
  TableOf<StepWork> work_of_ranks_ = SchemaOf<StepWork>().NewTable("step_work");
};

}  // namespace rankscope
