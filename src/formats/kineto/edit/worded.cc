#include "formats/kineto/edit/worded.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "formats/kineto/edit/event_edit.h"
#include "formats/kineto/edit/event_reader.h"
#include "formats/kineto/edit/pid_words.h"
#include "formats/kineto/tokens/splitter.h"

namespace rankscope::kineto {
namespace {

constexpr std::size_t kFirstBytes = std::size_t{64} << 10;
// A file with more distinct pids names something else by them.
constexpr std::size_t kMostPids = 10'000;
constexpr std::size_t kMostRanks = 1'024;
// Of the document's outer values those that are handed on to each rank.
constexpr std::size_t kMostValueBytes = std::size_t{64} << 10;

// Whether a pid is a text: the numbers of nearly all files need no closer look.
bool HasWordsInPids(std::string_view text) {
  constexpr std::string_view kKey = "pid\"";  // its first letter is rarer than a quote
  for (std::size_t at = text.find(kKey); at != std::string_view::npos; at = text.find(kKey, at)) {
    at += kKey.size();
    const std::size_t value = text.find_first_not_of(" \t\r\n:", at);
    if (value != std::string_view::npos && text[value] == '"') return true;
  }
  return false;
}

// Whether an event of the first ones names a rank.
bool BeginsWithWords(const std::string& path, const InflateLimits& limits) {
  const auto source = OpenByteSource(path, limits);
  if (!source.ok()) return false;
  EventSplitter splitter(**source, {.chunk_bytes = kFirstBytes});
  Chunk chunk;
  if (!splitter.Next(chunk) || !HasWordsInPids(chunk.text())) return false;
  bool any = false;
  EventReader().Read(
      chunk, [] {},
      [&](const EventText& event) { any = any || RankInPidOf(event.fields->pid).has_value(); });
  return any;
}

// What a pass over the events found.
struct Found {
  std::set<std::string, std::less<>> pids;    // that name a rank, JSON text
  std::set<std::string, std::less<>> others;  // that do not
  std::int64_t events = 0;                    // whose pids name a rank
  std::int64_t other_events = 0;
  TopValues values;
};

Found FindPids(ByteSource& source) {
  Found found;
  EventSplitter splitter(source);
  EventReader reader;
  Chunk chunk;
  while (found.pids.size() <= kMostPids && splitter.Next(chunk)) {
    const std::int64_t before = found.events, other_before = found.other_events;
    reader.Read(
        chunk,
        [&] {
          found.events = before;
          found.other_events = other_before;
        },
        [&](const EventText& event) {
          const std::string_view pid = event.fields->pid;
          if (pid.data() == nullptr) {
            ++found.other_events;
            return;
          }
          const std::string_view token = WithQuotes(pid, event.text);
          const bool is_known_other = found.others.contains(token);
          if (found.pids.contains(token) || (!is_known_other && RankInPidOf(pid))) {
            ++found.events;
            if (!found.pids.contains(token)) found.pids.emplace(token);
            return;
          }
          ++found.other_events;
          if (!is_known_other && found.others.size() < kMostPids) found.others.emplace(token);
        });
  }
  found.values = splitter.top_level().values();
  return found;
}

using Place = std::vector<std::pair<std::string, std::int64_t>>;

struct Rank {
  std::string words;
  std::int64_t stated = -1;
  std::vector<std::pair<std::string, std::int64_t>> pids;  // and their numbers
};

std::map<Place, Rank> RanksOf(const Found& found) {
  std::map<Place, Rank> ranks;
  for (const std::string& token : found.pids) {
    const std::string_view text = std::string_view(token).substr(1, token.size() - 2);
    const auto of_pid = RankInPidOf(text);
    if (!of_pid) continue;
    Rank& rank = ranks[of_pid->place];
    if (rank.words.empty()) rank.words = of_pid->words;
    rank.stated = of_pid->rank();
    rank.pids.emplace_back(token, of_pid->id);
  }
  return ranks;
}

// Numbers behind "rank" count when they tell all of them apart.
bool StateTheirRanks(const std::map<Place, Rank>& ranks) {
  std::set<std::int64_t> stated;
  for (const auto& [place, rank] : ranks) {
    if (rank.stated < 0 || !stated.insert(rank.stated).second) return false;
  }
  return true;
}

}  // namespace

Result<std::vector<MergedPart>> ReadWordedParts(const std::string& path,
                                                const InflateLimits& limits) {
  std::vector<MergedPart> parts;
  if (!BeginsWithWords(path, limits)) return parts;
  RS_ASSIGN_OR_RETURN(const auto source, OpenByteSource(path, limits));
  const Found found = FindPids(*source);
  if (found.pids.size() > kMostPids) return parts;
  const std::map<Place, Rank> ranks = RanksOf(found);
  // Of one rank that names itself, all events are. Where most name none, the few are no ranks.
  if (ranks.size() > kMostRanks || found.events < found.other_events ||
      (ranks.size() == 1 && found.other_events > 0))
    return parts;
  const bool are_stated = StateTheirRanks(ranks);
  for (const auto& [place, rank] : ranks) {
    MergedPart part;
    part.name = rank.words;
    std::replace(part.name.begin(), part.name.end(), '/', '-');
    part.rank = are_stated ? rank.stated : static_cast<std::int64_t>(parts.size());
    part.is_worded = true;
    part.events_of_none = found.other_events;
    for (const auto& [token, id] : rank.pids)
      part.texts.emplace_back(token, std::to_string(id >= 0 ? id : part.rank));
    part.values = found.values;
    std::erase_if(part.values, [](const auto& value) {
      return value.first == "distributedInfo" || value.second.size() > kMostValueBytes;
    });
    parts.push_back(std::move(part));
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const MergedPart& a, const MergedPart& b) { return a.rank < b.rank; });
  const auto count = static_cast<std::int64_t>(parts.size());
  for (MergedPart& part : parts) {
    const std::int64_t world_size = std::max(count, parts.back().rank + 1);
    part.values.emplace_back("distributedInfo", fmt::format(R"({{"rank": {}, "world_size": {}}})",
                                                            part.rank, world_size));
  }
  return parts;
}

}  // namespace rankscope::kineto
