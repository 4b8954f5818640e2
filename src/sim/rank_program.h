// RankProgram: what one rank does in a training step, in order.
//
// A step is run in two parts. Up to its rendezvous nothing depends on when an all-reduce ends; the
// optimizer after it does. So all ranks can run the first part, the rendezvous of all their
// all-reduces is worked out (schedule.h), and then all can run the second.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/kineto/writer.h"
#include "sim/job_plan.h"
#include "sim/machine.h"
#include "sim/recorder.h"

namespace rankscope::sim {

class RankProgram {
 public:
  // `recorder` may be null: only time passes.
  RankProgram(const JobPlan& plan, int rank, Recorder* recorder);

  // `end_ns` holds the end of each of the step's collectives, or is null while they are unknown.
  // Steps come in order, each with both calls.
  void RunToRendezvous(int step, const std::int64_t* end_ns);
  void RunToStepEnd(int step, const std::int64_t* end_ns);
  // What the profiler does after the last step, and the records at the end of the trace.
  void Finish();

  // When this rank was ready for each collective of the step, after RunToRendezvous.
  const std::vector<std::int64_t>& ready_ns() const { return ready_ns_; }

 private:
  void LoadBatch();
  void Forward(std::int64_t first_sequence);
  void Backward(std::int64_t first_sequence, bool synchronises);
  void RunForward(const OpUnit& unit, int index, std::int64_t sequence);
  void RunBackward(const OpUnit& unit, int index, std::int64_t sequence);
  void RunTree(const std::vector<OpNode>& nodes, std::int64_t sequence);
  void ReduceBucket();
  void Optimize();
  void ReadLoss();

  const JobPlan& plan_;
  Recorder* recorder_;
  Machine machine_;
  std::int64_t begin_ns_;                 // of the recording
  const std::int64_t* end_ns_ = nullptr;  // of the current step's collectives
  int next_collective_ = 0;
  std::int64_t collectives_launched_ = 0;
  std::vector<std::int64_t> ready_ns_;
  std::vector<EventMark> reduced_;  // recorded behind each collective
  EventMark prefetched_;            // recorded behind the copy of the next batch
};

}  // namespace rankscope::sim
