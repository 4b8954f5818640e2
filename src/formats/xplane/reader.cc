#include "formats/xplane/reader.h"

#include <fmt/core.h>

#include <boost/unordered/unordered_flat_map.hpp>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "formats/base/row_feed.h"
#include "formats/base/whole_text.h"
#include "formats/xplane/message.h"

namespace rankscope::xplane {
namespace {

using namespace std::string_view_literals;

// Numbers of fields, of xplane.proto.
namespace space {
constexpr std::uint32_t kPlane = 1, kHost = 4;
}
namespace plane {
constexpr std::uint32_t kName = 2, kLine = 3, kEventNames = 4, kStatNames = 5, kStat = 6;
}
namespace entry {  // of a map
constexpr std::uint32_t kKey = 1, kValue = 2;
}
namespace named {  // metadata of events and stats
constexpr std::uint32_t kName = 2, kDisplayName = 4;
}
namespace line {
constexpr std::uint32_t kId = 1, kName = 2, kTimestampNs = 3, kEvent = 4, kDisplayName = 11;
}
namespace event {
constexpr std::uint32_t kName = 1, kOffsetPs = 2, kDurationPs = 3, kStat = 4;
}
namespace stat {
constexpr std::uint32_t kName = 1, kReal = 2, kText = 5, kBytes = 6, kReference = 7;
}

struct Stat {
  std::string_view name;
  std::int64_t number = 0;
  std::string_view text;  // "" for a number
};

struct Plane {
  std::string_view name;
  boost::unordered_flat_map<std::int64_t, std::string_view> events;
  boost::unordered_flat_map<std::int64_t, std::string_view> stats;
  std::vector<std::string_view> lines;
  std::vector<std::string_view> own_stats;
};

std::string_view NameOf(const boost::unordered_flat_map<std::int64_t, std::string_view>& names,
                        std::int64_t id) {
  const auto found = names.find(id);
  return found == names.end() ? std::string_view() : found->second;
}

// "regs:32 static_shared:0 dynamic_shared:0 grid:4,2,1 block:256,1,1 occ_pct:75".
KernelArgs ReadKernelDetails(std::string_view text) {
  KernelArgs args;
  std::int64_t fixed = -1, dynamic = -1;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = word.substr(0, colon);
    std::int64_t numbers[3] = {-1, -1, -1};
    const char* at = word.data() + colon + 1;
    const char* const word_end = word.data() + word.size();
    for (std::int64_t& number : numbers) {
      const auto [after, error] = std::from_chars(at, word_end, number);
      if (error != std::errc()) break;
      at = after < word_end && *after == ',' ? after + 1 : word_end;
    }
    if (key == "regs") args.registers_per_thread = Narrow(numbers[0]);
    if (key == "static_shared") fixed = Narrow(numbers[0]);
    if (key == "dynamic_shared") dynamic = Narrow(numbers[0]);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (key == "grid") args.grid[axis] = Narrow(numbers[axis]);
      if (key == "block") args.block[axis] = Narrow(numbers[axis]);
    }
    if (key == "occ_pct" && numbers[0] >= 0 && numbers[0] <= 100)
      args.occupancy_pct = static_cast<float>(numbers[0]);
  }
  if (fixed >= 0 && dynamic >= 0) args.shared_memory_bytes = Narrow(fixed + dynamic);
  return args;
}

// Of "kind_src:pageable kind_dst:device size:4096 dest:0 async:1"; -1 where it says nothing.
std::int64_t BytesOfCopy(std::string_view details) {
  const std::size_t at = details.find("size:");
  std::int64_t bytes = -1;
  if (at != std::string_view::npos)
    std::from_chars(details.data() + at + 5, details.data() + details.size(), bytes);
  return bytes;
}

std::string_view CopyName(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {{"MemcpyH2D", "Memcpy HtoD"},
                                                                      {"MemcpyD2H", "Memcpy DtoH"},
                                                                      {"MemcpyD2D", "Memcpy DtoD"},
                                                                      {"MemcpyH2H", "Memcpy HtoH"},
                                                                      {"MemcpyP2P", "Memcpy PtoP"}};
  for (const auto& [theirs, kinetos] : kNames) {
    if (name == theirs) return kinetos;
  }
  return name;
}

bool IsDeviceCall(std::string_view name) {
  return name.starts_with("cuda") || name.starts_with("hip") ||
         (name.starts_with("cu") && name.size() > 2 && name[2] >= 'A' && name[2] <= 'Z');
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
    return Error(StatusCode::kBadData,
                 "{}: the XPlane file has no event of a device or host; profile with "
                 "jax.profiler.trace around some steps",
                 trace.meta.path);
  }

 private:
  void Look(const Message& read) { is_damaged_ |= read.is_damaged(); }

  void AddName(std::string_view bytes,
               boost::unordered_flat_map<std::int64_t, std::string_view>& names) {
    std::int64_t key = 0;
    std::string_view name, display_name;
    Message pair(bytes);
    while (pair.Next()) {
      if (pair.field() == entry::kKey) key = pair.Int();
      if (pair.field() != entry::kValue) continue;
      Message value(pair.Bytes());
      while (value.Next()) {
        if (value.field() == named::kName) name = value.Bytes();
        if (value.field() == named::kDisplayName) display_name = value.Bytes();
      }
      Look(value);
    }
    Look(pair);
    names[key] = name.empty() ? display_name : name;
  }

  void AddPlane(std::string_view bytes) {
    Plane read;
    Message message(bytes);
    while (message.Next()) {
      switch (message.field()) {
        case plane::kName:
          read.name = message.Bytes();
          break;
        case plane::kLine:
          read.lines.push_back(message.Bytes());
          break;
        case plane::kEventNames:
          AddName(message.Bytes(), read.events);
          break;
        case plane::kStatNames:
          AddName(message.Bytes(), read.stats);
          break;
        case plane::kStat:
          read.own_stats.push_back(message.Bytes());
          break;
        default:
          break;
      }
    }
    Look(message);
    if (read.name == "Task Environment") return ReadEnvironment(read);
    if (read.name.starts_with("/device:")) return AddDevice(read);
    if (read.name.starts_with("/host:") && read.name != "/host:metadata") AddHost(read);
  }

  Stat ReadStat(std::string_view bytes, const Plane& of) {
    Stat read;
    Message message(bytes);
    while (message.Next()) {
      switch (message.field()) {
        case stat::kName:
          read.name = NameOf(of.stats, message.Int());
          break;
        case stat::kText:
        case stat::kBytes:
          read.text = message.Bytes();
          break;
        case stat::kReference:
          read.text = NameOf(of.stats, message.Int());
          break;
        case stat::kReal:
          break;
        default:
          read.number = message.Int();
      }
    }
    Look(message);
    return read;
  }

  void ReadEnvironment(const Plane& of) {
    for (const std::string_view bytes : of.own_stats) {
      const Stat read = ReadStat(bytes, of);
      if (read.name != "profile_start_time" || read.number <= 0 || read.number > kMaxTimeNs)
        continue;
      meta_.base_ns = read.number;
      meta_.has_base = true;
    }
  }

  // "/device:GPU:3": 3.
  static std::int64_t NumberOf(std::string_view name) {
    std::int64_t number = -1;
    const std::size_t at = name.find_last_of(":") + 1;
    std::from_chars(name.data() + at, name.data() + name.size(), number);
    return number;
  }

  void AddDevice(const Plane& of) {
    DeviceProperties device;
    device.id = NumberOf(of.name);
    std::string_view vendor, type;
    for (const std::string_view bytes : of.own_stats) {
      const Stat read = ReadStat(bytes, of);
      if (read.name == "device_vendor") vendor = read.text;
      if (read.name == "device_type_string" || read.name == "gpu_device_name") type = read.text;
      if (read.name == "core_count") device.sm_count = Narrow(read.number);
      if (read.name == "memory_size" && read.number > 0) device.memory_bytes = read.number;
      if (read.name == "compute_cap_major") device.compute_major = Narrow(read.number);
      if (read.name == "compute_cap_minor") device.compute_minor = Narrow(read.number);
    }
    device.name = type.empty() ? vendor : type;
    const auto is_stream = [](std::string_view name) { return name.starts_with("Stream #"); };
    bool has_streams = false;
    for (const std::string_view bytes : of.lines) has_streams |= is_stream(LineOf(bytes).name);
    for (const std::string_view bytes : of.lines) {
      const Line read = LineOf(bytes);
      const bool is_work = has_streams ? is_stream(read.name)
                                       : read.name == "XLA Ops" || read.name == "Async XLA Ops";
      ForEachEvent(bytes, read, of, [&](FedRow& row, const std::vector<Stat>& stats) {
        if (is_work) {
          AddWork(row, stats, device.id, read.id);
        } else {
          row.kind = EventKind::kDeviceAnnotation;
          row.category = read.name;
          row.track = feed_.Track(Domain::kDeviceAnnotation, device.id, read.id);
          feed_.Add(row);
        }
      });
    }
    meta_.devices.push_back(std::move(device));
  }

  struct Line {
    std::int64_t id = 0;
    std::string_view name;
    std::int64_t timestamp_ns = 0;
  };

  Line LineOf(std::string_view bytes) {
    Line read;
    std::string_view display_name;
    Message message(bytes);
    while (message.Next()) {
      if (message.field() == line::kId) read.id = message.Int();
      if (message.field() == line::kName) read.name = message.Bytes();
      if (message.field() == line::kDisplayName) display_name = message.Bytes();
      if (message.field() == line::kTimestampNs) read.timestamp_ns = message.Int();
    }
    Look(message);
    if (read.name.empty()) read.name = display_name;
    return read;
  }

  // Calls body(row with its name, times and correlation, stats) for each event of a line.
  template <typename Body>
  void ForEachEvent(std::string_view bytes, const Line& of, const Plane& in, const Body& body) {
    constexpr std::int64_t kPsPerNs = 1000;
    constexpr std::int64_t kMostPs = std::numeric_limits<std::int64_t>::max() / 2;
    std::vector<Stat> stats;
    Message message(bytes);
    while (message.Next()) {
      if (message.field() != line::kEvent) continue;
      FedRow row;
      std::int64_t offset = 0, duration = 0;
      stats.clear();
      Message read(message.Bytes());
      while (read.Next()) {
        if (read.field() == event::kName) row.name = NameOf(in.events, read.Int());
        if (read.field() == event::kOffsetPs) offset = read.Int();
        if (read.field() == event::kDurationPs) duration = read.Int();
        if (read.field() == event::kStat) stats.push_back(ReadStat(read.Bytes(), in));
      }
      Look(read);
      const bool is_usable = of.timestamp_ns >= 0 && of.timestamp_ns <= kMaxTimeNs / 2 &&
                             offset >= 0 && offset <= kMostPs && duration >= 0 &&
                             duration <= kMostPs;
      if (!is_usable) {
        feed_.CountBad("an event whose time is out of range was skipped");
        continue;
      }
      row.ts_ns = of.timestamp_ns + offset / kPsPerNs;
      row.end_ns = of.timestamp_ns + (offset + duration) / kPsPerNs;
      for (const Stat& one : stats) {
        if (one.name == "correlation_id") row.correlation = one.number;
      }
      body(row, stats);
    }
    Look(message);
  }

  void AddWork(FedRow& row, const std::vector<Stat>& stats, std::int64_t device,
               std::int64_t stream) {
    std::string_view kernel_details;
    std::optional<std::string_view> copy_details;
    for (const Stat& one : stats) {
      if (one.name == "kernel_details") kernel_details = one.text;
      if (one.name == "memcpy_details") copy_details = one.text;
    }
    row.track = feed_.Track(Domain::kDevice, device, stream);
    if (copy_details || row.name.starts_with("Memcpy") || row.name.starts_with("Memset")) {
      row.kind = row.name.starts_with("Memset") ? EventKind::kMemset : EventKind::kMemcpy;
      row.category = row.kind == EventKind::kMemset ? "gpu_memset" : "gpu_memcpy";
      row.name = CopyName(row.name);
      return feed_.Add(row, CopyArgs{.bytes = BytesOfCopy(copy_details.value_or(""))});
    }
    row.kind = EventKind::kKernel;
    row.category = "kernel";
    if (row.name.ends_with(".kd")) row.name.remove_suffix(3);
    feed_.Add(row, ReadKernelDetails(kernel_details));
  }

  void AddHost(const Plane& of) {
    for (const std::string_view bytes : of.lines) {
      const Line read = LineOf(bytes);
      feed_.NameThread(kHostPid, read.id, read.name);
      ForEachEvent(bytes, read, of, [&](FedRow& row, const std::vector<Stat>& stats) {
        std::string step;
        for (const Stat& one : stats) {
          if (one.name == "step_num") step = fmt::format("ProfilerStep#{}", one.number);
        }
        row.track = feed_.Track(Domain::kHost, kHostPid, read.id);
        if (!step.empty()) {
          row.kind = EventKind::kUserAnnotation;
          row.category = "step";
          row.name = step;
        } else if (row.name.starts_with('$')) {
          row.kind = EventKind::kPythonFunction;
          row.category = "python_function";
          row.name.remove_prefix(1);
        } else if (IsDeviceCall(row.name)) {
          row.kind = EventKind::kRuntime;
          row.category = "device_api";
        } else {
          row.kind = EventKind::kCpuOp;
          row.category = "host_trace";
        }
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
