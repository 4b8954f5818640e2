// The cost of groups of frames: ops by name, ops by shape, modules by path. It is their host time
// and the device work that they launched, per rank and merged over ranks.
//
// Device work belongs to the call that launched it (RankTrace::link). A call belongs to the
// innermost frame around it on its thread, and thereby to every frame around that one. Work is
// unattributed if its call is not recorded or lies in no frame. So the work of all groups ("self")
// and the unattributed work sum exactly to all device work. With a filter of steps, a call counts
// in the step in which it begins, and work in the step in which the work itself begins.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stage/analysis.h"
#include "statistics/duration_sketch.h"
#include "table/schema.h"
#include "trace/call_tree.h"

namespace rankscope {

// The effect of an autograd link (forward_backward) on work that the backward op launched.
enum class BackwardWork : std::uint8_t {
  kAlso,    // it counts with its own frames and, in other columns, with those of the forward op
  kInstead  // it counts with the frames of the forward op when it has none of its own
};

struct FrameSum {
  std::int64_t count = 0;          // calls
  std::int64_t own_ns = 0;         // sum of their durations
  std::int64_t host_total_ns = 0;  // the same without calls inside calls of the same group
  std::int64_t host_self_ns = 0;
  std::int64_t shortest_ns = INT64_MAX;
  std::int64_t longest_ns = 0;
  std::int64_t device_total_ns = 0;  // work under them; work under two of the same group once
  std::int64_t device_self_ns = 0;   // work of which they are the innermost frame
  std::int64_t works = 0;            // number of the latter
  std::int64_t backward_total_ns = 0;
  std::int64_t backward_self_ns = 0;
  std::int64_t backward_works = 0;
  DurationSketch sketch;

  bool IsEmpty() const {
    return count == 0 && works == 0 && device_total_ns == 0 && backward_total_ns == 0;
  }
  void Merge(const FrameSum& other);
  std::int64_t AllDeviceSelf() const;  // device_self_ns + backward_self_ns, for kInstead
  // Clamped to the exact range: a bucket's middle may lie outside of the values. count > 0.
  std::int64_t QuantileOf(double q) const;
  double Mean() const { return static_cast<double>(own_ns) / static_cast<double>(count); }
};

// Sums for each group, followed by those of unattributed work. Linear in the rows.
std::vector<FrameSum> SumFrames(const TraceFacts& facts, const FrameTree& frames,
                                const FrameGroups& groups, BackwardWork backward,
                                const StepFilter& steps);

// Joins all groups but the `most` with the most device work under them, then the most host time of
// their own: a trace may have a million names. `kept` are the old numbers of the new groups; when
// groups were joined, the last new group has no entry there.
struct CappedGroups {
  FrameGroups groups;
  std::vector<std::uint32_t> kept;
};
CappedGroups CapGroups(const RankTrace& trace, const FrameTree& frames, const FrameGroups& groups,
                       BackwardWork backward, std::int64_t most);

// The partial: the sums of each group of a rank.
struct FrameSumPartial : Schema<FrameSumPartial> {
  StringColumn name = Text("name", "of the op, or path of the module; or (others), (no op), ...");
  StringColumn shapes = Text("shapes", "of the op's inputs; null where these make no groups");
  StringColumn dtypes = Text("dtypes", "of the op's inputs; null where these make no groups");
  IntColumn count = Int("count");
  IntColumn own_ns = Int("own_ns", "ns");
  IntColumn host_total_ns = Int("host_total_ns", "ns");
  IntColumn host_self_ns = Int("host_self_ns", "ns");
  IntColumn shortest_ns = Int("shortest_ns", "ns");
  IntColumn longest_ns = Int("longest_ns", "ns");
  IntColumn device_total_ns = Int("device_total_ns", "ns");
  IntColumn device_self_ns = Int("device_self_ns", "ns");
  IntColumn works = Int("works");
  IntColumn backward_total_ns = Int("backward_total_ns", "ns");
  IntColumn backward_self_ns = Int("backward_self_ns", "ns");
  IntColumn backward_works = Int("backward_works");
  StringColumn sketch = Text("sketch", "DurationSketch of the calls");
};
extern template const FrameSumPartial& SchemaOf<FrameSumPartial>();
struct FrameNames {
  std::string_view name, shapes, dtypes;  // empty for none
};
void AddSum(const FrameNames& names, const FrameSum& sum, TableOf<FrameSumPartial>& partial);

// A group over all ranks.
struct SumOverRanks {
  FrameSum all;
  struct OfRank {
    std::int64_t count = 0;
    std::int64_t own_ns = 0;
    double Mean() const { return static_cast<double>(own_ns) / static_cast<double>(count); }
  };
  std::map<std::int64_t, OfRank> ranks;

  void Add(std::int64_t rank, const FrameSum& sum);
  void Merge(SumOverRanks&& other);
  // The rank with the longest mean host time per call, the first of equals; nullopt without calls.
  std::optional<std::pair<std::int64_t, OfRank>> Slowest() const;
};

// Sums of all ranks by name, shapes and types.
class SumsByName {
 public:
  using Key = std::array<std::string, 3>;

  Status Add(const Capture& capture, ViewOf<FrameSumPartial> partial);
  void Merge(SumsByName&& other);
  const std::map<Key, SumOverRanks>& sums() const { return sums_; }

 private:
  std::map<Key, SumOverRanks> sums_;
};

// Of the host; empty when nothing was called.
struct CallTimes {
  std::optional<double> mean_ns;
  std::optional<std::int64_t> p50_ns;
  std::optional<std::int64_t> p99_ns;
  std::optional<std::int64_t> max_ns;
  std::optional<std::int64_t> slowest_rank;
  std::optional<double> slowest_mean_ns;  // of that rank
};
CallTimes CallTimesOf(const SumOverRanks& sums);

inline constexpr std::string_view kOtherFrames = "(others)";
// Work that no op launched.
inline constexpr std::string_view kNoOp = "(no op)";

}  // namespace rankscope
