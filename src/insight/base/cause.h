// A cause of slowness found by a rule, and the job without it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/scenario/scenario.h"

namespace rankscope {

// Of several causes that explain the same time, the one with the lower tier is reported.
//
// Named causes come before general ones (general ids): a named cause claims its time, and a general
// id reports the rest.
enum class Tier : std::uint8_t {
  kRoot,         // something is broken or an outlier: a rank, a link, a step
  kBeyondPeers,  // general: ranks take longer than their peers
  kBeyondSteps,  // general: a step takes longer than the others
  kProgram,      // the program does unnecessary work
  kExposed,      // general: devices wait for work that could overlap with theirs
  kNature,       // the work is necessary, but could be arranged better
};
bool IsGeneral(Tier tier);  // whether the tier has general causes without their own name

// The kind of time: the column `what` of contributions.
enum class Takes : std::uint8_t {
  kSlowerKernels,
  kMoreWork,
  kKernels,  // kernels that could be fewer or replaced
  kCopies,
  kHostWork,
  kLaunching,
  kData,
  kSync,
  kAllocator,
  kTransfer,
  kSchedule,  // of a pipeline
  kOutlier,   // a step, against the others
  kMemory,    // no time yet: memory runs out
  kUnknown,   // nothing recorded tells
};
std::string_view ToString(Takes takes);  // "slower kernels", ...

// A row of evidence: columns and values, in order.
using EvidenceRow = std::vector<std::pair<std::string, std::string>>;

// A possible rearrangement, and the job with it.
struct Proposal {
  std::string what;  // "2 layers of stage 1 to stage 0"
  Scenario then;
};

struct Cause {
  std::string id;
  Tier tier = Tier::kProgram;
  Takes takes = Takes::kKernels;
  std::vector<std::uint32_t> ranks;  // dense numbers, ascending: the ranks with the cause
  std::vector<std::uint32_t> steps;  // of the graph, ascending; empty: all counted steps
  std::optional<Scenario> without;   // nullopt: the gain does not come from a replay
  std::optional<double> gain;        // share of the step, if not from a replay
  std::string_view gain_method = "replay";
  double confidence = 0.9;              // of the detection; combined with the replay's
  std::optional<std::int64_t> lost_ns;  // mean per step and rank
  // Of a cause of some steps: the mean over the steps of each rank that have it.
  std::optional<std::int64_t> lost_there_ns;
  std::optional<std::int64_t> time_to_failure_ns;
  // Reported even if it gains nothing before other causes are removed: slow kernels cost no time
  // while their host is late.
  bool told_when_hidden = false;
  // Reported with low severity even if it gains less than the minimum for findings.
  bool told_anyway = false;
  // It has a benefit that no recording shows (memory): reported with low severity, whatever its
  // gain.
  bool is_trade = false;
  // No evidence in the recordings that the gain is attainable (such as a faster equal kernel):
  // reported with low severity, after certain causes.
  bool is_unproven = false;
  bool is_rest = false;  // the rest after named causes: reported after those of its severity
  std::string what;      // the sentence of the title, without the gain
  std::string why;       // how it is known
  std::string recommendation;
  std::optional<Proposal> proposal;  // reported with the recommendation if it gains
  std::string command;               // shows the evidence
  std::vector<std::string> tables;   // with the evidence, the most telling first
  // Example nodes, the worst first.
  std::vector<NodeId> nodes;
  // Its places, by time: durations of its work there, without waits, summed over all its ranks and
  // steps.
  struct Place {
    std::string op;        // or call, annotation or frame
    std::string_view key;  // "call" or "annotation" where it is one, else ""
    std::string module;    // as CodeSite
    std::string function;  // as CodeSite
    std::int64_t ns = 0;
  };
  std::vector<Place> places;
  std::string evidence_table;  // the table of these rows
  std::vector<EvidenceRow> evidence;
};

}  // namespace rankscope
