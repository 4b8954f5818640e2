#include "graph/device_waits.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>

#include "graph/drains.h"
#include "trace/device_api.h"

namespace rankscope {
namespace {

constexpr std::int64_t kSlowLaunchNs = 10'000;
// A wait is joined to so many streams, those that ended last.
constexpr std::size_t kMostStreams = 64;
constexpr int kMostPassed = 1024;

enum class CallRole : std::uint8_t { kNone, kLaunch, kSynchronize, kFree, kStreamWait };

CallRole RoleOf(std::string_view name) {
  if (IsSynchronizeCall(name)) return CallRole::kSynchronize;
  if (IsStreamWaitCall(name)) return CallRole::kStreamWait;
  if (IsBlockingFree(name)) return CallRole::kFree;
  return IsLaunchCall(name) ? CallRole::kLaunch : CallRole::kNone;
}

// Something that a host did, or work that nobody is known to have launched, in the order of time.
struct Event {
  std::int64_t t = 0;
  Row row = kNoRow;
};

class Sweep {
 public:
  explicit Sweep(const RankTrace& trace)
      : trace_(trace),
        device_of_(trace.tracks.size(), kNoTrack),
        streams_(trace.tracks.size()),
        stream_drains_(trace.tracks.size()) {
    NumberDevices();
    device_drains_.emplace(device_count_);
    CountBacklogs();
    ReadNames();
    CollectSyncRecords();
    CollectEvents();
  }

  DeviceWaits Run() {
    for (const Event& event : events_) {
      if (IsDeviceWork(trace_.kind[event.row])) {
        NoteIssued(event.row);
      } else {
        Visit(event.row);
      }
    }
    for (const RowPair& pair : trace_.launch_kernels) NoteGraph(pair);
    FlushGraph();
    std::sort(waits_.host.begin(), waits_.host.end(), [](const HostWait& a, const HostWait& b) {
      return a.track != b.track ? a.track < b.track : a.begin_ns < b.begin_ns;
    });
    return std::move(waits_);
  }

 private:
  // Device work in the order of its ends.
  struct ByEnd {
    std::vector<std::int64_t> ends;
    std::vector<Row> rows;
  };
  // Launches of a stream or of a device.
  struct Queue {
    std::int64_t issued = 0;
    std::size_t begun = 0;             // of `begins`, by the time of the sweep
    std::vector<std::int64_t> begins;  // ascending, once a launch was slow
    std::optional<ByEnd> by_end;       // once it was full
  };
  struct Stream {
    Queue queue;
    // Its work from here on was launched in the recording, or nobody knows when.
    Row first_of_recording = kNoRow;
    std::uint64_t waits_seen = 0;  // stream-wait calls before its last launch
    std::vector<Row> awaited;      // by its next work, by name
  };

  void NumberDevices() {
    std::map<std::int64_t, std::uint32_t> known;
    for (std::uint32_t track = 0; track < trace_.tracks.size(); ++track) {
      const Track& stream = trace_.tracks[track];
      if (stream.domain != Domain::kDevice) continue;
      const auto [place, is_new] = known.emplace(stream.first, device_count_);
      if (is_new) ++device_count_;
      device_of_[track] = place->second;
      tracks_of_device_.resize(device_count_);
      tracks_of_device_[place->second].push_back(track);
      all_tracks_.push_back(track);
      stream_of_.emplace(std::pair(stream.first, stream.second), track);
    }
  }

  // What a stream ran before the first work of a recorded launch was queued when the recording
  // began.
  void CountBacklogs() {
    device_queues_.resize(device_count_);
    for (std::uint32_t track = 0; track < trace_.tracks.size(); ++track) {
      if (device_of_[track] == kNoTrack) continue;
      const Track& rows = trace_.tracks[track];
      Row first = rows.begin;
      while (first < rows.end &&
             (!IsDeviceWork(trace_.kind[first]) || trace_.link[first] == kNoRow))
        ++first;
      // Without a recorded launch it is not known when any of it was launched.
      streams_[track].first_of_recording = first == rows.end ? rows.begin : first;
      for (Row row = rows.begin; row < streams_[track].first_of_recording; ++row) CountIssued(row);
    }
  }

  void CountIssued(Row row) {
    if (!IsQueueEntry(row)) return;
    ++streams_[trace_.track[row]].queue.issued;
    ++device_queues_[device_of_[trace_.track[row]]].issued;
  }

  void ReadNames() {
    roles_.resize(trace_.strings.size());
    std::vector<std::uint8_t> is_known(trace_.strings.size(), 0);
    for (Row row = 0; row < trace_.row_count(); ++row) {
      const StringId name = trace_.name[row];
      if (trace_.kind[row] != EventKind::kRuntime || is_known[name]) continue;
      is_known[name] = 1;
      roles_[name] = RoleOf(trace_.strings.Get(name));
    }
  }

  // Synchronisation records of calls, and the calls that record the events that are waited for.
  void CollectSyncRecords() {
    for (Row row = 0; row < trace_.row_count(); ++row) {
      if (trace_.kind[row] == EventKind::kDeviceSync && trace_.link[row] != kNoRow)
        sync_of_call_.push_back({trace_.link[row], row});
    }
    std::sort(sync_of_call_.begin(), sync_of_call_.end(), [](const RowPair& a, const RowPair& b) {
      return a.from != b.from ? a.from < b.from : a.to < b.to;
    });
    for (const RowPair& pair : trace_.record_wait) record_of_wait_.emplace_back(pair.to, pair.from);
    std::sort(record_of_wait_.begin(), record_of_wait_.end());
    recorded_.resize(trace_.record_wait.size());
  }

  void CollectEvents() {
    for (const Track& track : trace_.tracks) {
      if (track.domain == Domain::kHost) {
        for (Row row = track.begin; row < track.end; ++row) {
          if (trace_.kind[row] != EventKind::kRuntime) continue;
          if (roles_[trace_.name[row]] != CallRole::kNone || trace_.link[row] != kNoRow ||
              IsRecord(row))
            events_.push_back({trace_.ts_ns[row], row});
        }
      } else if (track.domain == Domain::kDevice) {
        for (Row row = track.begin; row < track.end; ++row) {
          if (IsDeviceWork(trace_.kind[row]) && trace_.link[row] == kNoRow)
            events_.push_back({trace_.ts_ns[row], row});
        }
      }
    }
    std::sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
      return a.t != b.t ? a.t < b.t : a.row < b.row;
    });
  }

  bool IsRecord(Row call) const {
    const auto first = FirstRecord(call);
    return first != trace_.record_wait.end() && first->from == call;
  }
  const RowPair* FirstRecord(Row call) const {
    return std::lower_bound(trace_.record_wait.begin(), trace_.record_wait.end(), call,
                            [](const RowPair& pair, Row row) { return pair.from < row; });
  }

  void Visit(Row call) {
    // An event stands for what was issued to its stream until then, and for what the stream was
    // told to wait for since.
    for (const RowPair* pair = FirstRecord(call);
         pair != trace_.record_wait.end() && pair->from == call; ++pair) {
      const std::uint32_t stream = StreamOfEvent(pair->to);
      if (stream == kNoTrack) continue;
      const auto record = static_cast<std::size_t>(pair - trace_.record_wait.begin());
      recorded_[record] = stream_drains_.of(stream);
      if (!streams_[stream].awaited.empty()) also_recorded_[record] = streams_[stream].awaited;
    }
    switch (roles_[trace_.name[call]]) {
      case CallRole::kSynchronize:
        Synchronize(call);
        break;
      case CallRole::kFree:
        WaitForDevice(call);
        break;
      case CallRole::kStreamWait:
        StreamWaits(call);
        break;
      default:
        break;
    }
    Launch(call);
  }

  void Launch(Row call) {
    bool may_block = trace_.end_ns(call) - trace_.ts_ns[call] >= kSlowLaunchNs;
    for (const RowPair& pair : trace_.KernelsOf(call)) {
      if (may_block) {
        FullQueue(call, trace_.track[pair.to]);
        may_block = false;
      }
      Issue(pair.to);
      if (trace_.kind[pair.to] != EventKind::kMemcpy) continue;
      const std::int64_t end = trace_.end_ns(pair.to);
      if (end <= trace_.end_ns(call) && IsBlockingCopy(call, pair.to))
        WaitUntil(call, Drain{end, pair.to}, DependencyKind::kSync, true);
    }
  }

  bool IsBlockingCopy(Row call, Row copy) const {
    const std::string_view name = trace_.name_of(call);
    if (name.find("emcpy") == std::string_view::npos) return false;  // a copy inside a graph
    return name.find("Async") == std::string_view::npos ||
           trace_.name_of(copy).find("ageable") != std::string_view::npos;
  }

  void Issue(Row row) {
    const std::uint32_t track = trace_.track[row];
    Stream& stream = streams_[track];
    const std::int64_t begin = trace_.ts_ns[row];
    for (const Row source : stream.awaited) waits_.stream.push_back({source, row, false});
    stream.awaited.clear();
    if (stream.waits_seen != unnamed_waits_) {
      stream.waits_seen = unnamed_waits_;
      const std::optional<Drain> drain = stream_drains_.LastBy(begin + kClockToleranceNs, track);
      if (drain) waits_.stream.push_back({drain->row, row, true});
    }
    NoteIssued(row);
  }

  // All work of a graph on a stream is one entry of its queue.
  bool IsQueueEntry(Row row) const {
    if (!IsDeviceWork(trace_.kind[row])) return false;
    return row == trace_.track_of(row).begin || trace_.link[row] == kNoRow ||
           trace_.link[row - 1] != trace_.link[row];
  }

  void NoteIssued(Row row) {
    const std::uint32_t track = trace_.track[row];
    if (row >= streams_[track].first_of_recording) CountIssued(row);
    const std::int64_t end = trace_.end_ns(row);
    stream_drains_.Issue(track, row, end);
    device_drains_->Issue(device_of_[track], row, end);
  }

  void Synchronize(Row call) {
    const SyncScope scope = ScopeOfSynchronizeCall(trace_.name_of(call));
    if (scope == SyncScope::kDevice) {
      WaitForDevice(call);
    } else if (!WaitByRecords(call)) {
      if (scope == SyncScope::kStream) {
        WaitUntil(call, stream_drains_.LastBy(trace_.end_ns(call) + kClockToleranceNs),
                  DependencyKind::kSync, true);
      } else {
        WaitForAnyEnd(call);
      }
    }
  }

  // False when the trace does not say for what the call waits.
  bool WaitByRecords(Row call) {
    bool is_known = false;
    for (auto pair = std::lower_bound(sync_of_call_.begin(), sync_of_call_.end(), call,
                                      [](const RowPair&p, Row row) { return p.from < row; });
         pair != sync_of_call_.end() && pair->from == call; ++pair) {
      const std::optional<Drain> drain = DrainOfRecord(pair->to);
      if (!drain) continue;
      is_known = true;
      if (drain->row != kNoRow) WaitUntil(call, drain, DependencyKind::kSync, false);
      for (const Row row : AlsoRecordedFor(pair->to))
        WaitUntil(call, Drain{trace_.end_ns(row), row}, DependencyKind::kSync, false);
    }
    return is_known;
  }

  // For the work, issued before, that ended last before the call did.
  void WaitForAnyEnd(Row call) {
    const std::int64_t begin = trace_.ts_ns[call];
    const std::int64_t by = trace_.end_ns(call) + kClockToleranceNs;
    if (!all_by_end_) all_by_end_ = IndexByEnd(all_tracks_);
    auto next = std::upper_bound(all_by_end_->ends.begin(), all_by_end_->ends.end(), by);
    // Work of other threads that was issued meanwhile is passed over, some at most.
    for (int passed = 0; next != all_by_end_->ends.begin() && passed < kMostPassed; ++passed) {
      --next;
      if (*next <= begin) return;
      const Row row = all_by_end_->rows[static_cast<std::size_t>(next - all_by_end_->ends.begin())];
      if (trace_.link[row] != kNoRow && trace_.ts_ns[trace_.link[row]] >= begin) continue;
      return WaitUntil(call, Drain{*next, row}, DependencyKind::kSync, true);
    }
  }

  void WaitForDevice(Row call) {
    const std::int64_t by = trace_.end_ns(call) + kClockToleranceNs;
    const std::optional<Drain> last = device_drains_->LastBy(by);
    if (!last) return;
    const std::uint32_t device = device_of_[trace_.track[last->row]];
    std::size_t waits = 0;
    stream_drains_.ForEachBy(by, trace_.ts_ns[call], [&](std::uint32_t stream, const Drain& drain) {
      if (device_of_[stream] != device) return true;
      WaitUntil(call, drain, DependencyKind::kSync, true);
      return ++waits < kMostStreams;
    });
  }

  // What a synchronisation record waits for; nullopt when it does not say. A drain without a row:
  // nothing was issued.
  std::optional<Drain> DrainOfRecord(Row sync) const {
    if (const auto recorded = RecordedFor(sync)) return recorded;
    const std::uint32_t stream =
        StreamOf(trace_.track_of(sync).first, trace_.track_of(sync).second);
    if (stream == kNoTrack) return std::nullopt;
    return stream_drains_.of(stream);
  }

  // The event that a record waits for, as an index of record_wait.
  std::optional<std::size_t> EventOf(Row sync) const {
    const auto found = std::lower_bound(record_of_wait_.begin(), record_of_wait_.end(),
                                        std::pair<Row, Row>(sync, 0));
    if (found == record_of_wait_.end() || found->first != sync) return std::nullopt;
    const RowPair pair{found->second, sync};
    const auto place = std::lower_bound(trace_.record_wait.begin(), trace_.record_wait.end(), pair,
                                        [](const RowPair& a, const RowPair& b) {
                                          return a.from != b.from ? a.from < b.from : a.to < b.to;
                                        });
    return static_cast<std::size_t>(place - trace_.record_wait.begin());
  }

  // What the event waited for by a record stood for: the work of its stream ...
  std::optional<Drain> RecordedFor(Row sync) const {
    const auto event = EventOf(sync);
    return event ? std::optional(recorded_[*event]) : std::nullopt;
  }
  // ... and work of other streams.
  std::span<const Row> AlsoRecordedFor(Row sync) const {
    const auto event = EventOf(sync);
    const auto found = event ? also_recorded_.find(*event) : also_recorded_.end();
    return found == also_recorded_.end() ? std::span<const Row>() : std::span(found->second);
  }

  // Of a stream's work the last stands for all before.
  void Await(Row row, std::uint32_t stream) {
    if (trace_.track[row] == stream) return;
    std::vector<Row>& awaited = streams_[stream].awaited;
    for (Row& other : awaited) {
      if (trace_.track[other] != trace_.track[row]) continue;
      if (trace_.end_ns(row) > trace_.end_ns(other)) other = row;
      return;
    }
    if (awaited.size() < kMostStreams) {
      awaited.push_back(row);
      return;
    }
    Row& first = *std::min_element(awaited.begin(), awaited.end(), [&](Row a, Row b) {
      return trace_.end_ns(a) < trace_.end_ns(b);
    });
    if (trace_.end_ns(row) > trace_.end_ns(first)) first = row;
  }

  void StreamWaits(Row call) {
    bool is_named = false;
    for (auto pair = std::lower_bound(sync_of_call_.begin(), sync_of_call_.end(), call,
                                      [](const RowPair&p, Row row) { return p.from < row; });
         pair != sync_of_call_.end() && pair->from == call; ++pair) {
      const Track& waiting = trace_.track_of(pair->to);
      const std::uint32_t stream = StreamOf(waiting.first, waiting.second);
      const std::optional<Drain> drain = RecordedFor(pair->to);
      if (stream == kNoTrack || !drain) continue;
      is_named = true;
      if (drain->row != kNoRow) Await(drain->row, stream);
      for (const Row row : AlsoRecordedFor(pair->to)) Await(row, stream);
    }
    unnamed_waits_ += !is_named;
  }

  void FullQueue(Row call, std::uint32_t track) {
    if (WaitForRoom(call, streams_[track].queue, std::span(&track, 1))) return;
    const std::uint32_t device = device_of_[track];
    WaitForRoom(call, device_queues_[device], tracks_of_device_[device]);
  }

  // Whether the queue of these streams was full when the call began.
  bool WaitForRoom(Row call, Queue& queue, std::span<const std::uint32_t> tracks) {
    if (queue.issued < kFullQueue) return false;
    if (queue.begins.empty()) {
      ForEachRow(tracks, [&](Row row) {
        if (IsQueueEntry(row)) queue.begins.push_back(trace_.ts_ns[row]);
      });
      std::sort(queue.begins.begin(), queue.begins.end());
    }
    const std::int64_t begin = trace_.ts_ns[call];
    while (queue.begun < queue.begins.size() && queue.begins[queue.begun] <= begin) ++queue.begun;
    if (queue.issued < static_cast<std::int64_t>(queue.begun) + kFullQueue) return false;
    if (!queue.by_end) queue.by_end = IndexByEnd(tracks);
    const auto& [ends, rows_by_end] = *queue.by_end;
    const auto next = std::upper_bound(ends.begin(), ends.end(), trace_.end_ns(call));
    if (next == ends.begin()) return true;
    const auto place = static_cast<std::size_t>(next - ends.begin()) - 1;
    WaitUntil(call, Drain{ends[place], rows_by_end[place]}, DependencyKind::kFullQueue, true);
    return true;
  }

  template <typename Visit>
  void ForEachRow(std::span<const std::uint32_t> tracks, const Visit& visit) const {
    for (const std::uint32_t track : tracks) {
      for (Row row = trace_.tracks[track].begin; row < trace_.tracks[track].end; ++row) visit(row);
    }
  }

  ByEnd IndexByEnd(std::span<const std::uint32_t> tracks) const {
    ByEnd index;
    ForEachRow(tracks, [&](Row row) {
      if (IsDeviceWork(trace_.kind[row])) index.rows.push_back(row);
    });
    std::sort(index.rows.begin(), index.rows.end(), [&](Row a, Row b) {
      return trace_.end_ns(a) != trace_.end_ns(b) ? trace_.end_ns(a) < trace_.end_ns(b) : a < b;
    });
    for (const Row row : index.rows) index.ends.push_back(trace_.end_ns(row));
    return index;
  }

  void WaitUntil(Row call, const std::optional<Drain>& drain, DependencyKind kind, bool inferred) {
    const std::int64_t begin = trace_.ts_ns[call];
    const std::int64_t end = trace_.end_ns(call);
    if (!drain || drain->end_ns <= begin || drain->end_ns > end + kClockToleranceNs) return;
    waits_.host.push_back(
        {trace_.track[call], begin, std::min(drain->end_ns, end), drain->row, kind, inferred});
  }

  std::uint32_t StreamOf(std::int64_t device, std::int64_t stream) const {
    const auto found = stream_of_.find({device, stream});
    return found == stream_of_.end() ? kNoTrack : found->second;
  }
  std::uint32_t StreamOfEvent(Row sync) const {
    if (trace_.aux[sync] == kNoAux) return kNoTrack;
    return StreamOf(trace_.track_of(sync).first, trace_.syncs[trace_.aux[sync]].wait_on_stream);
  }

  // Rows of one launch come together.
  void NoteGraph(const RowPair& pair) {
    if (!graph_.empty() && trace_.link[graph_.back()] != pair.from) FlushGraph();
    if (IsDeviceWork(trace_.kind[pair.to])) graph_.push_back(pair.to);
  }

  void FlushGraph() {
    const auto by_begin = [&](Row a, Row b) {
      return trace_.ts_ns[a] != trace_.ts_ns[b] ? trace_.ts_ns[a] < trace_.ts_ns[b] : a < b;
    };
    const bool is_one_stream = std::all_of(graph_.begin(), graph_.end(), [&](Row row) {
      return trace_.track[row] == trace_.track[graph_.front()];
    });
    if (!is_one_stream) {
      std::vector<Row> by_end = graph_;
      std::sort(by_end.begin(), by_end.end(), [&](Row a, Row b) {
        return trace_.end_ns(a) != trace_.end_ns(b) ? trace_.end_ns(a) < trace_.end_ns(b) : a < b;
      });
      std::sort(graph_.begin(), graph_.end(), by_begin);
      std::size_t ended = 0;
      for (const Row row : graph_) {
        while (ended < by_end.size() && trace_.end_ns(by_end[ended]) <= trace_.ts_ns[row]) ++ended;
        if (ended == 0) continue;
        const Row last = by_end[ended - 1];
        if (trace_.track[last] != trace_.track[row]) waits_.stream.push_back({last, row, true});
      }
    }
    graph_.clear();
  }

  const RankTrace& trace_;
  std::uint32_t device_count_ = 0;
  std::vector<std::uint32_t> device_of_;  // by track
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> stream_of_;
  std::vector<CallRole> roles_;  // by name
  std::vector<RowPair> sync_of_call_;
  std::vector<std::pair<Row, Row>> record_of_wait_;
  std::vector<Drain> recorded_;  // for each of record_wait
  std::map<std::size_t, std::vector<Row>> also_recorded_;
  std::vector<Event> events_;
  std::vector<Stream> streams_;  // by track
  std::optional<ByEnd> all_by_end_;
  std::vector<Queue> device_queues_;
  std::vector<std::vector<std::uint32_t>> tracks_of_device_;
  std::vector<std::uint32_t> all_tracks_;  // of devices
  Drains stream_drains_;
  std::optional<Drains> device_drains_;
  std::uint64_t unnamed_waits_ = 0;
  std::vector<Row> graph_;
  DeviceWaits waits_;
};

}  // namespace

DeviceWaits FindDeviceWaits(const RankTrace& trace) { return Sweep(trace).Run(); }

}  // namespace rankscope
