// The subject of a table or a finding: the data that it is made from.
//
// A subject is listed here once a table or finding uses it. To add one, add a line here and a word
// in subject.cc.
#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope {

enum class Subject : std::uint8_t {
  kEvents,        // the events of a job, which SQL reads in addition to tables
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
