// The collectives of a job: matched kernels of ranks, and when members arrived and left.
//
// Ranks have dense numbers. Process groups are the same if their names and members are equal. In a
// group, collectives are matched by sequence numbers if every event has one (unless these match
// hardly any, and steps match more); else by the step of the launching call and their order in it.
// If records were lost, op, dtype and size are used, and if that leaves a choice, their ends
// (match_lists.h). Inferred steps are cut on each rank separately, so they are not used. Single
// kernels of different kind or size between matches are kept together and marked, but used for
// nothing. Kernels with sends and receives in one state no peer and are not matched.
//
// If traces do not state groups, work of the only communication stream is one group of all ranks.
// With several streams their ranks are unknown, and their work is not matched.
//
// Sends and receives are matched for each (source, destination) like collectives.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "job/clock_fit.h"
#include "job/collective_op.h"
#include "job/match_lists.h"
#include "stage/analysis.h"
#include "trace/step_part.h"

namespace rankscope {

struct JobRank {
  std::int64_t rank = 0;
  std::string host;  // empty when not stated
};

struct JobGroup {
  std::string name, description;
  std::vector<std::int64_t> ranks;  // as stated; else those that were seen
  bool is_stated = true;            // false: work of one stream in traces without metadata
  // Members by the metadata, or -1.
  std::int64_t size = -1;
  // As the metadata states it, else as many as are known.
  std::int64_t Members() const { return size > 0 ? size : static_cast<std::int64_t>(ranks.size()); }
  // "tensor (2 ranks)", what groups with the same purpose have in common.
  std::string Kind() const;
};

struct CollectiveEvent {
  static constexpr std::int64_t kNoStep = INT64_MIN;
  std::int64_t start_ns = 0;  // of the rank's clock, since the epoch
  std::int64_t dur_ns = 0;
  std::int64_t order_ns =
      0;                 // the start; of gloo when a thread took it up, as all ranks do in turn
  std::int64_t in = -1;  // elements
  std::int64_t out = -1;
  std::int64_t step = kNoStep;
  std::uint32_t rank = 0;
  std::uint32_t group = 0;
  std::uint32_t source = 0;    // index in the file
  std::uint32_t in_split = 0;  // texts; 0: none
  std::uint32_t out_split = 0;
  std::int32_t sequence = -1;
  std::int32_t peer = -1;   // global rank
  std::uint32_t dtype = 0;  // text
  CollectiveOp op = CollectiveOp::kUnknown;
  StepPart part = StepPart::kForward;  // of its launch
  bool is_step_marked = false;         // by the profiler, so that it is the same on all ranks

  std::int64_t end_ns() const { return start_ns + dur_ns; }
};

struct JobCollective {
  std::uint32_t group = 0;
  std::int64_t ordinal = 0;  // in the group, from 0
  std::uint32_t first = 0;   // its members are [first, first + count) of members()
  std::uint32_t count = 0;
  CollectiveOp op = CollectiveOp::kUnknown;
  bool agrees = true;  // in op, dtype and size
};

struct SendReceive {
  std::uint32_t send = 0;  // events
  std::uint32_t receive = 0;
};

class JobCollectives {
 public:
  // `tables` are those of MapCollectives.
  Status Add(const Capture& capture, std::span<const Table> tables);
  // Once, behind the last Add.
  void Match();

  const std::vector<JobRank>& ranks() const { return ranks_; }
  // Of the largest group: at least so many ranks has the job, where nothing states it.
  std::int64_t LeastWorldSize() const;
  // The dense number of a rank that was seen.
  std::optional<std::uint32_t> NumberOf(std::int64_t rank) const;
  const std::vector<JobGroup>& groups() const { return groups_; }
  const std::vector<CollectiveEvent>& events() const { return events_; }
  // Ordered by group and ordinal; members by rank, as numbers of events.
  const std::vector<JobCollective>& collectives() const { return collectives_; }
  std::span<const std::uint32_t> MembersOf(const JobCollective& collective) const {
    return std::span(members_).subspan(collective.first, collective.count);
  }
  const std::vector<SendReceive>& pairs() const { return pairs_; }
  std::string_view text(std::uint32_t id) const { return texts_[id]; }

  // nullopt when the size or the dtype is not known.
  std::optional<std::int64_t> BytesOf(const JobCollective& collective) const;
  // Members that should take part by the metadata, else those that were seen in the group.
  std::int64_t SizeOf(const JobCollective& collective) const;
  // Whether some of these were not seen in it: what the others do behind the last one that was seen
  // may be waiting for them, or transfer.
  bool LacksMembers(const JobCollective& collective) const {
    return SizeOf(collective) > static_cast<std::int64_t>(collective.count);
  }
  // What ClockFit takes: members of collectives that end together and agree; and of large
  // broadcasts, whose members nearly do, between ranks that nothing else links.
  std::vector<ClockSample> ClockSamples() const;
  // The same of the sends that were received.
  std::vector<ClockMessage> ClockMessages() const;

 private:
  bool AreEven(const JobCollective& collective) const;
  using GroupKey = std::tuple<std::int64_t, std::string, std::string>;

  std::uint32_t RankOf(const Capture& capture);
  std::uint32_t TextOf(std::string_view text);
  void MatchGroup(std::uint32_t group, const std::vector<std::uint32_t>& events);
  // Ordinals count from `first` on each rank.
  void LeaveAlone(std::uint32_t group, const std::vector<std::uint32_t>& events,
                  std::int64_t first);
  void MatchPairs(const std::vector<std::uint32_t>& events);
  // What lists of events are cut into, to match them piece by piece.
  enum class Cut : std::uint8_t { kSteps, kSequenceNumbers };
  std::vector<ListEntry> EntriesOf(std::span<const std::uint32_t> events, Cut cut) const;
  // The events of a group, of each rank.
  using Lists = std::vector<std::span<const std::uint32_t>>;
  // A collective of one member, and its place in the group's order.
  struct Placed {
    std::int64_t key = 0;
    std::uint32_t rank = 0;
    std::uint32_t event = 0;
  };
  // By key and rank: those of one key are one collective.
  std::vector<Placed> PlacedBy(Cut cut, const Lists& lists) const;
  // No sequence number comes twice on a rank, or before a lower one.
  bool AreNumbered(const Lists& lists) const;
  bool HaveStepInCommon(const Lists& lists) const;  // one that is marked on two ranks
  // Members of collectives that others were found of, and agree; and how many there might be.
  std::size_t CountMeeting(const std::vector<Placed>& placed) const;
  static std::size_t MostThatMeet(const Lists& lists);
  static bool Agree(const CollectiveEvent& a, const CollectiveEvent& b);

  std::vector<JobRank> ranks_;
  std::vector<JobGroup> groups_;
  std::vector<CollectiveEvent> events_;
  std::vector<JobCollective> collectives_;
  std::vector<std::uint32_t> members_;
  std::vector<SendReceive> pairs_;
  bool has_several_streams_ = false;  // of communication without stated groups, on any rank
  std::map<std::int64_t, std::uint32_t> rank_numbers_;
  std::map<GroupKey, std::uint32_t> group_numbers_;
  std::map<std::string, std::uint32_t, std::less<>> text_numbers_;
  std::vector<std::string> texts_ = {""};
};

}  // namespace rankscope
