#include "job/captures.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <span>
#include <string_view>

#include "base/saturating.h"

namespace rankscope {
namespace {

// Clocks of hosts that are kept in time by NTP differ by less.
constexpr std::int64_t kMostClockDifferenceNs = 250'000'000;

// The number behind "rank" or "worker" in the file's name, whatever the case and with one of - _ .
// between: "Rank_3.json".
std::optional<std::int64_t> RankInName(const std::string& path) {
  std::string name = path.substr(path.find_last_of('/') + 1);
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string_view word : {std::string_view("rank"), std::string_view("worker")}) {
    for (std::size_t at = name.find(word); at != std::string::npos; at = name.find(word, at + 1)) {
      std::string_view rest = std::string_view(name).substr(at + word.size());
      if (!rest.empty() && std::string_view("-_.").find(rest[0]) != std::string_view::npos)
        rest.remove_prefix(1);
      std::int32_t rank = -1;
      const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), rank);
      if (error == std::errc() && rank >= 0) return rank;
    }
  }
  return std::nullopt;
}

void Note(Capture& capture, std::string message) {
  capture.quality.push_back({QualityCode::kMissingMetadata, -1, 1, std::move(message)});
}

// Numbers in names count only when they tell the files apart: "job-worker-3_100.json" and
// "job-worker-3_101.json" name a host.
std::map<const Capture*, std::int64_t> RanksInNames(const std::vector<Capture>& captures) {
  std::map<const Capture*, std::int64_t> ranks;
  std::set<std::int64_t> distinct;
  for (const Capture& capture : captures) {
    if (capture.rank_is_stated) continue;
    if (const auto rank = RankInName(capture.path)) {
      ranks[&capture] = *rank;
      distinct.insert(*rank);
    }
  }
  if (distinct.size() < ranks.size()) ranks.clear();
  return ranks;
}

void ResolveRanks(std::vector<Capture>& captures) {
  const auto in_names = RanksInNames(captures);
  std::set<std::int64_t> taken;
  std::vector<Capture*> unnamed;
  for (Capture& capture : captures) {
    if (!capture.rank_is_stated) {
      const auto from_name = in_names.find(&capture);
      if (from_name == in_names.end()) {
        unnamed.push_back(&capture);
        continue;
      }
      capture.rank = from_name->second;
      Note(capture, "the file does not state its rank, which was taken from the file's name");
    }
    taken.insert(capture.rank);
  }
  std::int64_t next = 0;
  for (Capture* capture : unnamed) {
    while (taken.contains(next)) ++next;
    capture->rank = next++;
    // A single recording needs no rank to be told from others.
    if (captures.size() == 1) continue;
    Note(*capture,
         "the file does not state its rank and was taken as the first that is free; initialise "
         "torch.distributed before profiling to have it stated");
  }
}

// Numbers each rank's captures in time order; leaves out what overlaps.
void NumberCaptures(std::vector<Capture>& captures) {
  std::stable_sort(captures.begin(), captures.end(), [](const Capture& a, const Capture& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.begin_ns < b.begin_ns;
  });
  Capture* last = nullptr;
  std::int64_t index = 0;
  for (Capture& capture : captures) {
    if (last == nullptr || last->rank != capture.rank) {
      index = 0;
      last = nullptr;
    }
    capture.index = index++;
    if (last != nullptr && capture.begin_ns < last->end_ns) {
      Capture& loser = capture.rows > last->rows ? *last : capture;
      Capture& winner = &loser == last ? capture : *last;
      loser.selected = false;
      loser.quality.push_back({QualityCode::kDuplicateCapture, -1, 1,
                               fmt::format("overlaps in time with {}, which is of the same rank "
                                           "and larger; this file was left out",
                                           winner.path)});
      last = &winner;
    } else {
      last = &capture;
    }
  }
}

// Recordings of ranks that overlap belong together. Clocks of hosts differ, so that those of short
// recordings may not overlap: they join the ones before when these are of other ranks.
void GroupCaptures(std::vector<Capture>& captures) {
  std::vector<Capture*> by_begin;
  by_begin.reserve(captures.size());
  for (Capture& capture : captures) by_begin.push_back(&capture);
  std::stable_sort(by_begin.begin(), by_begin.end(),
                   [](const Capture* a, const Capture* b) { return a->begin_ns < b->begin_ns; });
  std::int64_t group = -1;
  std::int64_t end = INT64_MIN;
  std::set<std::int64_t> ranks;  // of the group
  for (std::size_t i = 0; i < by_begin.size();) {
    // What overlaps, [i, next).
    std::int64_t end_of_these = by_begin[i]->end_ns;
    std::size_t next = i + 1;
    for (; next < by_begin.size() && by_begin[next]->begin_ns < end_of_these; ++next)
      end_of_these = std::max(end_of_these, by_begin[next]->end_ns);
    const std::span<Capture*> these = std::span(by_begin).subspan(i, next - i);
    const bool joins =
        group >= 0 && SaturatingSubtract(by_begin[i]->begin_ns, end) <= kMostClockDifferenceNs &&
        std::none_of(these.begin(), these.end(),
                     [&](const Capture* capture) { return ranks.contains(capture->rank); });
    if (!joins) {
      ++group;
      ranks.clear();
    }
    for (Capture* capture : these) {
      capture->group = group;
      ranks.insert(capture->rank);
    }
    end = end_of_these;
    i = next;
  }
}

std::int64_t LatestLargestGroup(const std::vector<Capture>& captures) {
  std::map<std::int64_t, std::set<std::int64_t>> ranks;
  for (const Capture& capture : captures) {
    if (capture.selected) ranks[capture.group].insert(capture.rank);
  }
  std::int64_t best = -1;
  std::size_t most = 0;
  for (const auto& [group, members] : ranks) {
    if (members.size() >= most) {
      most = members.size();
      best = group;
    }
  }
  return best;
}

}  // namespace

void ArrangeCaptures(std::vector<Capture>& captures, const CaptureSelection& selection) {
  ResolveRanks(captures);
  NumberCaptures(captures);
  GroupCaptures(captures);
  const bool one_group = selection.which != CaptureSelection::Which::kAll;
  const std::int64_t group = selection.which == CaptureSelection::Which::kGroup
                                 ? selection.group
                                 : LatestLargestGroup(captures);
  for (Capture& capture : captures) {
    if (one_group && capture.group != group) capture.selected = false;
    if (selection.ranks && !selection.ranks->contains(capture.rank)) capture.selected = false;
  }
}

}  // namespace rankscope
