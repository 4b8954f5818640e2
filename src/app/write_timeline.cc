#include "app/write_timeline.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "base/parallel.h"
#include "base/saturating.h"
#include "facts/trace_facts.h"
#include "schemas/across.h"
#include "schemas/critical_path.h"
#include "timeline/build.h"
#include "timeline/writer.h"

namespace rankscope::app {
namespace {

// Clocks drift while a job runs; what the first guess of its extent leaves out is in no bin.
constexpr std::int64_t kSlackNs = 10'000'000;

using MembersOfRanks = std::map<std::int64_t, std::vector<TimelineMember>>;

std::string TextOr(ViewOf<CollectiveMembers> members, std::size_t row,
                   CollectiveMembers::StringColumn column, std::string_view unknown) {
  return std::string(members.IsNull(row, column) ? unknown : members.String(row, column));
}

bool IsLast(ViewOf<CollectiveMembers> members, std::size_t row) {
  const auto& columns = SchemaOf<CollectiveMembers>();
  return !members.IsNull(row, columns.is_last) && members.Bool(row, columns.is_last);
}

// Members of a collective stand together.
std::vector<TimelineCollective> ReadCollectives(ViewOf<CollectiveMembers> members) {
  const auto& columns = SchemaOf<CollectiveMembers>();
  std::vector<TimelineCollective> collectives;
  std::int64_t current = -1;
  for (std::size_t row = 0; row < members.row_count(); ++row) {
    if (members.IsNull(row, columns.start_ns)) continue;
    if (members.Int(row, columns.collective) != current) {
      current = members.Int(row, columns.collective);
      collectives.push_back(
          {.name = fmt::format("{} in group {}", TextOr(members, row, columns.op, "?"),
                               TextOr(members, row, columns.group, "?"))});
    }
    TimelineArrival arrival{.rank = members.Int(row, columns.rank),
                            .start_ns = members.Int(row, columns.start_ns),
                            .duration_ns = members.Int(row, columns.duration_ns),
                            .event = static_cast<std::uint32_t>(members.Int(row, columns.event)),
                            .is_last = IsLast(members, row)};
    if (const auto wait = members.Known(row, columns.wait_ns)) arrival.wait_ns = *wait;
    collectives.back().arrivals.push_back(arrival);
  }
  return collectives;
}

std::vector<TimelinePathPiece> ReadPath(ViewOf<PathPieces> path) {
  const auto& columns = SchemaOf<PathPieces>();
  std::vector<TimelinePathPiece> pieces;
  pieces.reserve(path.row_count());
  for (std::size_t row = 0; row < path.row_count(); ++row) {
    pieces.push_back({.start_ns = path.Int(row, columns.start_ns),
                      .duration_ns = path.Int(row, columns.duration_ns),
                      .rank = path.Int(row, columns.rank),
                      .part = std::string(path.String(row, columns.part)),
                      .name = path.IsNull(row, columns.name)
                                  ? std::string()
                                  : std::string(path.String(row, columns.name)),
                      .event = path.Known(row, columns.event).value_or(-1)});
  }
  return pieces;
}

MembersOfRanks ReadMembers(ViewOf<CollectiveMembers> members) {
  const auto& columns = SchemaOf<CollectiveMembers>();
  MembersOfRanks found;
  for (std::size_t row = 0; row < members.row_count(); ++row) {
    const auto event = members.Known(row, columns.event);
    const auto start = members.Known(row, columns.start_ns);
    if (!event || !start) continue;
    TimelineMember member{.event = static_cast<std::uint32_t>(*event),
                          .start_ns = *start,
                          .knows_rest = !members.IsNull(row, columns.transfer_ns),
                          .is_last = IsLast(members, row)};
    if (const auto wait = members.Known(row, columns.wait_ns)) member.wait_ns = *wait;
    found[members.Int(row, columns.rank)].push_back(member);
  }
  return found;
}

void AddMessages(ViewOf<PointToPointMembers> messages, MembersOfRanks& found) {
  const auto& columns = SchemaOf<PointToPointMembers>();
  for (std::size_t row = 0; row < messages.row_count(); ++row) {
    const auto wait = messages.Known(row, columns.wait_ns);
    if (!wait) continue;
    found[messages.Int(row, columns.rank)].push_back(
        {.event = static_cast<std::uint32_t>(messages.Int(row, columns.event)),
         .start_ns = messages.Int(row, columns.start_ns),
         .wait_ns = *wait});
  }
}

MembersOfRanks ReadMembers(const TimelineTables& tables) {
  MembersOfRanks found = ReadMembers(ViewOf<CollectiveMembers>(tables.members));
  AddMessages(tables.messages, found);
  return found;
}

// How far each rank's clock is ahead of the job's.
std::map<std::int64_t, std::int64_t> ReadOffsets(ViewOf<Clocks> clocks) {
  const auto& of_clock = SchemaOf<Clocks>();
  std::map<std::int64_t, std::int64_t> offsets;
  for (std::size_t row = 0; row < clocks.row_count(); ++row) {
    if (const auto offset = clocks.Known(row, of_clock.offset_ns))
      offsets[clocks.Int(row, of_clock.rank)] = *offset;
  }
  return offsets;
}

class Writing {
 public:
  Writing(const Job& job, const TimelineTables& tables)
      : job_(job),
        tables_(tables),
        members_(ReadMembers(tables)),
        offsets_(ReadOffsets(tables.clocks)) {
    const std::vector<Capture>& captures = job.context().captures;
    for (std::size_t i = 0; i < captures.size(); ++i) {
      if (captures[i].selected) selected_.push_back(i);
    }
  }

  Status Write(const std::string& path) {
    RS_ASSIGN_OR_RETURN(const std::unique_ptr<TimelineWriter> writer,
                        TimelineWriter::Create(path, Extent()));
    for (std::size_t from = 0; from < selected_.size();) {
      const std::size_t to = EndOfBlock(from);
      RS_RETURN_IF_ERROR(AddAll(*writer, from, to));
      RS_RETURN_IF_ERROR(writer->EndBlock());
      from = to;
    }
    RS_RETURN_IF_ERROR(writer->AddCollectives(ReadCollectives(tables_.members)));
    RS_RETURN_IF_ERROR(writer->AddPath(ReadPath(tables_.path)));
    return writer->Commit();
  }

 private:
  const Capture& At(std::size_t i) const { return job_.context().captures[selected_[i]]; }

  std::int64_t OffsetOf(std::int64_t rank) const {
    const auto found = offsets_.find(rank);
    return found == offsets_.end() ? 0 : found->second;
  }

  TimelineExtent Extent() const {
    const std::int64_t origin = job_.context().origin_ns;
    TimelineExtent extent{.origin_ns = origin};
    bool is_first = true;
    for (std::size_t i = 0; i < selected_.size(); ++i) {
      const std::int64_t offset = SaturatingAdd(origin, OffsetOf(At(i).rank));
      const std::int64_t begin = SaturatingSubtract(At(i).begin_ns, offset);
      const std::int64_t end = SaturatingSubtract(At(i).end_ns, offset);
      extent.begin_ns = is_first ? begin : std::min(extent.begin_ns, begin);
      extent.end_ns = is_first ? end : std::max(extent.end_ns, end);
      is_first = false;
    }
    const std::int64_t length = SaturatingSubtract(extent.end_ns, extent.begin_ns);
    const std::int64_t slack = std::min(kSlackNs, length / 64);
    extent.begin_ns = SaturatingSubtract(extent.begin_ns, slack);
    extent.end_ns = SaturatingAdd(extent.end_ns, slack);
    return extent;
  }

  // The first capture behind kTileRanks ranks.
  std::size_t EndOfBlock(std::size_t from) const {
    std::size_t ranks = 0;
    std::size_t to = from;
    for (; to < selected_.size(); ++to) {
      if (to == from || At(to).rank != At(to - 1).rank) ++ranks;
      if (ranks > kTileRanks) break;
    }
    return to;
  }

  Status AddAll(TimelineWriter& writer, std::size_t from, std::size_t to) const {
    std::mutex mutex;
    Status first = OkStatus();
    ParallelFor(to - from, std::max(1, job_.options().threads), [&](std::size_t i) {
      const Status added = Add(writer, selected_[from + i]);
      const std::scoped_lock lock(mutex);
      if (first.ok()) first = added;
    });
    return first;
  }

  Status Add(TimelineWriter& writer, std::size_t index) const {
    const Capture& capture = job_.context().captures[index];
    const Result<RankTrace> trace = job_.OpenTrace(index);
    if (!trace.ok()) return OkStatus();  // lost, as job.Lost() says
    const std::vector<TimelineMember> members = MembersOf(capture);
    const TimelineClock clock =
        ClockOf(*trace, members, job_.context().origin_ns, OffsetOf(capture.rank));
    const TraceFacts facts(*trace, job_.options().kernel_rules);
    return writer.Add(BuildRankTimeline(facts, capture.rank, capture.index, clock, members));
  }

  // A rank's captures follow each other, and events are numbered in each: those that begin while
  // it was made are the capture's.
  std::vector<TimelineMember> MembersOf(const Capture& capture) const {
    const auto found = members_.find(capture.rank);
    if (found == members_.end()) return {};
    const std::int64_t offset = SaturatingAdd(job_.context().origin_ns, OffsetOf(capture.rank));
    const std::int64_t begin =
        SaturatingSubtract(SaturatingSubtract(capture.begin_ns, offset), kSlackNs);
    const std::int64_t end = SaturatingAdd(SaturatingSubtract(capture.end_ns, offset), kSlackNs);
    std::vector<TimelineMember> members;
    for (const TimelineMember& member : found->second) {
      if (member.start_ns >= begin && member.start_ns <= end) members.push_back(member);
    }
    std::ranges::sort(members, {}, &TimelineMember::event);
    return members;
  }

  const Job& job_;
  const TimelineTables& tables_;
  const MembersOfRanks members_;
  const std::map<std::int64_t, std::int64_t> offsets_;
  std::vector<std::size_t> selected_;  // by rank and capture, as the job has them
};

}  // namespace

Status WriteTimeline(const Job& job, const TimelineTables& tables, const std::string& path) {
  return Writing(job, tables).Write(path);
}

}  // namespace rankscope::app
