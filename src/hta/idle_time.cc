// hta.idle_time_breakdown and hta.idle_time_interval_stats.
#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <optional>

#include "hta/analyses.h"
#include "hta/description_columns.h"
#include "hta/numpy_sort.h"
#include "hta/options.h"
#include "hta/ranks.h"
#include "hta/stats.h"

namespace rankscope::hta {
namespace {

ColumnSpec StreamColumn() { return column::Int("stream", "", "stream of the device"); }
ColumnSpec CategoryColumn() {
  return column::Text("idle_category", "host_wait, kernel_wait or other");
}

struct IdleTimeBreakdownRows : Schema<IdleTimeBreakdownRows, RowsOfRanks> {
  static constexpr std::string_view kName = "hta.idle_time_breakdown";

  IntColumn stream = Int(StreamColumn());
  StringColumn category = Text(CategoryColumn());
  IntColumn idle_time = Int("idle_time", "us", "sum of the gaps");
  RealColumn idle_time_ratio = Real("idle_time_ratio", "", "share of the stream's gaps, 0 to 1");
};

struct IdleTimeIntervalStatsRows : Schema<IdleTimeIntervalStatsRows, DescribedRows> {
  static constexpr std::string_view kName = "hta.idle_time_interval_stats";

  IntColumn stream = Int(StreamColumn());
  StringColumn category = Text(CategoryColumn());
  DescriptionColumns gaps = Described("gaps in microseconds");
};

enum class Category : std::uint8_t { kHostWait, kKernelWait, kOther };
constexpr std::array<std::string_view, 3> kCategoryNames = {"host_wait", "kernel_wait", "other"};

constexpr std::string_view kWorkCategories[] = {"kernel",     "Kernel", "gpu_memset",     "Memset",
                                                "gpu_memcpy", "Memcpy", "mtia_ccp_events"};

// The gaps of a stream by category. A category exists once an event is in it: the first event of a
// stream has no gap and is in "other".
struct StreamGaps {
  std::int64_t stream = 0;
  std::array<std::vector<double>, 3> gaps;
  std::array<bool, 3> exists{};
};

std::vector<Event> WorkOf(const Frame& frame) {
  std::vector<std::uint8_t> is_work;
  for (const StringId id : frame.trace->categories) {
    is_work.push_back(std::find(std::begin(kWorkCategories), std::end(kWorkCategories),
                                frame.trace->strings.Get(id)) != std::end(kWorkCategories));
  }
  std::vector<Event> work;
  for (const Event& event : frame.events) {
    if (event.on_stream() && is_work[frame.trace->category[event.row]]) work.push_back(event);
  }
  return work;
}

// Begin of the event whose index is `partner`, for all partners: also of event 0 for work without a
// launch, as HTA takes its 0 for an index.
class LaunchTimes {
 public:
  LaunchTimes(const Frame& frame, const std::vector<Event>& work) {
    begins_.reserve(work.size());
    for (const Event& event : work) begins_.emplace(event.partner, std::nullopt);
    for (const Event& event : frame.events) {
      if (const auto found = begins_.find(frame.IndexOf(event)); found != begins_.end())
        found->second = event.ts;
    }
  }
  std::optional<std::int64_t> Of(const Event& event) const {
    return begins_.find(event.partner)->second;
  }

 private:
  boost::unordered_flat_map<std::int64_t, std::optional<std::int64_t>> begins_;
};

// `work` is of one stream.
StreamGaps GapsBetween(std::vector<Event> work, const LaunchTimes& launches, std::int64_t delay) {
  SortByTime(work);
  StreamGaps stream{work.front().stream, {}, {}};
  std::optional<std::int64_t> previous;  // end
  for (const Event& event : work) {
    Category category = Category::kOther;
    if (previous) {
      const std::int64_t gap = event.ts - *previous;
      const std::optional<std::int64_t> launch = launches.Of(event);
      if (launch && *launch > *previous) {
        category = Category::kHostWait;
      } else if (gap < delay) {
        category = Category::kKernelWait;
      }
      stream.gaps[static_cast<std::size_t>(category)].push_back(static_cast<double>(gap));
    }
    stream.exists[static_cast<std::size_t>(category)] = true;
    previous = event.end();
  }
  return stream;
}

// By stream, in the order in which streams first occur.
std::vector<StreamGaps> GapsOf(const Frame& frame, const Options& options) {
  const std::vector<Event> work = WorkOf(frame);
  const std::vector<std::int64_t> wanted = NumbersOf(options, "streams");
  std::vector<std::vector<Event>> by_stream;
  boost::unordered_flat_map<std::int64_t, std::size_t> place;
  for (const Event& event : work) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), event.stream) == wanted.end())
      continue;
    const auto [found, is_new] = place.emplace(event.stream, by_stream.size());
    if (is_new) by_stream.emplace_back();
    by_stream[found->second].push_back(event);
  }
  const std::int64_t delay = CountOf(options, "consecutive_kernel_delay");
  const LaunchTimes launches(frame, work);
  std::vector<StreamGaps> streams;
  streams.reserve(by_stream.size());
  for (std::vector<Event>& of_stream : by_stream)
    streams.push_back(GapsBetween(std::move(of_stream), launches, delay));
  return streams;
}

double SumOf(const std::vector<double>& gaps) {
  double sum = 0;
  for (const double gap : gaps) sum += gap;
  return sum;
}

void MakeBreakdown(const Frame& frame, const Options& options,
                   TableOf<IdleTimeBreakdownRows>& table) {
  const auto& columns = SchemaOf<IdleTimeBreakdownRows>();
  for (const StreamGaps& stream : GapsOf(frame, options)) {
    double total = 0;
    for (const auto& gaps : stream.gaps) total += SumOf(gaps);
    for (std::size_t i = 0; i < kCategoryNames.size(); ++i) {
      if (!stream.exists[i]) continue;
      const double sum = SumOf(stream.gaps[i]);
      table.Add(
          {columns.stream = stream.stream, columns.category = kCategoryNames[i],
           columns.idle_time = static_cast<std::int64_t>(sum),
           columns.idle_time_ratio = total == 0 ? Value(kNull) : Value(Round(sum / total, 2))});
    }
  }
}

void MakeStats(const Frame& frame, const Options& options,
               TableOf<IdleTimeIntervalStatsRows>& table) {
  const auto& columns = SchemaOf<IdleTimeIntervalStatsRows>();
  for (const StreamGaps& stream : GapsOf(frame, options)) {
    for (std::size_t i = 0; i < kCategoryNames.size(); ++i) {
      if (!stream.exists[i]) continue;
      AddDescribed(table, columns.gaps, Rounded(Describe(stream.gaps[i]), 2),
                   columns.stream = stream.stream, columns.category = kCategoryNames[i]);
    }
  }
}

constexpr std::string_view kIdleTimeDefinition =
    "Kernels, copies and memsets of each stream in time order; the gap before one is its begin "
    "less the end of the one before (negative when they overlap). host_wait: its launch begins "
    "after that end; kernel_wait: else, and the gap is below consecutive_kernel_delay; other: "
    "else, and the first of a stream, which has no gap. Work without a launch in the file counts "
    "as launched with the file's first event, as in HTA. ";

std::vector<OptionSpec> IdleOptions() { return {ConsecutiveKernelDelay(), Streams()}; }

}  // namespace

const Analysis& IdleTimeBreakdown() {
  static const Analysis kAnalysis = JoinedOverRanks<IdleTimeBreakdownRows>({
      .summary = "HTA's get_idle_time_breakdown: idle time of each stream by cause",
      .definition = std::string(kIdleTimeDefinition) +
                    "idle_time is the sum of the gaps of a category, idle_time_ratio its share of "
                    "all gaps of the stream, to 2 decimals; null when they sum to 0.",
      .example = "rankscope table hta.idle_time_breakdown traces/ --set "
                 "consecutive_kernel_delay=5 --set ranks=0",
      .options = IdleOptions(),
      .job_options = {Ranks()},
      .make = Filling(MakeBreakdown),
  });
  return kAnalysis;
}

const Analysis& IdleTimeIntervalStats() {
  static const Analysis kAnalysis = JoinedOverRanks<IdleTimeIntervalStatsRows>({
      .summary =
          "HTA's get_idle_time_breakdown with show_idle_interval_stats: the gaps' statistics",
      .definition = std::string(kIdleTimeDefinition) + "Statistics of the gaps, to 2 decimals.",
      .example = "rankscope table hta.idle_time_interval_stats traces/ --set streams=7,20",
      .options = IdleOptions(),
      .job_options = {Ranks()},
      .make = Filling(MakeStats),
  });
  return kAnalysis;
}

}  // namespace rankscope::hta
