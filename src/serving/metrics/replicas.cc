#include "serving/metrics/replicas.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/text.h"
#include "serving/base/metric_names.h"
#include "serving/base/words.h"

namespace rankscope::serving {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSeparators = "-_. ";

std::string_view Bare(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSeparators);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSeparators) - begin + 1);
}

// What a name says besides its time, or its last number where none is a time: other digits are the
// replica's.
std::string WithoutTime(std::string_view name) {
  std::size_t begin = name.size(), end = name.size();
  if (const auto found = FindMomentInName(name)) {
    begin = found->begin;
    end = found->end;
  } else {
    while (end > 0 && !IsDigit(name[end - 1])) --end;
    begin = end;
    while (begin > 0 && IsDigit(name[begin - 1])) --begin;
  }
  const std::string_view before = Bare(name.substr(0, begin)), after = Bare(name.substr(end));
  if (before.empty() || after.empty()) return std::string(before) + std::string(after);
  return std::string(before) + "-" + std::string(after);
}

std::string StemOf(const std::string& path) {
  std::string name = fs::path(path).filename().string();
  for (const char* ending : {".gz", ".zst", ".txt", ".prom", ".metrics", ".om"}) {
    if (name.ends_with(ending)) name.resize(name.size() - std::string_view(ending).size());
  }
  return name;
}

std::optional<double> ProcessStart(const Scrape& scrape) {
  for (const Point& point : scrape.points) {
    if (KnownMetrics()[point.metric].metric == Metric::kProcessStart) return point.value;
  }
  return std::nullopt;
}

// A set of files of one name: one replica's, or several that are told apart by when they began.
std::vector<std::vector<const Scrape*>> SplitByStart(std::vector<const Scrape*> scrapes) {
  std::map<double, std::vector<const Scrape*>> by_start;
  std::vector<double> order;
  for (const Scrape* scrape : scrapes) {
    const auto start = ProcessStart(*scrape);
    if (!start) return {scrapes};
    if (order.empty() || order.back() != *start) order.push_back(*start);
    by_start[*start].push_back(scrape);
  }
  // One after the other: restarts of one server.
  if (order.size() == by_start.size()) return {scrapes};
  std::vector<std::vector<const Scrape*>> sets;
  sets.reserve(by_start.size());
  for (auto& [start, set] : by_start) sets.push_back(std::move(set));
  return sets;
}

}  // namespace

std::vector<ReplicaScrapes> ReplicasOf(const ServingData& data) {
  std::map<std::pair<std::uint32_t, std::string>, std::size_t> in_file;
  for (const Scrape& scrape : data.scrapes) ++in_file[{scrape.source, scrape.replica}];
  // By folder and name.
  std::map<std::pair<std::string, std::string>, std::vector<const Scrape*>> sets;
  for (const Scrape& scrape : data.scrapes) {
    const std::string& path = data.sources[scrape.source].path;
    const std::string folder = fs::path(path).parent_path().string();
    const bool is_alone = in_file[{scrape.source, scrape.replica}] == 1;
    std::string name = scrape.replica;
    if (name.empty()) name = is_alone ? WithoutTime(StemOf(path)) : StemOf(path);
    sets[{scrape.replica.empty() ? folder : "", name}].push_back(&scrape);
  }
  std::vector<ReplicaScrapes> replicas;
  for (auto& [place, scrapes] : sets) {
    std::ranges::stable_sort(scrapes, {}, [](const Scrape* one) { return one->time.value_or(0); });
    std::set<Ns> times;
    for (const Scrape* scrape : scrapes) times.insert(scrape->time);
    if (times.size() < scrapes.size() && place.first.size() + place.second.size() > 0 &&
        scrapes.front()->replica.empty()) {
      // At one time in several files: a replica for each.
      std::map<std::uint32_t, std::vector<const Scrape*>> by_file;
      for (const Scrape* scrape : scrapes) by_file[scrape->source].push_back(scrape);
      for (auto& [source, set] : by_file)
        replicas.push_back({StemOf(data.sources[source].path), std::move(set)});
      continue;
    }
    std::size_t number = 0;
    auto parts = SplitByStart(scrapes);
    for (auto& set : parts) {
      ++number;
      std::string name = place.second.empty() ? "server" : place.second;
      if (parts.size() > 1) name += fmt::format(" #{}", number);
      replicas.push_back({std::move(name), std::move(set)});
    }
  }
  // Names that are the same in two folders get their folder's.
  std::map<std::string, int> count;
  for (const ReplicaScrapes& one : replicas) ++count[one.name];
  for (ReplicaScrapes& one : replicas) {
    if (count[one.name] < 2) continue;
    const fs::path path = data.sources[one.scrapes.front()->source].path;
    one.name = (path.parent_path().filename() / one.name).string();
  }
  std::map<std::string, int> seen;
  for (ReplicaScrapes& one : replicas) {
    if (const int before = seen[one.name]++; before > 0)
      one.name += fmt::format(" #{}", before + 1);
  }
  std::ranges::stable_sort(replicas, {}, &ReplicaScrapes::name);
  return replicas;
}

}  // namespace rankscope::serving
