#include "job/match_lists.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/median.h"
#include "base/saturating.h"
#include "job/clock_difference.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostFirstSamples = 96;  // entries that a shift is tried with
constexpr std::size_t kFewestEnds = 4;         // for a line that may overrule order
// Ends that scatter by less are those of the same collectives.
constexpr double kSurelySameNs = 10'000;
constexpr double kToleranceOfSpread = 12;  // 8 standard deviations of a normal distribution
// So many misfits, or pairs on the line, next to each other are no chance.
constexpr std::size_t kFewestInARow = 3;
// How far lists without steps may be shifted against each other, and those of one step.
constexpr std::int64_t kMostShift = 256;
constexpr std::int64_t kMostShiftInStep = 64;
// Shifts whose costs differ by no more say the same.
constexpr double kSameCost = 0.5;
constexpr std::int64_t kUnpaired = 10'000'000;  // cost of an entry without a partner
// Beyond so many cells lists are laid on each other as they are.
constexpr std::size_t kMostCells = std::size_t{1} << 25;

// The median time between two neighbours.
double SpacingOf(std::span<const ListEntry> list) {
  if (list.size() < 2) return 0;
  const std::size_t gaps = list.size() - 1;
  const std::size_t samples = std::min(gaps, kMostFirstSamples);
  std::vector<double> spacing(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    const std::size_t at = i * gaps / samples;
    spacing[i] = std::abs(Difference(list[at + 1].end_ns, list[at].end_ns));
  }
  return MedianOf(spacing);
}

// Entries of one step, in both lists.
struct Block {
  std::size_t master = 0, master_end = 0;
  std::size_t list = 0, list_end = 0;
  bool is_clean = false;  // matched entry by entry

  std::size_t master_size() const { return master_end - master; }
  std::size_t list_size() const { return list_end - list; }
};

class Matcher {
 public:
  Matcher(std::span<const ListEntry> master, std::span<const ListEntry> list)
      : master_(master), list_(list), spacing_(SpacingOf(master)) {
    match_.to.assign(list.size(), ListMatch::kNone);
  }

  ListMatch Run() {
    std::vector<Block> blocks = BlocksByStep();
    for (Block& block : blocks) block.is_clean = IsOfSameKinds(block);
    FindLine(blocks);
    for (Block& block : blocks) block.is_clean &= !HasMisfitsInARow(block);
    for (std::size_t i = 0; i < blocks.size();) {
      if (blocks[i].is_clean) {
        MatchOneByOne(blocks[i++]);
        continue;
      }
      Block region = blocks[i++];
      for (; i < blocks.size() && !blocks[i].is_clean; ++i) {
        region.master_end = blocks[i].master_end;
        region.list_end = blocks[i].list_end;
      }
      MatchRegion(region);
    }
    match_.ahead_ns = std::llround(std::clamp(line_.offset, -4e18, 4e18));
    return std::move(match_);
  }

 private:
  // One block where either has no steps, where steps do not follow each other, or none is in both.
  std::vector<Block> BlocksByStep() const {
    const Block all{.master_end = master_.size(), .list_end = list_.size()};
    std::vector<Block> blocks;
    bool any = false;
    std::size_t m = 0;
    std::size_t l = 0;
    while (m < master_.size() || l < list_.size()) {
      const bool has_master = m < master_.size();
      const bool has_list = l < list_.size();
      const std::int64_t step = !has_master ? list_[l].step
                                : !has_list ? master_[m].step
                                            : std::min(master_[m].step, list_[l].step);
      Block block{.master = m, .list = l};
      while (m < master_.size() && master_[m].step == step) ++m;
      while (l < list_.size() && list_[l].step == step) ++l;
      block.master_end = m;
      block.list_end = l;
      if (!blocks.empty() && step < last_step_of(blocks.back())) return {all};
      any |= step != ListEntry::kBefore && step != ListEntry::kBehind && block.master_size() > 0 &&
             block.list_size() > 0;
      blocks.push_back(block);
    }
    return any ? blocks : std::vector<Block>{all};
  }
  std::int64_t last_step_of(const Block& block) const {
    return block.master_size() > 0 ? master_[block.master].step : list_[block.list].step;
  }

  bool IsOfSameKinds(const Block& block) const {
    return block.master_size() == block.list_size() &&
           std::equal(master_.begin() + static_cast<std::ptrdiff_t>(block.master),
                      master_.begin() + static_cast<std::ptrdiff_t>(block.master_end),
                      list_.begin() + static_cast<std::ptrdiff_t>(block.list),
                      [](const ListEntry& a, const ListEntry& b) { return a.kind == b.kind; });
  }

  void FindLine(const std::vector<Block>& blocks) {
    LineThrough ends;
    std::size_t clean = 0;
    for (const Block& block : blocks) {
      if (!block.is_clean || block.list_size() == 0) continue;
      ++clean;
      for (std::size_t i = 0; i < block.list_size(); ++i)
        ends.Add(master_[block.master + i], list_[block.list + i]);
    }
    line_ = ends.Fit();
    // Of several steps the marks decide; of one, or of none, an equal number may be chance, which
    // the ends tell where there are any.
    const bool is_sure = clean >= 2 || (clean == 1 && line_.spread <= kSurelySameNs);
    if (!is_sure) {
      if (const auto line = VoteForLine(master_, list_, PlacesIn(blocks))) {
        line_ = *line;
      } else if (blocks.size() == 1) {
        shift_ = FindShift();
      }
    }
    tolerance_ = std::max(kLeastToleranceNs, kToleranceOfSpread * line_.spread);
    is_line_known_ = line_.ends >= kFewestEnds && tolerance_ <= spacing_;
  }

  // Of the same step; without steps those at the same place of the lists, and at the same time.
  MasterPlaces PlacesIn(const std::vector<Block>& blocks) const {
    return [this, &blocks](std::size_t entry,
                           std::vector<std::pair<std::size_t, std::size_t>>& ranges) {
      const auto around = [](std::size_t middle, std::size_t most, const Block& block) {
        const std::size_t first = std::max(block.master, middle - std::min(middle, most));
        return std::pair(std::min(first, block.master_end),
                         std::min(block.master_end, middle + most + 1));
      };
      const auto block = std::partition_point(
          blocks.begin(), blocks.end(), [&](const Block& one) { return one.list_end <= entry; });
      if (blocks.size() > 1) {
        ranges.push_back(around(block->master + entry - block->list, kMostShiftInStep, *block));
        return;
      }
      const auto near = std::partition_point(
          master_.begin(), master_.end(),
          [&](const ListEntry& other) { return other.end_ns < list_[entry].end_ns; });
      const auto by_time =
          around(static_cast<std::size_t>(near - master_.begin()), kMostShift, *block);
      const auto by_place = around(entry, kMostShift, *block);
      ranges.push_back(by_place);
      // Each once.
      if (by_time.first < by_place.first)
        ranges.emplace_back(by_time.first, std::min(by_time.second, by_place.first));
      if (by_time.second > by_place.second)
        ranges.emplace_back(std::max(by_time.first, by_place.second), by_time.second);
    };
  }

  // Lays the line through the ends at the shift of the whole list at which most entries agree in
  // kind and lie on it, the nearest in time among equals. Returns the shift; nullopt when nothing
  // agrees at any.
  std::optional<std::int64_t> FindShift() {
    if (master_.empty() || list_.empty()) return std::nullopt;
    const auto near = std::partition_point(
        master_.begin(), master_.end(),
        [&](const ListEntry& entry) { return entry.end_ns < list_.front().end_ns; });
    std::vector<Shifted> candidates;
    // Of ranks whose recordings begin together, and by time.
    for (const std::int64_t middle : {std::int64_t{0}, near - master_.begin()}) {
      for (std::int64_t shift = middle - kMostShift; shift <= middle + kMostShift; ++shift) {
        Shifted shifted = ShiftedBy(shift);
        if (shifted.pairs > 0) candidates.push_back(shifted);
      }
    }
    double least = INFINITY;
    for (const Shifted& candidate : candidates) least = std::min(least, candidate.cost);
    const Shifted* best = nullptr;
    for (const Shifted& candidate : candidates) {
      if (candidate.cost > least + kSameCost) continue;
      if (best == nullptr || std::abs(candidate.line.offset) < std::abs(best->line.offset))
        best = &candidate;
    }
    if (best == nullptr) return std::nullopt;
    line_ = best->line;
    return best->shift;
  }

  // The list laid on the master with its first entry on the `shift`-th one.
  struct Shifted {
    std::int64_t shift = 0;
    std::size_t pairs = 0;  // of the entries that were looked at
    double cost = 0;
    ClockLine line;
  };
  // The cost is, of evenly spaced entries, 1 for each without a partner of its kind, else how far
  // it lies from the line: near 1 for what is much further than ends scatter.
  Shifted ShiftedBy(std::int64_t shift) const {
    const std::size_t samples = std::min(list_.size(), kMostFirstSamples);
    LineThrough ends;
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0; i < samples; ++i) {
      const std::size_t l = i * list_.size() / samples;
      const std::int64_t m = shift + static_cast<std::int64_t>(l);
      if (m < 0 || m >= static_cast<std::int64_t>(master_.size())) continue;
      const auto at = static_cast<std::size_t>(m);
      if (master_[at].kind != list_[l].kind) continue;
      pairs.emplace_back(at, l);
      ends.Add(master_[at], list_[l]);
    }
    Shifted shifted{.shift = shift,
                    .pairs = pairs.size(),
                    .cost = static_cast<double>(samples - pairs.size()),
                    .line = ends.Fit()};
    if (shifted.line.ends == 0 && !pairs.empty()) {
      // Nothing tells the clocks apart: the nearest in time is all there is.
      const auto& [m, l] = pairs.front();
      shifted.line.offset = Difference(list_[l].end_ns, master_[m].end_ns);
      return shifted;
    }
    for (const auto& [m, l] : pairs) {
      if (!master_[m].ends_together || !list_[l].ends_together) continue;
      const double rest = std::abs(shifted.line.RestOf(master_[m], list_[l]));
      shifted.cost += rest / (rest + kLeastToleranceNs);
    }
    return shifted;
  }

  bool IsMisfit(const ListEntry& master, const ListEntry& entry) const {
    return is_line_known_ && master.ends_together && entry.ends_together &&
           std::abs(line_.RestOf(master, entry)) > tolerance_;
  }

  bool HasMisfitsInARow(const Block& block) const {
    if (!block.is_clean || !is_line_known_) return false;
    std::size_t row = 0;
    for (std::size_t i = 0; i < block.list_size(); ++i) {
      row = IsMisfit(master_[block.master + i], list_[block.list + i]) ? row + 1 : 0;
      if (row == kFewestInARow) return true;
    }
    return false;
  }

  void Pair(std::size_t m, std::size_t l) { match_.to[l] = static_cast<std::uint32_t>(m); }

  void MatchOneByOne(const Block& block) {
    for (std::size_t i = 0; i < block.list_size(); ++i) Pair(block.master + i, block.list + i);
  }

  // Steps differ where both are known.
  static bool AreStepsApart(const ListEntry& a, const ListEntry& b) {
    const auto is_marked = [](std::int64_t step) {
      return step != ListEntry::kBefore && step != ListEntry::kBehind;
    };
    return is_marked(a.step) && is_marked(b.step) && a.step != b.step;
  }

  // A mark that lies elsewhere is believed only where the ends say that the pair is one.
  bool MayBeOne(const ListEntry& master, const ListEntry& entry) const {
    if (master.kind != entry.kind) return false;
    return !AreStepsApart(master, entry) ||
           (line_.ends > 0 && master.ends_together && entry.ends_together &&
            std::abs(line_.RestOf(master, entry)) <= tolerance_);
  }

  std::int64_t CostOfMatch(const ListEntry& master, const ListEntry& entry) const {
    const double rest = std::abs(line_.RestOf(master, entry));
    // 0 to 999: what is nearer is preferred, but it takes very many ends to outweigh a partner.
    const auto far = static_cast<std::int64_t>(std::min(999.0, 30 * std::log2(1 + rest)));
    return far + (IsMisfit(master, entry) ? kUnpaired : 0) +
           (AreStepsApart(master, entry) ? kUnpaired : 0);
  }

  void MatchRegion(const Block& region) {
    Block gap = region;
    for (const auto& [m, l] : SurePairs(region)) {
      gap.master_end = m;
      gap.list_end = l;
      MatchGap(gap);
      Pair(m, l);
      gap = {.master = m + 1,
             .master_end = region.master_end,
             .list = l + 1,
             .list_end = region.list_end};
    }
    MatchGap(gap);
  }

  // Where the line of the clocks is known: pairs of one kind that lie on it, in the order of their
  // ends, and alone; three of them next to each other, for one may lie there by chance.
  std::vector<std::pair<std::size_t, std::size_t>> SurePairs(const Block& region) const {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    if (!is_line_known_) return pairs;
    const auto may_be = [&](std::size_t m, std::size_t l) {
      return m < region.master_end && l < region.list_end && master_[m].kind == list_[l].kind &&
             master_[m].ends_together && list_[l].ends_together &&
             !AreStepsApart(master_[m], list_[l]) &&
             std::abs(line_.RestOf(master_[m], list_[l])) <= tolerance_;
    };
    std::size_t m = region.master;
    std::size_t l = region.list;
    while (m < region.master_end && l < region.list_end) {
      if (!may_be(m, l)) {
        // The one that ended earlier has no sure partner.
        ++(line_.RestOf(master_[m], list_[l]) < 0 ? l : m);
        continue;
      }
      if (!may_be(m + 1, l) && !may_be(m, l + 1)) pairs.emplace_back(m, l);
      ++m;
      ++l;
    }
    std::vector<std::pair<std::size_t, std::size_t>> sure;
    for (std::size_t begin = 0; begin < pairs.size();) {
      std::size_t end = begin + 1;
      while (end < pairs.size() && pairs[end].first == pairs[end - 1].first + 1 &&
             pairs[end].second == pairs[end - 1].second + 1)
        ++end;
      if (end - begin >= kFewestInARow)
        sure.insert(sure.end(), pairs.begin() + static_cast<std::ptrdiff_t>(begin),
                    pairs.begin() + static_cast<std::ptrdiff_t>(end));
      begin = end;
    }
    return sure;
  }

  void MatchGap(Block gap) {
    if (gap.master_size() == 0 || gap.list_size() == 0) return;
    CutToOverlap(gap);
    const std::size_t n = gap.list_size();
    const std::size_t m = gap.master_size();
    const std::size_t apart = n > m ? n - m : m - n;
    bool is_done = n == 0 || m == 0;
    for (std::size_t half = apart + 8; !is_done; half *= 2) {
      if ((2 * half + 1) > kMostCells / (n + 1)) {
        if (half == apart + 8) Overlay(gap);
        break;
      }
      is_done = AlignInBand(gap, half);
    }
    PairUpOthers(gap);
  }

  // Of lists that overlap in part only what overlaps is aligned, and a little more.
  void CutToOverlap(Block& region) const {
    if (!is_line_known_ || region.master == region.master_end || region.list == region.list_end)
      return;
    const auto place = [](std::span<const ListEntry> list, std::int64_t t) {
      const auto found = std::partition_point(
          list.begin(), list.end(), [&](const ListEntry& entry) { return entry.end_ns < t; });
      return static_cast<std::size_t>(found - list.begin());
    };
    Cut(place(master_, line_.ToMaster(list_[region.list].end_ns)),
        place(master_, line_.ToMaster(list_[region.list_end - 1].end_ns)), region.master,
        region.master_end);
    if (region.master == region.master_end) return;
    Cut(place(list_, line_.ToList(master_[region.master].end_ns)),
        place(list_, line_.ToList(master_[region.master_end - 1].end_ns)), region.list,
        region.list_end);
  }
  static void Cut(std::size_t first, std::size_t last, std::size_t& begin, std::size_t& end) {
    constexpr std::size_t kSlack = 16;
    begin = std::clamp(first - std::min(first, kSlack), begin, end);
    end = std::clamp(last + 1 + kSlack, begin, end);
  }

  // Entry by entry at the shift.
  void Overlay(const Block& region) {
    const std::int64_t shift = shift_.value_or(static_cast<std::int64_t>(region.master) -
                                               static_cast<std::int64_t>(region.list));
    for (std::size_t l = region.list; l < region.list_end; ++l) {
      const std::int64_t m = shift + static_cast<std::int64_t>(l);
      if (m < static_cast<std::int64_t>(region.master) ||
          m >= static_cast<std::int64_t>(region.master_end))
        continue;
      const auto at = static_cast<std::size_t>(m);
      if (master_[at].kind == list_[l].kind) Pair(at, l);
    }
  }

  // The alignment of least cost that strays by at most `half` from the diagonal; false when a wider
  // band might have a better one, and nothing is matched.
  bool AlignInBand(const Block& region, std::size_t half) {
    enum Way : std::uint8_t { kMatch, kSkipMaster, kSkipList };
    const auto n = static_cast<std::int64_t>(region.list_size());
    const auto m = static_cast<std::int64_t>(region.master_size());
    const auto h = static_cast<std::int64_t>(half);
    const auto width = static_cast<std::size_t>(2 * h + 1);
    constexpr std::int64_t kNever = INT64_MAX / 4;
    std::vector<std::int64_t> above(width, kNever);  // costs of row i - 1, by j - i + h
    std::vector<std::int64_t> row(width, kNever);
    std::vector<std::uint8_t> ways(width * static_cast<std::size_t>(n + 1));
    for (std::int64_t i = 0; i <= n; ++i) {
      std::fill(row.begin(), row.end(), kNever);
      for (std::int64_t j = std::max<std::int64_t>(0, i - h); j <= std::min(m, i + h); ++j) {
        const auto at = static_cast<std::size_t>(j - i + h);
        std::int64_t best = i == 0 && j == 0 ? 0 : kNever;
        std::uint8_t way = kMatch;
        if (i > 0 && j > 0) {
          const ListEntry& entry = list_[region.list + static_cast<std::size_t>(i - 1)];
          const ListEntry& master = master_[region.master + static_cast<std::size_t>(j - 1)];
          if (above[at] < kNever && MayBeOne(master, entry))
            best = above[at] + CostOfMatch(master, entry);
        }
        if (i > 0 && at + 1 < width && above[at + 1] + kUnpaired < best) {
          best = above[at + 1] + kUnpaired;
          way = kSkipList;
        }
        if (j > 0 && at > 0 && row[at - 1] + kUnpaired < best) {
          best = row[at - 1] + kUnpaired;
          way = kSkipMaster;
        }
        row[at] = best;
        ways[static_cast<std::size_t>(i) * width + at] = way;
      }
      std::swap(above, row);
    }
    const bool is_whole = h >= n && h >= m;
    if (!is_whole && above[static_cast<std::size_t>(m - n + h)] > (h + 1) * kUnpaired) return false;
    for (std::int64_t i = n, j = m; i > 0 || j > 0;) {
      switch (ways[static_cast<std::size_t>(i) * width + static_cast<std::size_t>(j - i + h)]) {
        case kMatch:
          Pair(region.master + static_cast<std::size_t>(--j),
               region.list + static_cast<std::size_t>(--i));
          break;
        case kSkipMaster:
          --j;
          break;
        default:
          --i;
      }
    }
    return true;
  }

  // Between two matches, as many entries of other kinds in one list as in the other.
  void PairUpOthers(const Block& region) {
    std::size_t m = region.master;
    for (std::size_t l = region.list; l < region.list_end;) {
      if (match_.to[l] != ListMatch::kNone) {
        m = match_.to[l++] + std::size_t{1};
        continue;
      }
      std::size_t end = l;
      while (end < region.list_end && match_.to[end] == ListMatch::kNone) ++end;
      const std::size_t master_end =
          end < region.list_end ? std::size_t{match_.to[end]} : region.master_end;
      bool are_others = end - l == master_end - m;
      for (std::size_t i = 0; are_others && i < end - l; ++i) {
        are_others = master_[m + i].kind != list_[l + i].kind &&
                     !AreStepsApart(master_[m + i], list_[l + i]);
      }
      for (std::size_t i = 0; are_others && i < end - l; ++i) Pair(m + i, l + i);
      l = end;
    }
  }

  std::span<const ListEntry> master_, list_;
  double spacing_;
  ClockLine line_;
  double tolerance_ = kLeastToleranceNs;
  bool is_line_known_ = false;
  std::optional<std::int64_t> shift_;  // where no step says how the lists lie
  ListMatch match_;
};

}  // namespace

ListMatch MatchList(std::span<const ListEntry> master, std::span<const ListEntry> list) {
  return Matcher(master, list).Run();
}

}  // namespace rankscope
