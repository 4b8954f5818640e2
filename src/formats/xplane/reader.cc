#include "formats/xplane/reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "formats/base/row_feed.h"
#include "formats/base/whole_text.h"
#include "formats/xplane/device_line.h"
#include "formats/xplane/device_work.h"
#include "formats/xplane/host_row.h"
#include "formats/xplane/message.h"
#include "formats/xplane/plane.h"
#include "trace/hlo_name.h"

namespace rankscope::xplane {
namespace {

using namespace std::string_view_literals;

// Numbers of fields, of xplane.proto.
namespace space {
constexpr std::uint32_t kPlane = 1, kHost = 4;
}
namespace line {
constexpr std::uint32_t kEvent = 4;
}
namespace event {
constexpr std::uint32_t kName = 1, kOffsetPs = 2, kDurationPs = 3, kStat = 4;
}

constexpr std::int64_t kPsPerNs = 1000;
constexpr std::int64_t kMostPs = std::numeric_limits<std::int64_t>::max() / 2;

bool IsUsable(std::int64_t timestamp_ns, std::int64_t offset_ps) {
  return timestamp_ns >= 0 && timestamp_ns <= kMaxTimeNs / 2 && offset_ps >= 0 &&
         offset_ps <= kMostPs;
}

class File {
 public:
  File(std::string_view bytes, const std::string& path) : bytes_(bytes) {
    meta_.path = path;
    meta_.text_bytes = bytes.size();
  }

  Result<RankTrace> Read() {
    Message message(bytes_);
    while (message.Next()) {
      if (message.field() == space::kPlane) AddPlane(message.Bytes());
      if (message.field() == space::kHost && meta_.host_name.empty())
        meta_.host_name = message.Bytes();
    }
    Look(message);
    if (is_damaged_) {
      feed_.quality().Add(QualityCode::kTruncated, -1,
                          "the file is damaged or was cut off; what is whole is shown");
    }
    RankTrace trace = std::move(feed_).Finish(std::move(meta_));
    if (trace.row_count() > 0) return trace;
    if (is_damaged_) {
      // What does not decode as text becomes EF BF BD.
      const bool was_text = bytes_.find("\xEF\xBF\xBD") != std::string_view::npos;
      return Error(StatusCode::kBadData,
                   "{}: the XPlane file is damaged, nothing of it can be read{}", trace.meta.path,
                   was_text ? ": a program took it for text and replaced bytes by U+FFFD; copy the "
                              "original byte for byte"
                            : "; copy it again");
    }
    return Error(StatusCode::kBadData,
                 "{}: the XPlane file has no event of a device or host; profile with "
                 "jax.profiler.trace around some steps",
                 trace.meta.path);
  }

 private:
  void Look(const Message& read) { is_damaged_ |= read.is_damaged(); }

  void AddPlane(std::string_view bytes) {
    const Plane read = ReadPlane(bytes, is_damaged_);
    if (read.name == "Task Environment") return ReadEnvironment(read);
    if (read.name.starts_with("/device:")) return AddDevice(read);
    if (read.name.starts_with("/host:") && read.name != "/host:metadata") AddHost(read);
  }

  void ReadEnvironment(const Plane& of) {
    for (const std::string_view bytes : of.own_stats) {
      const Stat read = ReadStat(bytes, of, is_damaged_);
      if (read.name != "profile_start_time" || read.number <= 0 || read.number > kMaxTimeNs)
        continue;
      meta_.base_ns = read.number;
      meta_.has_base = true;
    }
  }

  void AddDevice(const Plane& of) {
    const DeviceName name = ParseDeviceName(of.name);
    if (name.part == 0 && name.number >= 0) AddProperties(of, name.number);
    std::vector<std::pair<std::string_view, Line>> lines;
    bool has_streams = false;
    for (const std::string_view bytes : of.lines) {
      lines.emplace_back(bytes, ReadLine(bytes, is_damaged_));
      has_streams |= IsStream(lines.back().second.name);
    }
    for (const auto& entry : lines) {
      const std::string_view bytes = entry.first;
      const Line& read = entry.second;
      const LineRole role = RoleOfLine(read.name, has_streams);
      // Lines of parts of a device have the same ids as its own.
      const std::int64_t stream =
          name.part == 0 ? read.id : name.part << 32 | (read.id & 0xFFFFFFFF);
      if (role == LineRole::kSteps) AddSteps(bytes, read, of, name.number);
      if (role == LineRole::kWork) {
        AddWorkLine(bytes, read, of, name.number, stream);
      } else {
        ForEachEvent(bytes, read, of, [&](FedRow& row, const EventName&, const std::vector<Stat>&) {
          AddSummary(row, read, name.number, stream);
        });
      }
    }
  }

  void AddProperties(const Plane& of, std::int64_t number) {
    DeviceProperties device;
    device.id = number;
    std::string_view vendor, type;
    for (const std::string_view bytes : of.own_stats) {
      const Stat read = ReadStat(bytes, of, is_damaged_);
      if (read.name == "device_vendor") vendor = read.text;
      if (read.name == "device_type_string" || read.name == "gpu_device_name") type = read.text;
      if (read.name == "core_count") device.sm_count = Narrow(read.number);
      if (read.name == "memory_size" && read.number > 0) device.memory_bytes = read.number;
      if (read.name == "compute_cap_major") device.compute_major = Narrow(read.number);
      if (read.name == "compute_cap_minor") device.compute_minor = Narrow(read.number);
    }
    device.name = type.empty() ? vendor : type;
    meta_.devices.push_back(std::move(device));
  }

  // Calls body(row with its name, times and correlation, name, stats) for each event of a line.
  template <typename Body>
  void ForEachEvent(std::string_view bytes, const Line& of, const Plane& in, const Body& body) {
    std::vector<Stat> stats;
    Message message(bytes);
    while (message.Next()) {
      if (message.field() != line::kEvent) continue;
      FedRow row;
      EventName name;
      std::int64_t offset = 0, duration = 0;
      stats.clear();
      Message read(message.Bytes());
      while (read.Next()) {
        if (read.field() == event::kName) name = in.EventNameOf(read.Int());
        if (read.field() == event::kOffsetPs) offset = read.Int();
        if (read.field() == event::kDurationPs) duration = read.Int();
        if (read.field() == event::kStat) stats.push_back(ReadStat(read.Bytes(), in, is_damaged_));
      }
      Look(read);
      const bool is_usable =
          IsUsable(of.timestamp_ns, offset) && duration >= 0 && duration <= kMostPs;
      if (!is_usable) {
        feed_.CountBad("an event whose time is out of range was skipped");
        continue;
      }
      row.ts_ns = of.timestamp_ns + offset / kPsPerNs;
      row.end_ns = of.timestamp_ns + (offset + duration) / kPsPerNs;
      for (const Stat& one : stats) {
        if (one.name == "correlation_id") row.correlation = one.number;
      }
      row.name = name.name;
      body(row, name, stats);
    }
    Look(message);
  }

  // The same time as that of the device's work, told otherwise.
  void AddSummary(FedRow& row, const Line& on, std::int64_t device, std::int64_t stream) {
    row.kind = EventKind::kDeviceAnnotation;
    row.category = on.name;
    row.track = feed_.Track(Domain::kDeviceAnnotation, device, stream);
    feed_.Add(row);
  }

  void AddSteps(std::string_view bytes, const Line& on, const Plane& of, std::int64_t device) {
    std::int64_t count = 0;
    ForEachEvent(bytes, on, of, [&](FedRow& row, const EventName&, const std::vector<Stat>& stats) {
      std::optional<std::int64_t> number = StepNumberOf(row.name);
      for (const Stat& one : stats) {
        if (!number && one.name == "step_name") number = StepNumberOf(one.text);
        if (!number && (one.name == "step_num" || one.name == "group_id")) number = one.number;
      }
      const bool is_usable = row.end_ns >= row.ts_ns && row.end_ns <= kMaxTimeNs;
      if (is_usable) feed_.StateStep({number.value_or(count), device, row.ts_ns, row.end_ns});
      ++count;
    });
  }

  // When the events of a line begin, sorted; those out of range are left to ForEachEvent.
  std::vector<std::int64_t> BeginsOf(std::string_view bytes, const Line& of) {
    std::vector<std::int64_t> begins;
    Message message(bytes);
    while (message.Next()) {
      if (message.field() != line::kEvent) continue;
      std::int64_t offset = 0;
      Message read(message.Bytes());
      while (read.Next()) {
        if (read.field() == event::kOffsetPs) offset = read.Int();
      }
      if (IsUsable(of.timestamp_ns, offset)) begins.push_back(of.timestamp_ns + offset / kPsPerNs);
    }
    std::sort(begins.begin(), begins.end());
    return begins;
  }

  // A loop or branch is on the line together with the instructions inside: its time is theirs.
  void AddWorkLine(std::string_view bytes, const Line& on, const Plane& of, std::int64_t device,
                   std::int64_t stream) {
    const bool has_loops = std::any_of(of.events.begin(), of.events.end(), [](const auto& named) {
      return named.second.role == HloRole::kControlFlow;
    });
    const std::vector<std::int64_t> begins =
        has_loops ? BeginsOf(bytes, on) : std::vector<std::int64_t>();
    const auto holds_others = [&](const FedRow& row) {
      const auto first = std::lower_bound(begins.begin(), begins.end(), row.ts_ns);
      return std::lower_bound(first, begins.end(), row.end_ns) - first > 1;
    };
    ForEachEvent(bytes, on, of,
                 [&](FedRow& row, const EventName& name, const std::vector<Stat>& stats) {
                   if (name.role == HloRole::kControlFlow && holds_others(row)) {
                     AddSummary(row, on, device, stream);
                   } else {
                     row.track = feed_.Track(Domain::kDevice, device, stream);
                     AddWork(row, name, stats);
                   }
                 });
  }

  void AddWork(FedRow& row, const EventName& name, const std::vector<Stat>& stats) {
    std::string_view kernel_details;
    std::optional<std::string_view> copy_details;
    for (const Stat& one : stats) {
      if (one.name == "kernel_details") kernel_details = one.text;
      if (one.name == "memcpy_details") copy_details = one.text;
    }
    const DeviceWork work = WorkNamed(row.name, name.role, copy_details.has_value());
    row.kind = work.kind;
    row.name = work.name;
    if (work.kind != EventKind::kKernel) {
      row.category = row.kind == EventKind::kMemset ? "gpu_memset" : "gpu_memcpy";
      return feed_.Add(row, CopyArgs{.bytes = BytesOfCopy(copy_details.value_or(""))});
    }
    row.category = name.category.empty() ? "kernel" : name.category;
    feed_.Add(row, ReadKernelDetails(kernel_details));
  }

  void AddHost(const Plane& of) {
    for (const std::string_view bytes : of.lines) {
      const Line read = ReadLine(bytes, is_damaged_);
      feed_.NameThread(kHostPid, read.id, read.name);
      ForEachEvent(bytes, read, of,
                   [&](FedRow& row, const EventName&, const std::vector<Stat>& stats) {
                     std::string step;
                     for (const Stat& one : stats) {
                       if (one.name == "step_num")
                         step = fmt::format("ProfilerStep#{}", one.number);
                     }
                     row.track = feed_.Track(Domain::kHost, kHostPid, read.id);
                     const HostRow host = HostRowNamed(row.name, row.correlation > 0);
                     row.kind = step.empty() ? host.kind : EventKind::kUserAnnotation;
                     row.category = step.empty() ? host.category : "step";
                     row.name = step.empty() ? host.name : std::string_view(step);
                     if (row.kind != EventKind::kRuntime) row.correlation = kNoCorrelation;
                     feed_.Add(row);
                   });
    }
  }

  static constexpr std::int64_t kHostPid = 0;

  std::string_view bytes_;
  RowFeed feed_;
  TraceMeta meta_;
  bool is_damaged_ = false;
};

}  // namespace

// The first field is a plane, whose name is a path of devices: a message in a message.
bool IsTrace(std::string_view head) {
  if (!head.starts_with('\n')) return false;
  for (const std::string_view name : {"/host:"sv, "/device:"sv, "Task Environment"sv}) {
    if (head.substr(0, 64 + name.size()).find(name) != std::string_view::npos) return true;
  }
  return false;
}

Result<RankTrace> ReadTrace(std::string_view bytes, const std::string& path) {
  return File(bytes, path).Read();
}

Result<RankTrace> ReadTrace(const std::string& path, const ReadOptions& options) {
  RS_ASSIGN_OR_RETURN(const auto source, OpenByteSource(path, options.inflate));
  RS_ASSIGN_OR_RETURN(const std::string bytes, ReadWhole(*source, path));
  RS_ASSIGN_OR_RETURN(RankTrace trace, ReadTrace(bytes, path));
  trace.meta.file_bytes = source->file_bytes();
  for (const QualityEntry& entry : source->problems().entries())
    trace.meta.quality.push_back(entry);
  return trace;
}

}  // namespace rankscope::xplane
