#include "hta/frame.h"

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cmath>

namespace rankscope::hta {
namespace {

constexpr std::string_view kSyncs[] = {"Event Sync", "Context Sync"};
constexpr std::string_view kMtiaLaunch = "runFunction - job_prep_and_submit_for_execution";

bool IsStepName(std::string_view name) {
  constexpr std::string_view kPrefix = "ProfilerStep#";
  return name.starts_with(kPrefix) && name.size() > kPrefix.size() && name[kPrefix.size()] >= '0' &&
         name[kPrefix.size()] <= '9';
}

std::vector<std::uint8_t> StepFlags(const StringTable& strings) {
  std::vector<std::uint8_t> flags(strings.size());
  for (StringId id = 0; id < flags.size(); ++id) flags[id] = IsStepName(strings.Get(id));
  return flags;
}

std::int64_t FloorDiv(std::int64_t value, std::int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

// Microseconds as the nearest double, as Python reads them from the file: around the Unix epoch a
// double holds quarters of a microsecond.
double MicrosecondsOf(std::int64_t ns) {
  const std::int64_t whole = FloorDiv(ns, 1000);
  return static_cast<double>(whole) + static_cast<double>(ns - whole * 1000) / 1000;
}

class Loader {
 public:
  explicit Loader(const RankTrace& trace) : trace_(trace) {
    for (const StringId id : trace.categories) {
      const std::string_view name = trace.strings.Get(id);
      is_loaded_.push_back(!name.empty() && name != "Trace");
    }
    // The columns of all events count, also of those that are dropped.
    for (Row row = 0; row < trace.row_count() && !has_fractions_; ++row)
      has_fractions_ = trace.ts_ns[row] % 1000 != 0 || trace.dur_ns[row] % 1000 > 0;
  }

  Frame Load() {
    Frame frame{&trace_, {}};
    const std::vector<Row> rows = RowsInFileOrder();
    frame.events.reserve(rows.size());
    for (const Row row : rows) frame.events.push_back(EventOf(row));
    LinkPartners(frame);
    return frame;
  }

 private:
  std::vector<Row> RowsInFileOrder() const {
    std::vector<std::uint64_t> keys;
    keys.reserve(trace_.row_count());
    for (Row row = 0; row < trace_.row_count(); ++row) {
      if (trace_.dur_ns[row] != kNoDuration && is_loaded_[trace_.category[row]])
        keys.push_back((std::uint64_t{trace_.source[row]} << 32) | row);
    }
    std::sort(keys.begin(), keys.end());
    std::vector<Row> rows(keys.size());
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<Row>(keys[i]);
    return rows;
  }

  Event EventOf(Row row) {
    Event event;
    event.row = row;
    event.correlation = trace_.correlation[row];
    if (has_fractions_) {
      const double begin = MicrosecondsOf(trace_.ts_ns[row]);
      const double end = begin + MicrosecondsOf(trace_.dur_ns[row]);
      event.ts = static_cast<std::int64_t>(std::ceil(begin));
      event.dur = static_cast<std::int64_t>(std::floor(end)) - event.ts;
    } else {
      event.ts = trace_.ts_ns[row] / 1000;
      event.dur = trace_.dur_ns[row] / 1000;
    }
    event.stream = StreamOf(row);
    return event;
  }

  // Rows come in the order of their source, as row_ids are sorted.
  std::int64_t StreamOf(Row row) {
    const auto& ids = trace_.row_ids;
    while (next_ids_ < ids.size() && ids[next_ids_].source < trace_.source[row]) ++next_ids_;
    if (next_ids_ < ids.size() && ids[next_ids_].source == trace_.source[row])
      return ids[next_ids_].stream;
    const Track& track = trace_.track_of(row);
    const bool of_device = track.domain == Domain::kDevice || track.domain == Domain::kDeviceSync;
    return of_device ? track.second : kNone;
  }

  // Of several events with one correlation the last one of the other side is the partner.
  void LinkPartners(Frame& frame) const;

  const RankTrace& trace_;
  std::vector<std::uint8_t> is_loaded_;  // by category
  bool has_fractions_ = false;
  std::size_t next_ids_ = 0;
};

// HTA's side of an event in correlations and filters: unlike on_stream(), waits without a stream
// are on the device's side, and work without a correlation is on the host's.
class Sides {
 public:
  explicit Sides(const RankTrace& trace) : trace_(trace), syncs_(trace.strings, kSyncs) {}
  bool IsDevice(const Event& event) const {
    return (event.stream >= 0 && event.correlation >= 0) || syncs_.Contains(trace_.name[event.row]);
  }

 private:
  const RankTrace& trace_;
  NameSet syncs_;
};

void Loader::LinkPartners(Frame& frame) const {
  struct Ends {
    std::int64_t host = kNone;
    std::int64_t device = kNone;
  };
  const Sides sides(trace_);
  boost::unordered_flat_map<std::int64_t, Ends> ends;
  for (const Event& event : frame.events) {
    if (event.correlation == kNone) continue;
    Ends& both = ends[event.correlation];
    (sides.IsDevice(event) ? both.device : both.host) = frame.IndexOf(event);
  }
  for (Event& event : frame.events) {
    event.partner = std::min<std::int64_t>(event.correlation, 0);
    if (event.correlation == kNone) continue;
    const Ends& both = ends[event.correlation];
    const std::int64_t other = sides.IsDevice(event) ? both.host : both.device;
    if (other != kNone) event.partner = other;
  }
}

bool IsMtia(const Frame& frame) {
  if (frame.trace->meta.backend.find("mtia:hccl") != std::string::npos) return true;
  constexpr std::string_view kOthers[] = {"cudaLaunchKernel", "hipLaunchKernel"};
  const NameSet mtia(frame.trace->strings, std::span(&kMtiaLaunch, 1));
  const NameSet others(frame.trace->strings, kOthers);
  bool found = false;
  for (const Event& event : frame.events) {
    if (others.Contains(frame.trace->name[event.row])) return false;
    found = found || mtia.Contains(frame.trace->name[event.row]);
  }
  return found;
}

Frame FilterByCorrelation(const Frame& frame, LastStep last_step) {
  const RankTrace& trace = *frame.trace;
  const Sides sides(trace);
  const std::vector<std::uint8_t> is_step = StepFlags(trace.strings);
  std::int64_t first_host = INT64_MAX;
  std::int64_t last_begin = INT64_MIN;
  for (const Event& event : frame.events) {
    if (sides.IsDevice(event)) continue;
    first_host = std::min(first_host, event.ts);
    if (is_step[trace.name[event.row]]) last_begin = std::max(last_begin, event.ts);
  }
  if (first_host == INT64_MAX) return frame;  // device work only: nothing to go by
  if (last_begin == INT64_MIN) last_begin = first_host;
  const auto is_kept = [&](const Event& event) {
    return last_step == LastStep::kKeep || event.ts < last_begin;
  };

  boost::unordered_flat_map<std::int64_t, std::size_t> hosts;  // kept events by correlation
  std::size_t kept = 0;
  for (const Event& event : frame.events) {
    if (sides.IsDevice(event) || !is_kept(event)) continue;
    ++kept;
    if (event.correlation != kNone) ++hosts[event.correlation];
  }
  Frame result{&trace, {}};
  result.events.reserve(frame.events.size());
  for (const Event& event : frame.events) {
    if (!sides.IsDevice(event)) continue;
    // A join: as often as there are host events of its correlation.
    if (const auto found = hosts.find(event.correlation); found != hosts.end())
      result.events.insert(result.events.end(), std::min(found->second, kMostHostsOfCorrelation),
                           event);
  }
  result.events.reserve(result.events.size() + kept);
  for (const Event& event : frame.events) {
    if (!sides.IsDevice(event) && is_kept(event)) result.events.push_back(event);
  }
  return result;
}

// Categories by HTA's patterns.
bool IsHostCategory(std::string_view category) {
  return category.starts_with("cpu_op") || category.starts_with("user_annotation") ||
         category.find("_runtime", 1) != std::string_view::npos;
}
bool IsDeviceCategory(std::string_view category) {
  return category.starts_with("kernel") ||
         (category.starts_with("gpu_mem") && category.size() > 7) ||
         category.starts_with("mtia_ccp_events");
}
bool IsMemoryName(std::string_view name) {
  if (name.starts_with("hip")) name.remove_prefix(3);
  return name.starts_with("Memcpy") || name.starts_with("Memset") || name.starts_with("dma");
}

Frame FilterMtia(const Frame& frame) {
  const std::vector<std::uint8_t> is_step = StepFlags(frame.trace->strings);
  const auto is_host = [&](const Event& event) { return IsHostCategory(frame.CategoryOf(event)); };
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;  // of any category
  std::int64_t begin = INT64_MAX;
  std::int64_t end = INT64_MIN;
  for (const Event& event : frame.events) {
    if (!is_step[frame.trace->name[event.row]]) continue;
    steps.emplace_back(event.ts, event.end());
    if (!is_host(event)) continue;
    begin = std::min(begin, event.ts);
    end = std::max(end, event.end());
  }
  const auto is_kept = [&](const Event& event) {
    return is_host(event) && event.ts >= begin && event.end() <= end;
  };
  boost::unordered_flat_set<std::int64_t> launched;
  for (const Event& event : frame.events) {
    if (is_kept(event) && event.correlation != kNone) launched.insert(event.correlation);
  }
  const auto in_a_step = [&](const Event& event) {
    return std::any_of(steps.begin(), steps.end(), [&](const auto& step) {
      return event.ts >= step.first && event.ts <= step.second;
    });
  };
  Frame result{frame.trace, {}};
  result.events.reserve(frame.events.size());
  for (Event event : frame.events) {
    const bool is_memory = IsMemoryName(frame.NameOf(event)) && in_a_step(event);
    const bool is_launched =
        IsDeviceCategory(frame.CategoryOf(event)) && launched.contains(event.correlation);
    if (is_memory && !event.on_stream()) event.stream = IdsOf(frame, event).tid;
    if (is_memory || is_launched || is_kept(event)) result.events.push_back(event);
  }
  return result;
}

}  // namespace

NameSet::NameSet(const StringTable& strings, std::span<const std::string_view> names)
    : is_member_(strings.size()) {
  for (StringId id = 0; id < is_member_.size(); ++id)
    is_member_[id] = std::find(names.begin(), names.end(), strings.Get(id)) != names.end();
}

NameSet NameSet::Holding(const StringTable& strings, std::string_view part) {
  NameSet set;
  set.is_member_.resize(strings.size());
  for (StringId id = 0; id < set.is_member_.size(); ++id)
    set.is_member_[id] = strings.Get(id).find(part) != std::string_view::npos;
  return set;
}

EventsByIndex::EventsByIndex(const Frame& frame) {
  events_.reserve(frame.events.size());
  for (const Event& event : frame.events) events_.emplace(frame.IndexOf(event), &event);
}

const Event* EventsByIndex::Find(std::int64_t index) const {
  const auto found = events_.find(index);
  return found == events_.end() ? nullptr : found->second;
}

ProcessIds IdsOf(const Frame& frame, const Event& event) {
  const auto& ids = frame.trace->row_ids;
  const std::uint32_t source = frame.trace->source[event.row];
  const auto found =
      std::lower_bound(ids.begin(), ids.end(), source,
                       [](const RowIds& a, std::uint32_t wanted) { return a.source < wanted; });
  if (found != ids.end() && found->source == source) return {found->pid, found->tid};
  const Track& track = frame.trace->track_of(event.row);
  return {track.first, track.second};
}

Frame LoadFrame(const RankTrace& trace) { return Loader(trace).Load(); }

std::vector<std::string_view> StepNames(const Frame& frame) {
  std::vector<std::uint8_t> is_new = StepFlags(frame.trace->strings);
  std::vector<std::string_view> names;
  for (const Event& event : frame.events) {
    std::uint8_t& flag = is_new[frame.trace->name[event.row]];
    if (flag != 0) names.push_back(frame.NameOf(event));
    flag = 0;
  }
  return names;
}

Frame FilterFrame(const Frame& frame, LastStep last_step) {
  return IsMtia(frame) ? FilterMtia(frame) : FilterByCorrelation(frame, last_step);
}

}  // namespace rankscope::hta
