#include "job/captures.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "base/letter_case.h"
#include "base/saturating.h"
#include "job/runs.h"

namespace rankscope {
namespace {

// The number behind the word in a text of lower case, with one of - _ . between or none.
std::optional<std::int64_t> NumberBehind(std::string_view text, std::size_t end_of_word) {
  std::string_view rest = text.substr(end_of_word);
  if (!rest.empty() && std::string_view("-_.").find(rest[0]) != std::string_view::npos)
    rest.remove_prefix(1);
  std::int32_t rank = -1;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), rank);
  return error == std::errc() && rank >= 0 ? std::optional<std::int64_t>(rank) : std::nullopt;
}

struct NamedRank {
  std::int64_t rank = 0;
  std::string_view whose;  // name says it
};

constexpr std::string_view kRankWords[] = {"rank", "worker"};

// The number behind "rank" or "worker" in the file's name, whatever the case: "Rank_3.json"; else
// in the nearest folder whose name begins so: "rank3_ascend_pt/output/trace_view.json".
std::optional<NamedRank> RankInName(std::string_view path) {
  const std::string lower = LowerCase(path);
  std::string_view rest = lower;
  const auto take_last = [&] {
    const std::size_t slash = rest.rfind('/');
    const std::string_view last = rest.substr(slash == std::string_view::npos ? 0 : slash + 1);
    rest = rest.substr(0, slash == std::string_view::npos ? 0 : slash);
    return last;
  };
  const std::string_view name = take_last();
  for (const std::string_view word : kRankWords) {
    for (std::size_t at = name.find(word); at != std::string_view::npos;
         at = name.find(word, at + 1)) {
      if (const auto rank = NumberBehind(name, at + word.size())) return NamedRank{*rank, "file"};
    }
  }
  while (!rest.empty()) {
    const std::string_view folder = take_last();
    for (const std::string_view word : kRankWords) {
      if (!folder.starts_with(word)) continue;
      if (const auto rank = NumberBehind(folder, word.size())) return NamedRank{*rank, "folder"};
    }
  }
  return std::nullopt;
}

void Note(Capture& capture, std::string message) {
  capture.quality.push_back({QualityCode::kMissingMetadata, -1, 1, std::move(message)});
}

// Numbers in names count only when they tell the files apart: "job-worker-3_100.json" and
// "job-worker-3_101.json" name a host.
std::map<const Capture*, NamedRank> RanksInNames(const std::vector<Capture>& captures) {
  std::map<const Capture*, NamedRank> ranks;
  std::set<std::int64_t> distinct;
  for (const Capture& capture : captures) {
    if (capture.rank_is_stated) continue;
    if (const auto rank = RankInName(capture.path)) {
      ranks[&capture] = *rank;
      distinct.insert(rank->rank);
    }
  }
  if (distinct.size() < ranks.size()) ranks.clear();
  return ranks;
}

void TakeRanksFromNames(std::vector<Capture>& captures) {
  for (const auto& [capture_of, named] : RanksInNames(captures)) {
    Capture& capture = captures[static_cast<std::size_t>(capture_of - captures.data())];
    capture.rank = named.rank;
    Note(capture,
         fmt::format("the file does not state its rank, which was taken from the {}'s name",
                     named.whose));
  }
}

// Of one run: numbers that are free for those whose rank nothing says.
void ChooseRanks(std::span<Capture> captures) {
  std::set<std::int64_t> taken;
  for (const Capture& capture : captures) taken.insert(capture.rank);
  std::int64_t next = 0;
  for (Capture& capture : captures) {
    if (capture.rank >= 0) continue;
    while (taken.contains(next)) ++next;
    capture.rank = next++;
    // A single recording needs no rank to be told from others.
    if (captures.size() == 1) continue;
    Note(capture,
         "the file does not state its rank and was taken as the first that is free; initialise "
         "torch.distributed before profiling to have it stated");
  }
}

// Sorts a run's captures by rank and time; leaves out what overlaps.
void SortCaptures(std::span<Capture> captures) {
  std::stable_sort(captures.begin(), captures.end(), [](const Capture& a, const Capture& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.begin_ns < b.begin_ns;
  });
  Capture* last = nullptr;
  for (Capture& capture : captures) {
    if (last != nullptr && last->rank != capture.rank) last = nullptr;
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

// Clocks that nobody sets may be off by so much; recordings that lie further apart are of two
// times.
constexpr std::int64_t kMostClockErrorNs = 3'600'000'000'000;

// Whether each rank of the world has one recording of the run.
bool AreOneOfEachRank(std::span<const Capture> captures) {
  std::set<std::int64_t> ranks;
  std::int64_t selected = 0, world = -1;
  for (const Capture& capture : captures) {
    if (!capture.selected) continue;
    ++selected;
    world = std::max(world, capture.world_size);
    ranks.insert(capture.rank);
  }
  return selected == world && std::ssize(ranks) == world;
}

// Whether all are of hosts that are known, and none of these is among `hosts`.
bool AreOnOtherHosts(std::span<Capture* const> captures, const std::set<std::string>& hosts) {
  return std::ranges::all_of(captures, [&](const Capture* capture) {
    return !capture->host.empty() && !hosts.contains(capture->host) && !hosts.contains("");
  });
}

// Recordings of ranks that overlap belong together. Clocks of hosts differ, so that those of short
// recordings may not overlap: they join the ones before when these are of other ranks; also those
// far apart, when they are of other hosts and make the world whole, each rank once.
// Groups of the run are numbered from `group` + 1; returns the last.
std::int64_t GroupCaptures(std::span<Capture> captures, std::int64_t group) {
  std::vector<Capture*> by_begin;
  by_begin.reserve(captures.size());
  for (Capture& capture : captures) by_begin.push_back(&capture);
  std::stable_sort(by_begin.begin(), by_begin.end(),
                   [](const Capture* a, const Capture* b) { return a->begin_ns < b->begin_ns; });
  const std::int64_t before = group;
  std::int64_t end = INT64_MIN;
  std::set<std::int64_t> ranks;  // of the group
  std::set<std::string> hosts;
  const bool is_whole = AreOneOfEachRank(captures);
  for (std::size_t i = 0; i < by_begin.size();) {
    // What overlaps, [i, next).
    std::int64_t end_of_these = by_begin[i]->end_ns;
    std::size_t next = i + 1;
    for (; next < by_begin.size() && by_begin[next]->begin_ns < end_of_these; ++next)
      end_of_these = std::max(end_of_these, by_begin[next]->end_ns);
    const std::span<Capture*> these = std::span(by_begin).subspan(i, next - i);
    const std::int64_t apart = SaturatingSubtract(by_begin[i]->begin_ns, end);
    const bool is_near = apart <= kMostClockDifferenceNs ||
                         (is_whole && apart <= kMostClockErrorNs && AreOnOtherHosts(these, hosts));
    const bool joins = group > before && is_near &&
                       std::none_of(these.begin(), these.end(), [&](const Capture* capture) {
                         return ranks.contains(capture->rank);
                       });
    if (!joins) {
      ++group;
      ranks.clear();
      hosts.clear();
    }
    for (Capture* capture : these) {
      capture->group = group;
      ranks.insert(capture->rank);
      hosts.insert(capture->host);
    }
    end = end_of_these;
    i = next;
  }
  return group;
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
  TakeRanksFromNames(captures);
  FindRuns(captures);
  std::stable_sort(captures.begin(), captures.end(),
                   [](const Capture& a, const Capture& b) { return a.run < b.run; });
  std::int64_t last_group = -1;
  for (std::size_t begin = 0; begin < captures.size();) {
    std::size_t end = begin;
    while (end < captures.size() && captures[end].run == captures[begin].run) ++end;
    const std::span<Capture> run = std::span(captures).subspan(begin, end - begin);
    ChooseRanks(run);
    SortCaptures(run);
    last_group = GroupCaptures(run, last_group);
    begin = end;
  }
  // Over all runs: by rank, of each in the order of runs, and every (rank, index) once.
  std::stable_sort(captures.begin(), captures.end(),
                   [](const Capture& a, const Capture& b) { return a.rank < b.rank; });
  for (std::size_t i = 0; i < captures.size(); ++i) {
    const bool is_first = i == 0 || captures[i - 1].rank != captures[i].rank;
    captures[i].index = is_first ? 0 : captures[i - 1].index + 1;
  }
  const bool one_group = selection.which != CaptureSelection::Which::kAll;
  const std::int64_t group = selection.which == CaptureSelection::Which::kGroup
                                 ? selection.group
                                 : LatestLargestGroup(captures);
  for (Capture& capture : captures) {
    if (one_group && capture.group != group) capture.selected = false;
    if (selection.ranks && !selection.ranks->contains(capture.rank)) capture.selected = false;
  }
}

std::vector<RunOfFiles> RunsOf(std::span<const Capture> captures,
                               const CaptureSelection& selection) {
  std::map<std::int64_t, RunOfFiles> runs;
  for (const Capture& capture : captures) {
    if (selection.ranks && !selection.ranks->contains(capture.rank)) continue;
    RunOfFiles& run = runs[capture.run];
    run.ranks.insert(capture.rank);
    run.group = capture.group;
    run.device_name = capture.device_name;
    if (std::ranges::find(run.paths, capture.path) == run.paths.end())
      run.paths.push_back(capture.path);
  }
  std::vector<RunOfFiles> list;
  list.reserve(runs.size());
  for (auto& [number, run] : runs) list.push_back(std::move(run));
  return list;
}

Status CheckOneRun(std::span<const Capture> captures, const CaptureSelection& selection,
                   std::string_view option) {
  constexpr std::size_t kMostNamed = 5;
  if (selection.which == CaptureSelection::Which::kGroup) return OkStatus();
  const std::vector<RunOfFiles> runs = RunsOf(captures, selection);
  if (runs.size() < 2) return OkStatus();
  std::string choices;
  for (std::size_t i = 0; i < std::min(runs.size(), kMostNamed); ++i) {
    choices += fmt::format("{}group {}: {} rank{}, {}", i == 0 ? "" : "; ", runs[i].group,
                           runs[i].ranks.size(), runs[i].ranks.size() == 1 ? "" : "s",
                           runs[i].paths.front());
  }
  if (runs.size() > kMostNamed) choices += fmt::format("; and {} more", runs.size() - kMostNamed);
  return Error(StatusCode::kNotFound,
               "these are recordings of {} runs, which make no job together ({}): name the files "
               "or the folder of one run, or choose a group by {} {} (rankscope table "
               "captures lists them); rankscope diff BASE TEST compares two",
               runs.size(), choices, option, runs.front().group);
}

}  // namespace rankscope
