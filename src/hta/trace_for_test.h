// Traces from literal events in microseconds, for tests of the hta.* analyses that are checked by
// hand.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stage/job_for_test.h"
#include "trace/builder.h"

namespace rankscope::hta {

class UsTrace {
 public:
  UsTrace& Op(std::string_view name, double ts, double dur) {
    return Host(EventKind::kCpuOp, "cpu_op", name, ts, dur, -1);
  }
  UsTrace& Step(int number, double ts, double dur) {
    return Mark("ProfilerStep#" + std::to_string(number), ts, dur);
  }
  UsTrace& Mark(std::string_view name, double ts, double dur) {
    return Host(EventKind::kUserAnnotation, "user_annotation", name, ts, dur, -1);
  }
  UsTrace& Call(std::string_view name, std::int64_t correlation, double ts, double dur) {
    return Host(EventKind::kRuntime, "cuda_runtime", name, ts, dur, correlation);
  }
  UsTrace& Launch(std::int64_t correlation, double ts, double dur) {
    return Call("cudaLaunchKernel", correlation, ts, dur);
  }
  UsTrace& Kernel(std::int64_t stream, std::string_view name, double ts, double dur,
                  std::int64_t correlation = -1) {
    return Device(EventKind::kKernel, "kernel", stream, name, ts, dur, correlation);
  }
  UsTrace& Copy(std::string_view name, double ts, double dur, double gb_per_s,
                std::int64_t stream = 7) {
    Device(EventKind::kMemcpy, "gpu_memcpy", stream, name, ts, dur, -1);
    events_.back().gb_per_s = gb_per_s;
    return *this;
  }
  UsTrace& Wait(std::int64_t stream, std::string_view name, double ts, double dur,
                std::int64_t correlation = -1) {
    return Add({.first = 0, .second = stream, .domain = Domain::kDeviceSync},
               EventKind::kDeviceSync, "cuda_sync", name, ts, dur, correlation);
  }
  UsTrace& DeviceMark(std::string_view name, double ts, double dur) {
    return Add({.first = 0, .second = 7, .domain = Domain::kDeviceAnnotation},
               EventKind::kDeviceAnnotation, "gpu_user_annotation", name, ts, dur, -1);
  }
  UsTrace& Event(std::string_view category, std::string_view name, double ts, double dur,
                 std::int64_t correlation = -1) {
    return Host(EventKind::kOther, category, name, ts, dur, correlation);
  }
  // A profiler's range with counters.
  UsTrace& Range(std::string_view name, double ts, double dur,
                 std::vector<std::pair<std::string, double>> counters) {
    Add({.first = 0, .second = 0, .domain = Domain::kOther}, EventKind::kProfilerRange,
        "cuda_profiler_range", name, ts, dur, -1);
    events_.back().counters = std::move(counters);
    return *this;
  }
  // The file's ids for the last event, if they differ from its track.
  UsTrace& WithIds(std::int64_t stream, std::int64_t pid, std::int64_t tid) {
    events_.back().ids = RowIds{.pid = pid, .tid = tid, .stream = stream};
    return *this;
  }
  // Makes the last event a wait for a record of an event on a stream.
  UsTrace& For(std::int64_t record_correlation, std::int32_t stream) {
    events_.back().sync = {.record_correlation = record_correlation, .wait_on_stream = stream};
    return *this;
  }
  UsTrace& WithoutDuration() {
    events_.back().has_duration = false;
    return *this;
  }
  UsTrace& OfBackend(std::string_view backend) {
    backend_ = backend;
    return *this;
  }

  RankTrace Build() const {
    NameScope scope;
    EventBatch batch;
    for (const Literal& event : events_) Append(event, scope, batch);
    batch.event_count = batch.rows.size();
    TraceBuilder builder;
    builder.Append(batch, scope, 0);
    TraceMeta meta;
    meta.backend = backend_;
    return std::move(builder).Finish(std::move(meta), {});
  }

 private:
  struct Literal {
    TrackKey track;
    EventKind kind = EventKind::kOther;
    std::string category;
    std::string name;
    double ts = 0;
    double dur = 0;
    std::int64_t correlation = -1;
    double gb_per_s = -1;
    bool has_duration = true;
    std::optional<RowIds> ids;
    SyncArgs sync;
    std::vector<std::pair<std::string, double>> counters;
  };

  static void Append(const Literal& event, NameScope& scope, EventBatch& batch) {
    const auto [place, is_new] =
        scope.track_ids.emplace(event.track, static_cast<std::uint32_t>(scope.tracks.size()));
    if (is_new) scope.tracks.push_back(event.track);
    RawRow row;
    row.ts_ns = std::llround(event.ts * 1000);
    if (event.has_duration) row.dur_ns = std::llround(event.dur * 1000);
    row.correlation = event.correlation;
    row.name = scope.strings.Intern(event.name);
    row.category = scope.strings.Intern(event.category);
    row.track = place->second;
    row.source = static_cast<std::uint32_t>(batch.rows.size());
    row.kind = event.kind;
    if (event.kind == EventKind::kMemcpy) {
      row.aux = static_cast<std::uint32_t>(batch.copies.size());
      batch.copies.push_back({-1, event.gb_per_s});
    }
    if (event.kind == EventKind::kDeviceSync) {
      row.aux = static_cast<std::uint32_t>(batch.syncs.size());
      batch.syncs.push_back(event.sync);
    }
    if (!event.counters.empty()) {
      row.aux = static_cast<std::uint32_t>(batch.counters.size());
      for (const auto& [name, value] : event.counters)
        batch.counters.push_back(
            {.value = value, .name = scope.strings.Intern(name), .is_last = 0});
      batch.counters.back().is_last = 1;
    }
    if (event.ids) {
      batch.row_ids.push_back(*event.ids);
      batch.row_ids.back().source = row.source;
    }
    batch.rows.push_back(row);
  }

  UsTrace& Host(EventKind kind, std::string_view category, std::string_view name, double ts,
                double dur, std::int64_t correlation) {
    return Add({.first = 1, .second = 1, .domain = Domain::kHost}, kind, category, name, ts, dur,
               correlation);
  }
  UsTrace& Device(EventKind kind, std::string_view category, std::int64_t stream,
                  std::string_view name, double ts, double dur, std::int64_t correlation) {
    return Add({.first = 0, .second = stream, .domain = Domain::kDevice}, kind, category, name, ts,
               dur, correlation);
  }
  UsTrace& Add(const TrackKey& track, EventKind kind, std::string_view category,
               std::string_view name, double ts, double dur, std::int64_t correlation) {
    events_.push_back({track,
                       kind,
                       std::string(category),
                       std::string(name),
                       ts,
                       dur,
                       correlation,
                       -1,
                       true,
                       {},
                       {},
                       {}});
    return *this;
  }

  std::vector<Literal> events_;
  std::string backend_;
};

}  // namespace rankscope::hta
