// The vocabulary of the tables and reports: the parts of device time, the critical path, host time
// and the metrics of ranks, with their labels. Analyses, the text report and the HTML page all use
// it from here.
#pragma once

#include <array>
#include <string_view>

namespace rankscope {

struct PartWords {
  std::string_view id;        // as in the tables
  std::string_view label;     // "idle: waiting for data"
  std::string_view sentence;  // "... of device time is <sentence>"
  bool is_idle = false;       // of device time: nothing runs
};

// The parts of device time (time_breakdown), in the order of precedence.
inline constexpr std::array<PartWords, 10> kParts = {{
    {"compute", "computing", "computing"},
    {"exposed_communication", "exposed communication", "exposed communication"},
    {"exposed_copy", "exposed copies", "exposed copying"},
    {"idle_host", "idle: host not ready", "idle: the host had not issued the next work", true},
    {"idle_data", "idle: waiting for data", "idle: the host was waiting for input data", true},
    {"idle_sync", "idle: host in a sync call", "idle: the host was waiting for the device", true},
    {"idle_launch", "idle: launching", "idle: the next work was just being launched", true},
    {"idle_gap", "idle: between kernels", "idle: gaps between queued kernels", true},
    {"idle_stream", "idle: other stream", "idle: queued work waited for another stream", true},
    {"unknown", "idle: unknown", "idle, and the trace does not show why", true},
}};

struct PathPartWords {
  std::string_view id;
  std::string_view label;
  std::string_view like;  // the part of device time that a reader may mistake it for
};

// The parts of the critical path (critical_path).
inline constexpr std::array<PathPartWords, 8> kPathParts = {{
    {"host", "host", "idle_host"},
    {"data_loading", "data loading", "idle_data"},
    {"launch", "launches", "idle_launch"},
    {"kernel_gap", "between kernels", "idle_gap"},
    {"compute", "computing", "compute"},
    {"communication", "communication", "exposed_communication"},
    {"copy", "copies", "exposed_copy"},
    {"unexplained", "unexplained", "unknown"},
}};

struct HostPartWords {
  std::string_view id;
  std::string_view label;
  std::string_view like;  // the part of device time with the same colour
};

// The parts of a host thread's time (host_breakdown), in the order of precedence.
inline constexpr std::array<HostPartWords, 7> kHostParts = {{
    {"data", "fetching data", "idle_data"},
    {"blocked", "waiting for the device", "idle_sync"},
    {"runtime", "device API calls", "idle_launch"},
    {"op", "ops", "compute"},
    {"annotated", "annotated code", "idle_stream"},
    {"python", "Python", "idle_host"},
    {"other", "nothing recorded", "idle_gap"},
}};

// The label of a rank metric; metrics "per step" get these words from their unit.
struct MetricWords {
  std::string_view id;  // as in rank_metrics and over_ranks
  std::string_view label;
};

inline constexpr std::array kMetrics = {
    MetricWords{"alone", "alone"},
    MetricWords{"bandwidth", "bandwidth"},
    MetricWords{"blocked", "blocked"},
    MetricWords{"busy", "busy"},
    MetricWords{"bytes", "bytes"},
    MetricWords{"communication", "communication"},
    MetricWords{"communication_exposed_time", "exposed communication time"},
    MetricWords{"communication_hidden", "communication hidden"},
    MetricWords{"communication_hidden_time", "hidden communication time"},
    MetricWords{"compute", "computing"},
    MetricWords{"copy", "copy"},
    MetricWords{"copy_bytes", "copy bytes"},
    MetricWords{"copy_hidden", "copy hidden"},
    MetricWords{"copy_time", "copy time"},
    MetricWords{"count", "count"},
    MetricWords{"delay_mean", "delay mean"},
    MetricWords{"device_busy", "device busy"},
    MetricWords{"device_time", "device time"},
    MetricWords{"duration", "duration"},
    MetricWords{"exposed_communication", "exposed communication"},
    MetricWords{"exposed_copy", "exposed copies"},
    MetricWords{"full", "full"},
    MetricWords{"hfu", "FLOP utilisation (HFU)"},
    MetricWords{"host_busy", "host busy"},
    MetricWords{"idle", "idle"},
    MetricWords{"idle_data", "idle for data"},
    MetricWords{"idle_gap", "idle between kernels"},
    MetricWords{"idle_host", "idle for the host"},
    MetricWords{"idle_launch", "idle while launching"},
    MetricWords{"idle_stream", "idle for another stream"},
    MetricWords{"idle_sync", "idle in sync calls"},
    MetricWords{"kernels", "kernels"},
    MetricWords{"known", "computing time with a model"},
    MetricWords{"late_starts", "late starts"},
    MetricWords{"launch_delay", "launch delay"},
    MetricWords{"launch_time", "launch time"},
    MetricWords{"longest", "longest"},
    MetricWords{"mean", "mean"},
    MetricWords{"memory_peak", "memory peak"},
    MetricWords{"mfu", "without recomputation (MFU)"},
    MetricWords{"occupancy", "occupancy"},
    MetricWords{"peak", "peak"},
    MetricWords{"queue_length", "queue length"},
    MetricWords{"reserved", "reserved"},
    MetricWords{"short_work", "short work"},
    MetricWords{"slow_calls", "slow calls"},
    MetricWords{"sm_efficiency", "SM efficiency"},
    MetricWords{"step_time", "step time"},
    MetricWords{"time", "time"},
    MetricWords{"unknown", "idle, unknown"},
    MetricWords{"works", "works"},
};

// Index of an id in a list; the list's size if it is not in it.
template <typename Words, std::size_t kCount>
constexpr std::size_t PlaceOfWords(const std::array<Words, kCount>& all, std::string_view id) {
  std::size_t place = 0;
  while (place < kCount && all[place].id != id) ++place;
  return place;
}

// The words for an id, or null. Not for constant expressions: g++ 12 cannot compare addresses in
// them when UBSan checks pointers.
template <typename Words, std::size_t kCount>
const Words* FindWords(const std::array<Words, kCount>& all, std::string_view id) {
  const std::size_t place = PlaceOfWords(all, id);
  return place < kCount ? &all[place] : nullptr;
}

// The id of a metric in kMetrics: a metric without a label there does not compile.
class MetricId {
 public:
  consteval MetricId(const char* id)  // NOLINT: converts
      : id_(kMetrics[PlaceOfWords(kMetrics, id)].id) {}
  // The metric for this part's share of device time.
  explicit constexpr MetricId(const PartWords& part) : id_(part.id) {}
  constexpr std::string_view text() const { return id_; }

 private:
  std::string_view id_;
};

static_assert(
    [] {
      for (const PartWords& part : kParts) {
        if (PlaceOfWords(kMetrics, part.id) == kMetrics.size()) return false;
      }
      return true;
    }(),
    "a part of device time is a metric, too");

static_assert(
    [] {
      for (const PathPartWords& part : kPathParts) {
        if (PlaceOfWords(kParts, part.like) == kParts.size()) return false;
      }
      return true;
    }(),
    "a part of the critical path is like one of device time");

static_assert(
    [] {
      for (const HostPartWords& part : kHostParts) {
        if (PlaceOfWords(kParts, part.like) == kParts.size()) return false;
      }
      return true;
    }(),
    "a part of host time is like one of device time");

}  // namespace rankscope
