// A cause of slowness that a rule has recognised, and what the job would be without it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/scenario.h"

namespace rankscope {

// Which of several causes that explain the same time is told: the lower one.
//
// Within each what has a name comes before what has none (general ids): a name claims the time that
// it explains, and a general id says what is left.
enum class Tier : std::uint8_t {
  kRoot,         // something broke or is out of line: a rank, a link, a step
  kBeyondPeers,  // general: ranks take longer than their peers
  kBeyondSteps,  // general: a step takes longer than the others
  kProgram,      // the program does what it need not do
  kExposed,      // general: devices wait for what could be done beside them
  kNature,       // the program does what it does; it could be arranged better
};
bool IsGeneral(Tier tier);  // whether causes of the tier have no name of their own

// What takes the time: the column `what` of contributions.
enum class Takes : std::uint8_t {
  kSlowerKernels,
  kMoreWork,
  kKernels,  // that could be fewer, or other ones
  kCopies,
  kHostWork,
  kLaunching,
  kData,
  kSync,
  kAllocator,
  kTransfer,
  kSchedule,  // of a pipeline
  kOutlier,   // a step, against the others
  kMemory,    // no time yet: it runs out
};
std::string_view ToString(Takes takes);  // "slower kernels", ...

// A row of evidence: columns and what they say, in order.
using EvidenceRow = std::vector<std::pair<std::string, std::string>>;

// What could be arranged otherwise, and the job then.
struct Proposal {
  std::string what;  // "2 layers of stage 1 to stage 0"
  Scenario then;
};

struct Cause {
  std::string id;
  Tier tier = Tier::kProgram;
  Takes takes = Takes::kKernels;
  std::vector<std::uint32_t> ranks;  // dense numbers, ascending: where it sits
  std::vector<std::uint32_t> steps;  // of the graph, ascending; empty: all that count
  std::optional<Scenario> without;   // nullopt: no replay tells its gain
  std::optional<double> gain;        // share of the step, where no replay tells it
  std::string_view gain_method = "replay";
  double confidence = 0.9;              // of the recognition; the replay's is taken into it
  std::optional<std::int64_t> lost_ns;  // in a step on a rank, in the mean
  std::optional<std::int64_t> time_to_failure_ns;
  // Told, too, when it gains nothing before others are gone: on a host that is late, slow kernels
  // cost no time until it is not.
  bool told_when_hidden = false;
  // Told with low severity even when it gains less than a finding must.
  bool told_anyway = false;
  // It buys what no recording shows (memory): told with low severity, however much it gains.
  bool is_trade = false;
  // Nothing in the recordings shows that it can be had (another of its like that is faster, say):
  // told with low severity, behind what is known.
  bool is_unproven = false;
  bool is_rest = false;  // what is left beside named causes: told behind those of its severity
  std::string what;      // the sentence of the title, without the gain
  std::string why;       // how it is known
  std::string recommendation;
  std::optional<Proposal> proposal;  // told with the recommendation, where it gains
  std::string command;               // that shows it
  // Where it can be seen: nodes, the worst first.
  std::vector<NodeId> nodes;
  // Where it sits, by time: durations of its work there, without waits, summed over all its ranks
  // and steps.
  struct Place {
    std::string op;        // or call, annotation or frame
    std::string_view key;  // "call" or "annotation" where it is one, else ""
    std::string module;    // as CodeSite
    std::string function;  // as CodeSite
    std::int64_t ns = 0;
  };
  std::vector<Place> places;
  std::string evidence_table;  // whose rows these are
  std::vector<EvidenceRow> evidence;
};

}  // namespace rankscope
