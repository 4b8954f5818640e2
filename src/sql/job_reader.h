// JobReader: what the views of one job read: traces, each opened when a scan comes to it, and
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

// A trace with what the views show of it beside its own columns. Immutable.
class OpenedTrace {
 public:
  // Absolute times become relative to `origin_ns`.
  OpenedTrace(RankTrace trace, const Capture& capture, std::int64_t origin_ns,
              const KernelRules& rules);

  const RankTrace& trace() const { return trace_; }
  std::int64_t rank() const { return rank_; }
  std::int64_t capture() const { return capture_; }
  // To add to a time of the trace.
  std::int64_t shift_ns() const { return shift_ns_; }
  // Readable names, by track (query.h says which).
  const std::vector<std::string>& track_names() const { return track_names_; }
  // Each made on first use, since they look at the whole trace.
  const WorkClassifier& classifier() const { return facts_.classes(); }
  const WorkPlaces& places() const;
  // The step of a row: of device work the one that launched it, of others the host's in which it
  // begins; null outside of all steps.
  const Step* StepOf(std::uint32_t row) const;

 private:
  RankTrace trace_;  // behind it what refers to it
  std::int64_t rank_;
  std::int64_t capture_;
  std::int64_t shift_ns_;
  std::vector<std::string> track_names_;
  TraceFacts facts_;
  mutable std::once_flag places_once_;
  mutable std::optional<WorkPlaces> places_;
};

// Thread-safe: DuckDB's threads open traces while others compute an analysis. The job must not be
// used by anyone else meanwhile.
class JobReader {
 public:
  // Up to `keep_open` traces stay open for the next scan that wants them; more are open only while
  // tasks hold more.
  JobReader(Job& job, std::size_t keep_open)
      : job_(job), keep_open_(keep_open), slots_(job.context().captures.size()) {}

  const JobContext& context() const { return job_.context(); }
  const StepFilter& steps() const { return job_.options().steps; }

  // The trace of a capture (an index into context().captures); it stays open as long as someone
  // holds it.
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
  // Analyses change what the job knows of its files; opening a trace only reads it.
  std::shared_mutex job_mutex_;
  const std::size_t keep_open_;
  std::deque<Slot> slots_;  // by capture; a slot's mutex is never waited for while holding mutex_
  std::mutex mutex_;
  std::vector<std::size_t> open_;  // captures, used longest ago first
  std::mutex tables_mutex_;
  std::map<std::string, Table> tables_;  // by analysis
};

}  // namespace rankscope::sql
