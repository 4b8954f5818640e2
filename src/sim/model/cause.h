// Causes of slowness that can be planted in a job, in a single table.
//
// Their ids are those of the findings that should recognise them. The meaning of severity differs
// per cause and is in the table; severity 0 changes nothing.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "sim/model/job_kind.h"

namespace rankscope::sim {

enum class CauseId : std::uint8_t {
  kSlowGpu,
  kSlowHost,
  kDataStarvation,
  kDataStraggler,
  kHostSync,
  kLaunchBound,
  kExposedCommunication,
  kSlowLink,
  kNetworkJitter,
  kShardingImbalance,
  kExpertImbalance,
  kSequenceImbalance,
  kPipelineBubble,
  kPipelineStageImbalance,
  kAllocatorThrash,
  kMemoryLeak,
  kMemoryPressure,
  kNoTensorCores,
  kLowRoofline,
  kPageableCopy,
  kRedundantCopies,
  kUnfusedOptimizer,
  kGcPause,
  kCheckpointStall,
  kRecompilation,
  kSmallCollectives,
  kRedundantCollectives,
  kPowerThrottle,
  kCpuContention,
};
inline constexpr int kCauseCount = 29;

// Where a cause strikes. A cause that changes a step's collectives must strike all their members.
enum class Scope : std::uint8_t {
  kAllRanks,  // or the ranks given
  kOneRank,   // rank 0, or the ranks given
  kWholeJob,
  kStage,  // all ranks of a pipeline stage: the middle one, or the stages of the ranks given
};

struct CauseInfo {
  CauseId id = CauseId::kSlowGpu;
  std::string_view name;      // "slow-gpu"
  std::string_view what;      // what happens
  std::string_view severity;  // what the number means
  double default_severity = 0;
  double max_severity = 0;
  Scope scope = Scope::kAllRanks;
  bool once = false;         // only in one step, the middle one by default
  unsigned jobs = 0;         // Bit(JobKind) of the jobs that it fits
  std::string_view why_not;  // why it does not fit the other jobs
  bool needs_ranks = false;  // does not fit a job with one rank
};

// In the order of CauseId.
std::span<const CauseInfo> CauseTable();
const CauseInfo& InfoOf(CauseId cause);

struct PlantedCause {
  CauseId cause = CauseId::kSlowGpu;
  double severity = 0;
  std::vector<int> ranks;  // ascending; empty = all
  std::vector<int> steps;  // ascending, from 0; empty = all

  bool StrikesAt(int rank, int step) const;
  bool StrikesRank(int rank) const;  // in at least one step
};

// Parses "3", "2-4", "1+4-6": numbers from 0, ascending, without repeats.
Result<std::vector<int>> ParseNumbers(std::string_view text);

// "ID[:rank=3,steps=2-4,severity=0.3]"; ranks and steps are numbers and ranges joined by "+".
// Checks everything except whether the ranks and steps exist.
Result<PlantedCause> ParsePlantedCause(std::string_view text);

// The ranks that a cause of that scope strikes by default, in words.
std::string_view DefaultPlace(Scope scope);

// The table as Markdown, for docs/simulate.md.
std::string CauseTableMarkdown();

// How many units thing `index` (from 0) gets when each thing gets `share` units on average. The
// first thing gets at least one.
constexpr int CountAt(double share, int index) {
  const auto upto = [share](int count) {
    constexpr double kRounding = 1e-9;
    const double exact = share * count - kRounding;
    const int whole = static_cast<int>(exact);
    return exact > whole ? whole + 1 : whole;
  };
  return upto(index + 1) - upto(index);
}
// The same for shares up to 1.
constexpr bool IsAmong(double share, int index) { return CountAt(share, index) > 0; }

// The causes that strike one rank in one step.
class ActiveCauses {
 public:
  // `tag` marks the instructions that the cause plants.
  void Add(CauseId cause, double severity, std::uint8_t tag);

  // 0 when the cause does not strike.
  double severity(CauseId cause) const { return severities_[static_cast<std::size_t>(cause)]; }
  std::uint8_t tag(CauseId cause) const { return tags_[static_cast<std::size_t>(cause)]; }

 private:
  std::array<double, kCauseCount> severities_{};
  std::array<std::uint8_t, kCauseCount> tags_{};
};

}  // namespace rankscope::sim
