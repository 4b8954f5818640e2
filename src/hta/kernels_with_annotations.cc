// hta.gpu_kernels_with_user_annotations.
#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "hta/analyses.h"
#include "hta/options.h"
#include "hta/ranks.h"
#include "hta/short_name.h"

namespace rankscope::hta {
namespace {

struct KernelsWithAnnotationsRows : Schema<KernelsWithAnnotationsRows, RowsOfRanks> {
  static constexpr std::string_view kName = "hta.gpu_kernels_with_user_annotations";

  IntColumn index = Int("index", "", "event in the file");
  StringColumn name = Text("s_name", "its name, shortened unless shorten_names is false");
  IntColumn ts = Int("ts", "us", "its begin, from the first of all events");
  RealColumn dur = Real("dur", "us", "its duration");
  IntColumn stream = Int("stream", "", "stream of the device");
  IntColumn correlation = Int("correlation", "", "id that joins it with its launch");
  StringColumn annotation =
      Text("s_user_annotation", "the shortest annotation that it overlaps; empty without one");
};

// Of one (pid, tid): works and annotations in the order of their begins.
struct Lane {
  std::vector<const Event*> works;
  std::vector<const Event*> annotations;
};

// For each work the shortest annotation that overlaps it. Annotations go from the shortest on, and
// a work that has one is skipped by the next: O(n log n) where works of a lane end in order.
std::vector<const Event*> ShortestOverlapping(Lane& lane) {
  const auto by_begin = [](const Event* a, const Event* b) { return a->ts < b->ts; };
  std::stable_sort(lane.works.begin(), lane.works.end(), by_begin);
  // HTA overwrites in the order of falling durations: of equal ones the last in the file wins.
  std::stable_sort(lane.annotations.begin(), lane.annotations.end(),
                   [](const Event* a, const Event* b) { return a->dur > b->dur; });
  const std::size_t count = lane.works.size();
  std::vector<std::int64_t> reach(count);  // latest end of the works up to each
  for (std::size_t i = 0; i < count; ++i)
    reach[i] = std::max(lane.works[i]->end(), i == 0 ? INT64_MIN : reach[i - 1]);
  std::vector<std::size_t> next(count + 1);  // the first work from here on without annotation
  std::iota(next.begin(), next.end(), 0);
  const auto open_from = [&](std::size_t i) {
    std::size_t open = i;
    while (next[open] != open) open = next[open];
    while (next[i] != open) i = std::exchange(next[i], open);
    return open;
  };
  std::vector<const Event*> shortest(count, nullptr);
  for (auto annotation = lane.annotations.rbegin(); annotation != lane.annotations.rend();
       ++annotation) {
    const Event& range = **annotation;
    const auto first = static_cast<std::size_t>(
        std::upper_bound(reach.begin(), reach.end(), range.ts) - reach.begin());
    for (std::size_t i = open_from(first); i < count && lane.works[i]->ts < range.end();
         i = open_from(i + 1)) {
      if (lane.works[i]->end() <= range.ts) continue;
      shortest[i] = &range;
      next[i] = i + 1;
    }
  }
  return shortest;
}

void MakeKernelsWithAnnotations(const Frame& frame, const Options& options,
                                TableOf<KernelsWithAnnotationsRows>& table) {
  std::map<std::pair<std::int64_t, std::int64_t>, Lane> lanes;
  bool has_annotations = false;
  for (const Event& event : frame.events) {
    const std::string_view category = frame.CategoryOf(event);
    const bool is_annotation = category == "gpu_user_annotation";
    has_annotations |= is_annotation;
    if (!is_annotation && !event.on_stream()) continue;
    const ProcessIds ids = IdsOf(frame, event);
    Lane& lane = lanes[{ids.pid, ids.tid}];
    (is_annotation ? lane.annotations : lane.works).push_back(&event);
  }
  if (!has_annotations) return;
  const bool shorten = FlagOf(options, "shorten_names");
  const auto& columns = SchemaOf<KernelsWithAnnotationsRows>();
  for (auto& [ids, lane] : lanes) {
    const std::vector<const Event*> shortest = ShortestOverlapping(lane);
    for (std::size_t i = 0; i < lane.works.size(); ++i) {
      const Event& work = *lane.works[i];
      const std::string_view name = frame.NameOf(work);
      const std::string short_name = shorten ? ShortName(name) : std::string();
      table.Add({columns.index = frame.IndexOf(work),
                 columns.name = shorten ? std::string_view(short_name) : name, columns.ts = work.ts,
                 columns.dur = static_cast<double>(work.dur), columns.stream = work.stream,
                 columns.correlation = work.correlation,
                 columns.annotation =
                     shortest[i] == nullptr ? std::string_view() : frame.NameOf(*shortest[i])});
    }
  }
  table.SortBy({{columns.ts}, {columns.index}});
}

}  // namespace

const Analysis& GpuKernelsWithUserAnnotations() {
  static const Analysis kAnalysis = JoinedOverRanks<KernelsWithAnnotationsRows>(
      {
          .size = Size::kDetail,
          .summary = "HTA's get_gpu_kernels_with_user_annotations: device work and its annotation",
          .definition =
              "Every event with a stream and the shortest gpu_user_annotation of its pid and tid "
              "that overlaps it; nothing where a rank has no such annotations.",
          .example = "rankscope table hta.gpu_kernels_with_user_annotations traces/ --set ranks=0",
          .options = {ShortenNames()},
          .job_options = {Ranks()},
          .make = Filling(MakeKernelsWithAnnotations),
      },
      {SchemaOf<KernelsWithAnnotationsRows>().ts});
  return kAnalysis;
}

}  // namespace rankscope::hta
