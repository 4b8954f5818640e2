// What a table is made of, and what a finding is looked for in.
//
// A subject is here once something is declared of it. Another one is a line here and a
// word in subject.cc.
#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope {

enum class Subject : std::uint8_t {
  kEvents,        // the events of a job: what SQL reads besides tables
  kJob,           // the traces of all ranks of a job
  kPair,          // two jobs
  kSnapshot,      // memory snapshots, or a memory timeline
  kDumps,         // of Flight Recorders
  kServing,       // a serving program: its requests, queues and batches
  kPostTraining,  // a run of SFT, DPO, PPO or GRPO: its roles, steps and rollouts
  kFleet,         // all runs of a store
};

// "events", "job", "pair", "snapshot", "dumps", "serving", "post-training",
// "fleet".
std::string_view ToString(Subject subject);

}  // namespace rankscope
