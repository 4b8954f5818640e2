#include "job/runs.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/hash.h"
#include "base/saturating.h"

namespace rankscope {
namespace {

// Cycles of one run may differ in what they do (training, evaluation; prefill, decode) and share
// some kernels. Other models share up to a tenth: pids tell those apart, but for pids of
// containers.
constexpr double kLeastShared = 0.05;
// Ranks of one program share most, also stages of a pipeline: 0.8 and more.
constexpr double kLeastSharedByRanks = 0.2;

std::string FolderOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

struct Interval64 {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

// Recordings that were made together.
struct Set {
  std::vector<Capture*> captures;
  Interval64 time;
};

bool IsNear(const Interval64& a, const Interval64& b) {
  return SaturatingSubtract(std::max(a.begin_ns, b.begin_ns), std::min(a.end_ns, b.end_ns)) <=
         kMostClockDifferenceNs;
}

bool Overlap(const Capture& a, const Capture& b) {
  return a.begin_ns < b.end_ns && b.begin_ns < a.end_ns;
}

bool IsSameFolder(const Capture& a, const Capture& b) {
  return FolderOf(a.path) == FolderOf(b.path);
}

bool IsSameProcess(const Capture& a, const Capture& b) {
  const bool is_host_known = !a.host.empty() && !b.host.empty();
  return a.pid == b.pid && (!is_host_known || a.host == b.host);
}

// The sets of one folder and world size, in time order.
std::vector<Set> Together(std::vector<Capture*> captures) {
  std::stable_sort(captures.begin(), captures.end(),
                   [](const Capture* a, const Capture* b) { return a->begin_ns < b->begin_ns; });
  std::vector<Set> sets;
  std::set<std::int64_t> ranks;  // of the last set
  for (Capture* capture : captures) {
    const Interval64 time{capture->begin_ns, capture->end_ns};
    const bool joins = !sets.empty() && IsNear(sets.back().time, time) &&
                       (capture->rank < 0 || !ranks.contains(capture->rank));
    if (!joins) {
      sets.push_back({{}, time});
      ranks.clear();
    }
    sets.back().captures.push_back(capture);
    sets.back().time.end_ns = std::max(sets.back().time.end_ns, time.end_ns);
    ranks.insert(capture->rank);
  }
  return sets;
}

class Run {
 public:
  // Whether the set is of this run.
  bool Fits(const Set& set) const {
    const std::int64_t world_size = set.captures.front()->world_size;
    if (world_size_ > 0 && world_size > 0 && world_size != world_size_) return false;
    bool has_shared_rank = false;
    bool has_unnamed = false;
    for (const Capture* capture : set.captures) {
      if (capture->rank < 0) {
        has_unnamed = true;
        continue;
      }
      const auto known = by_rank_.find(capture->rank);
      if (known == by_rank_.end()) continue;
      has_shared_rank = true;
      for (const Capture* other : known->second) {
        // What one process recorded twice in one folder is a duplicate, not another run.
        if (!IsSameProcess(*capture, *other) ||
            (Overlap(*capture, *other) && !IsSameFolder(*capture, *other)) ||
            SharedKernels(*capture, *other) < kLeastShared)
          return false;
      }
    }
    if (has_shared_rank) return true;
    if (has_unnamed) return ContinuesUnnamed(set);
    return (world_size > 1 && world_size == world_size_ && SharesKernels(set)) ||
           std::any_of(times_.begin(), times_.end(),
                       [&](const Interval64& time) { return IsNear(time, set.time); });
  }

  void Add(const Set& set, std::int64_t number) {
    for (Capture* capture : set.captures) {
      capture->run = number;
      by_rank_[capture->rank].push_back(capture);
      world_size_ = std::max(world_size_, capture->world_size);
    }
    times_.push_back(set.time);
  }

 private:
  // Whether the set shares kernels with this run: ranks of one program do, and two programs of as
  // many ranks need not. Some ranks are enough to tell.
  bool SharesKernels(const Set& set) const {
    constexpr std::size_t kEnough = 8;
    std::size_t looked_at = 0;
    for (const auto& [rank, captures] : by_rank_) {
      if (SharedKernels(*set.captures.front(), *captures.front()) >= kLeastSharedByRanks)
        return true;
      if (++looked_at == kEnough) break;
    }
    return false;
  }

  // Whether every one without a rank is a later recording of a process that is known. Files of
  // other folders that say no process may be of any.
  bool ContinuesUnnamed(const Set& set) const {
    const auto known = by_rank_.find(-1);
    if (known == by_rank_.end()) return false;
    return std::all_of(set.captures.begin(), set.captures.end(), [&](const Capture* capture) {
      return std::any_of(known->second.begin(), known->second.end(), [&](const Capture* other) {
        return !Overlap(*capture, *other) && IsSameProcess(*capture, *other) &&
               (capture->pid >= 0 || IsSameFolder(*capture, *other)) &&
               SharedKernels(*capture, *other) >= kLeastShared;
      });
    });
  }

  std::int64_t world_size_ = -1;
  std::map<std::int64_t, std::vector<const Capture*>> by_rank_;
  std::vector<Interval64> times_;
};

std::uint64_t Mixed(std::uint64_t value) {
  value ^= value >> 33U;
  value *= 0xff51afd7ed558ccdULL;
  value ^= value >> 33U;
  value *= 0xc4ceb9fe1a85ec53ULL;
  return value ^ (value >> 33U);
}

}  // namespace

void FindRuns(std::vector<Capture>& captures) {
  std::map<std::pair<std::string, std::int64_t>, std::vector<Capture*>> by_folder;
  for (Capture& capture : captures)
    by_folder[{FolderOf(capture.path), capture.world_size}].push_back(&capture);
  std::vector<Set> sets;
  for (auto& [folder, members] : by_folder) {
    for (Set& set : Together(std::move(members))) sets.push_back(std::move(set));
  }
  std::stable_sort(sets.begin(), sets.end(),
                   [](const Set& a, const Set& b) { return a.time.begin_ns < b.time.begin_ns; });
  std::vector<Run> runs;
  for (const Set& set : sets) {
    auto run = std::find_if(runs.begin(), runs.end(), [&](const Run& of) { return of.Fits(set); });
    if (run == runs.end()) run = runs.insert(runs.end(), Run());
    run->Add(set, run - runs.begin());
  }
}

std::vector<std::uint64_t> HashNames(std::span<const std::string_view> names) {
  if (names.size() < kLeastNames) return {};
  std::vector<std::uint64_t> least(kNameHashes, std::numeric_limits<std::uint64_t>::max());
  for (const std::string_view name : names) {
    const std::uint64_t hash = HashBytes(name).low;
    for (std::size_t i = 0; i < kNameHashes; ++i)
      least[i] = std::min(least[i], Mixed(hash + i * 0x9e3779b97f4a7c15ULL));
  }
  return least;
}

double SharedKernels(const Capture& a, const Capture& b) {
  if (a.kernel_names.size() != kNameHashes || b.kernel_names.size() != kNameHashes) return 1;
  std::size_t equal = 0;
  for (std::size_t i = 0; i < kNameHashes; ++i) equal += a.kernel_names[i] == b.kernel_names[i];
  return static_cast<double>(equal) / kNameHashes;
}

}  // namespace rankscope
