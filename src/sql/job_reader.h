// JobReader: the data behind the views of one job: traces, each opened when a scan reaches it, and
// tables of analyses, each computed once.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "engine/job.h"
#include "facts/places/work_places.h"
#include "facts/trace_facts.h"

namespace rankscope::sql {

// A trace and what the views show of it besides its own columns. Immutable.
class OpenedTrace {
 public:
  // Absolute times become relative to `origin_ns`.
  OpenedTrace(RankTrace trace, const Capture& capture, std::int64_t origin_ns,
              const KernelRules& rules);

  const RankTrace& trace() const { return trace_; }
  std::int64_t rank() const { return rank_; }
  std::int64_t capture() const { return capture_; }
  // Add this to a time of the trace.
  std::int64_t shift_ns() const { return shift_ns_; }
  // Readable names, by track (query.h says which).
  const std::vector<std::string>& track_names() const { return track_names_; }
  // Each is made on first use, since that takes a pass over the whole trace.
  const WorkClassifier& classifier() const { return facts_.classes(); }
  const WorkPlaces& places() const;
  // The step of a row: for device work the step that launched it, for others the host's step in
  // which it begins; null outside of all steps.
  const Step* StepOf(std::uint32_t row) const;

 private:
  RankTrace trace_;  // declared before the members that refer to it
  std::int64_t rank_;
  std::int64_t capture_;
  std::int64_t shift_ns_;
  std::vector<std::string> track_names_;
  TraceFacts facts_;
  mutable std::once_flag places_once_;
  mutable std::optional<WorkPlaces> places_;
};

// Thread-safe: DuckDB's threads open traces while others compute an analysis. Nobody else may use
// the job meanwhile.
class JobReader {
 public:
  // Keeps up to `keep_open` traces open for later scans. More are open only while tasks use more
  // than that.
  JobReader(Job& job, std::size_t keep_open)
      : job_(job), keep_open_(keep_open), slots_(job.context().captures.size()) {}

  const JobContext& context() const { return job_.context(); }
  const StepFilter& steps() const { return job_.options().steps; }

  // The trace of a capture (an index into context().captures); it stays open while a pointer to it
  // exists.
  Result<std::shared_ptr<const OpenedTrace>> Open(std::size_t capture);
  // The analysis's table with default options; lives as long as the reader.
  Result<const Table*> TableOf(const Analysis& analysis);

 private:
  struct Slot {
    std::mutex mutex;
    std::shared_ptr<const OpenedTrace> trace;  // shared by the tasks that scan it
  };
  void MakeRoom();
  void MarkAsLatest(std::size_t capture);

  Job& job_;
  // Analyses modify the job's knowledge of its files; opening a trace only reads it.
  std::shared_mutex job_mutex_;
  const std::size_t keep_open_;
  std::deque<Slot> slots_;  // by capture; never wait for a slot's mutex while holding mutex_
  std::mutex mutex_;
  std::vector<std::size_t> open_;  // captures, least recently used first
  std::mutex tables_mutex_;
  std::map<std::string, Table> tables_;  // by analysis
};

}  // namespace rankscope::sql
