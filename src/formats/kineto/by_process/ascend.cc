#include "formats/kineto/by_process/ascend.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/saturating.h"
#include "formats/kineto/by_process/arrows.h"
#include "formats/kineto/by_process/ascend_groups.h"
#include "formats/kineto/by_process/ascend_task.h"
#include "formats/kineto/by_process/row_mover.h"

namespace rankscope::kineto {
namespace {

enum class AscendProcess : std::uint8_t { kOther, kHardware, kCollectives, kCann, kOverlap };

// What a connection_id says that is none; and the largest that is one, so that others fit behind
// it.
constexpr std::int64_t kNoConnection = 4294967295;
constexpr std::int64_t kMostConnection = INT64_MAX / 2;
constexpr std::int64_t kDevicesOfHost = 32;  // the lowest five bits of a process

AscendProcess ProcessNamed(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("Ascend Hardware")) return AscendProcess::kHardware;
  if (name == "CANN") return AscendProcess::kCann;
  if (has("HCCL") || name == "Communication") return AscendProcess::kCollectives;
  if (name == "Overlap Analysis") return AscendProcess::kOverlap;
  return AscendProcess::kOther;
}

bool IsAscendArrow(std::string_view category) {
  return category == "async_npu" || category == "HostToDevice";
}

class AscendReading {
 public:
  explicit AscendReading(UnsortedTrace& unsorted) : unsorted_(unsorted), trace_(unsorted.trace) {}

  bool Run() {
    if (!KnowsProcesses()) return false;
    TellRows();
    NumberConnections();
    LinkTheRest();
    PlaceRows();
    return true;
  }

 private:
  // What a row is; tasks are told apart by their names and types.
  struct Told {
    AscendProcess process = AscendProcess::kOther;
    AscendTask task = AscendTask::kNoWork;
    bool is_collective = false;
    bool is_work() const {
      return is_collective || (process == AscendProcess::kHardware && task != AscendTask::kWait &&
                               task != AscendTask::kNoWork && task != AscendTask::kUnknown);
    }
    bool is_task() const { return is_work() || task == AscendTask::kWait; }
  };

  bool KnowsProcesses() {
    bool is_known = false;
    for (const Track& track : trace_.tracks) {
      process_of_.push_back(ProcessNamed(trace_.strings.Get(track.process)));
      const AscendProcess process = process_of_.back();
      is_known |= process == AscendProcess::kHardware || process == AscendProcess::kCann;
      if (process == AscendProcess::kHardware) devices_.insert(track.first);
    }
    return is_known;
  }

  const WorkHint* HintOf(Row row) {
    const auto& hints = unsorted_.hints;
    while (next_hint_ < hints.size() && hints[next_hint_].source < trace_.source[row]) ++next_hint_;
    const bool has_one =
        next_hint_ < hints.size() && hints[next_hint_].source == trace_.source[row];
    return has_one ? &hints[next_hint_] : nullptr;
  }

  void TellRows() {
    told_.resize(trace_.row_count());
    next_hint_ = 0;
    for (Row row = 0; row < trace_.row_count(); ++row) {
      if (trace_.kind[row] != EventKind::kOther) continue;
      Told& told = told_[row];
      told.process = process_of_[trace_.track[row]];
      const std::string_view name = trace_.name_of(row);
      if (told.process == AscendProcess::kCollectives)
        told.is_collective = IsAscendCollective(name);
      has_collectives_ |= told.is_collective;
      if (told.process != AscendProcess::kHardware) continue;
      const WorkHint* const hint = HintOf(row);
      const std::string_view type =
          hint == nullptr ? std::string_view() : trace_.strings.Get(hint->task);
      told.task = TaskOf(name, type);
    }
    // A recording without the collectives' own process has them among the tasks.
    for (Row row = 0; row < trace_.row_count() && !has_collectives_; ++row) {
      if (told_[row].process == AscendProcess::kHardware)
        told_[row].is_collective = IsAscendCollective(trace_.name_of(row));
    }
  }

  // Connections become correlation ids, which count from 1.
  void NumberConnections() {
    std::int64_t highest = 0;
    bool has_zero = false;
    for (Row row = 0; row < trace_.row_count(); ++row) {
      if (told_[row].process == AscendProcess::kOther) continue;
      std::int64_t& id = trace_.correlation[row];
      if (id == kNoConnection || id > kMostConnection) id = kNoCorrelation;
      highest = std::max(highest, id);
      has_zero |= id == 0;
    }
    if (has_zero) {
      ++highest;
      for (Row row = 0; row < trace_.row_count(); ++row) {
        if (told_[row].process != AscendProcess::kOther && trace_.correlation[row] == 0)
          trace_.correlation[row] = highest;
      }
    }
    first_free_ = highest + 1;
  }

  // Tasks whose connection names no call are linked by arrows.
  void LinkTheRest() {
    std::set<std::int64_t> calls;
    for (Row row = 0; row < trace_.row_count(); ++row) {
      if (told_[row].process == AscendProcess::kCann && trace_.correlation[row] > 0)
        calls.insert(trace_.correlation[row]);
    }
    const std::size_t rows = trace_.row_count();
    ArrowRules rules{.is_arrow = IsAscendArrow,
                     .is_call = std::vector<bool>(rows),
                     .is_work = std::vector<bool>(rows),
                     .first_id = first_free_};
    std::vector<std::pair<Row, std::int64_t>> stated;
    for (Row row = 0; row < rows; ++row) {
      rules.is_call[row] = told_[row].process == AscendProcess::kCann;
      if (!told_[row].is_work() || calls.contains(trace_.correlation[row])) continue;
      rules.is_work[row] = true;
      stated.emplace_back(row, trace_.correlation[row]);
      trace_.correlation[row] = kNoCorrelation;
    }
    LinkByArrows(unsorted_, rules);
    for (const auto& [row, id] : stated) {
      if (trace_.correlation[row] <= 0) trace_.correlation[row] = id;
    }
  }

  void PlaceRows() {
    FindStreams();
    FindHostThreads();
    FindGroups();
    RowMover mover(trace_);
    next_hint_ = 0;
    for (Row row = 0; row < trace_.row_count(); ++row) Place(row, mover);
    for (const std::int64_t process : devices_)
      trace_.meta.devices.push_back({.id = DeviceOf(process), .name = std::string(kAscendDevice)});
  }

  // Streams of connections, for collectives, whose own rows say none.
  void FindStreams() {
    for (Row row = 0; row < trace_.row_count(); ++row) {
      if (told_[row].process != AscendProcess::kHardware) continue;
      const Track& track = trace_.track_of(row);
      last_stream_ = std::max(last_stream_, track.second);
      if (trace_.correlation[row] > 0)
        stream_of_.try_emplace(trace_.correlation[row], track.second);
    }
  }

  void FindGroups() {
    for (Row row = 0; row < trace_.row_count(); ++row) {
      const Track& track = trace_.track_of(row);
      if (told_[row].is_collective) groups_.AddGroup(track.first, track.second);
    }
    next_hint_ = 0;
    for (Row row = 0; row < trace_.row_count(); ++row) {
      const WorkHint* const hint = HintOf(row);
      if (hint == nullptr || hint->peer < 0 || told_[row].process != AscendProcess::kCollectives)
        continue;
      const Track& track = trace_.track_of(row);
      groups_.AddPart(track.first, track.second, hint->peer);
    }
  }

  // Threads of the Python process, which CANN's rows name by another process.
  void FindHostThreads() {
    for (Row row = 0; row < trace_.row_count(); ++row) {
      const Track& track = trace_.track_of(row);
      if (track.domain != Domain::kHost ||
          process_of_[trace_.track[row]] != AscendProcess::kOther ||
          trace_.kind[row] == EventKind::kInstant)
        continue;
      host_of_.try_emplace(track.second, track.first);
      if (!python_) python_ = track.first;
    }
  }

  void Place(Row row, RowMover& mover) {
    const Told told = told_[row];
    const std::uint32_t like = trace_.track[row];
    const Track track = trace_.tracks[like];
    const WorkHint* const hint = HintOf(row);
    if (told.is_collective) {
      PlaceCollective(row, hint, mover);
    } else if (told.process == AscendProcess::kHardware) {
      PlaceTask(row, mover);
    } else if (told.process == AscendProcess::kCann) {
      const auto host = host_of_.find(track.second);
      const std::int64_t process = host != host_of_.end() ? host->second : python_.value_or(-1);
      const bool is_known = process >= 0;
      mover.Move(
          row, EventKind::kRuntime,
          mover.TrackOf(Domain::kHost, is_known ? process : track.first, track.second, like));
    } else if (told.process != AscendProcess::kOther) {
      PutAside(row, mover);
    } else if (trace_.kind[row] == EventKind::kOther && IsDequeue(row)) {
      // Runs an op that another thread put into the queue of tasks.
      trace_.kind[row] = EventKind::kCpuOp;
    }
  }

  bool IsDequeue(Row row) const {
    return trace_.strings.Get(trace_.categories[trace_.category[row]]) == "dequeue";
  }

  void PlaceTask(Row row, RowMover& mover) {
    const std::uint32_t like = trace_.track[row];
    const Track track = trace_.tracks[like];
    const std::int64_t device = DeviceOf(track.first);
    const auto put = [&](EventKind kind, auto& table) {
      trace_.aux[row] = static_cast<std::uint32_t>(table.size());
      table.push_back({});
      mover.Move(row, kind, mover.TrackOf(DomainOf(kind), device, track.second, like));
    };
    switch (told_[row].task) {
      case AscendTask::kKernel:
        return put(EventKind::kKernel, trace_.kernels);
      case AscendTask::kCopy:
        return put(EventKind::kMemcpy, trace_.copies);
      case AscendTask::kSet:
        return put(EventKind::kMemset, trace_.copies);
      case AscendTask::kWait:
        return put(EventKind::kDeviceSync, trace_.syncs);
      case AscendTask::kNoWork:
        return PutAside(row, mover);
      case AscendTask::kUnknown:
        return;  // stays where device rows that are not read are counted
    }
  }

  // Off the threads of the host: it is no work of anybody.
  void PutAside(Row row, RowMover& mover) {
    const std::uint32_t like = trace_.track[row];
    const Track track = trace_.tracks[like];
    if (track.domain == Domain::kOther) return;
    mover.Move(row, EventKind::kOther,
               mover.TrackOf(Domain::kOther, track.first, track.second, like));
  }

  void PlaceCollective(Row row, const WorkHint* hint, RowMover& mover) {
    const std::uint32_t like = trace_.track[row];
    const Track track = trace_.tracks[like];
    const AscendCollective told = AscendCollectiveOf(trace_.name_of(row));
    CollectiveArgs collective;
    collective.name = unsorted_.intern(told.op);
    collective.group_name = unsorted_.intern(told.group);
    if (hint != nullptr) {
      const std::string dtype(DtypeOfAscend(trace_.strings.Get(hint->dtype)));
      collective.dtype = unsorted_.intern(dtype);
      // A reduce-scatter counts what a member gets, others what it brings.
      (told.op == "reduceScatter" ? collective.out_elements : collective.in_elements) =
          hint->elements;
      collective.group_size =
          groups_.SizeOf(track.first, track.second, trace_.strings.Get(hint->algorithm));
    }
    trace_.aux[row] = static_cast<std::uint32_t>(trace_.kernels.size());
    KernelArgs kernel;
    kernel.collective = static_cast<std::uint32_t>(trace_.collectives.size());
    trace_.kernels.push_back(kernel);
    trace_.collectives.push_back(collective);
    mover.Move(row, EventKind::kKernel,
               mover.TrackOf(Domain::kDevice, DeviceOf(track.first), StreamOf(row), like));
  }

  // Of a collective: its own, that of its tasks, or else one for its thread.
  std::int64_t StreamOf(Row row) {
    const Track& track = trace_.track_of(row);
    if (told_[row].process == AscendProcess::kHardware) return track.second;
    const auto of_tasks = stream_of_.find(trace_.correlation[row]);
    return of_tasks != stream_of_.end() ? of_tasks->second : StreamOfThread(track);
  }

  // A number behind those of the streams.
  std::int64_t StreamOfThread(const Track& track) {
    const auto next = static_cast<std::int64_t>(stream_of_thread_.size()) + 1;
    return SaturatingAdd(
        last_stream_,
        stream_of_thread_.try_emplace({track.first, track.second}, next).first->second);
  }

  // Of a process of a device: "Ascend Hardware" or "HCCL".
  std::int64_t DeviceOf(std::int64_t process) const {
    const std::int64_t number = process % kDevicesOfHost;
    if (devices_.empty()) return std::max<std::int64_t>(number, 0);
    const auto hardware = std::find_if(devices_.begin(), devices_.end(), [&](std::int64_t one) {
      return one % kDevicesOfHost == number;
    });
    const std::int64_t device = hardware != devices_.end() ? *hardware : *devices_.begin();
    return std::max<std::int64_t>(device % kDevicesOfHost, 0);
  }

  UnsortedTrace& unsorted_;
  RankTrace& trace_;
  std::vector<AscendProcess> process_of_;  // by track
  std::set<std::int64_t> devices_;         // processes "Ascend Hardware"
  std::vector<Told> told_;                 // by row
  bool has_collectives_ = false;
  std::size_t next_hint_ = 0;
  std::int64_t first_free_ = 1;
  std::int64_t last_stream_ = 0;
  boost::unordered_flat_map<std::int64_t, std::int64_t> stream_of_;  // by connection
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> stream_of_thread_;
  std::map<std::int64_t, std::int64_t> host_of_;  // by thread
  AscendGroups groups_;
  std::optional<std::int64_t> python_;
};

}  // namespace

bool ReadAscend(UnsortedTrace& unsorted) { return AscendReading(unsorted).Run(); }

}  // namespace rankscope::kineto
