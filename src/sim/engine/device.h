// Device: the discrete model of one GPU. Some times stay unknown until other ranks arrive.
//
//   stream  in order; work begins at the latest of: the earliest time that its launch allows, the
//           end of the work before it plus a gap, the events that the stream waits for
//   event   completes with the work and waits before it on its stream
//   meeting (a collective's or send's kernel) ends when the rendezvous says so
//   queue   kLaunchQueue pieces of work of the compute stream may be unfinished at a time
//
// While the end of a meeting is unknown, everything after it on its stream, or after an event
// recorded there, is pending. Advance resolves what has become known. Times are true time in
// nanoseconds. Memory: the launch queue and the pending work, which the launch queue bounds. Cost
// of settled work: a few ns.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/engine/rendezvous.h"
#include "sim/model/gpu.h"

namespace rankscope::sim {

// Device work; both times are kUnknown while it is pending.
struct Span {
  std::int64_t begin_ns = kUnknown;
  std::int64_t end_ns = kUnknown;
};

class Device {
 public:
  static constexpr std::size_t kLaunchQueue = 1024;

  Device(Rendezvous* rendezvous, std::uint32_t event_slots);

  // Work that may begin at `ready_ns`. All nodes of a graph share one place in the launch queue:
  // that of the last node.
  enum class Place : std::uint8_t { kOwn, kOfALaterNode };
  Span Run(Stream stream, std::int64_t ready_ns, std::int64_t gap_ns, std::int64_t duration_ns,
           Place in_queue = Place::kOwn);
  // The rank joins a meeting on a channel. Sets `meeting` when its end is known.
  Span Meet(Stream stream, std::int64_t ready_ns, int channel, std::uint32_t ordinal,
            std::int64_t transfer_ns, Meeting* meeting);
  void Record(Stream stream, std::uint32_t event);
  void Wait(Stream stream, std::uint32_t event);

  // Resolves what the rendezvous now knows.
  void Advance();

  // Whether the stream (or the device) has no pending work. If so, DoneNs is the time when all work
  // and waits so far are done.
  bool Settled(Stream stream) const { return state(stream).pending_from == pending(stream).size(); }
  bool Settled() const;
  std::int64_t DoneNs(Stream stream) const;
  std::int64_t DoneNs() const;

  // When the launch queue has room for one more launch: the end of the launch kLaunchQueue places
  // earlier, kUnknown while that launch is pending.
  std::int64_t QueueRoomNs() const { return queue_ends_ns_[launches_ % kLaunchQueue]; }

 private:
  enum class Kind : std::uint8_t { kWork, kMeeting, kRecord, kWait };
  struct Pending {
    Kind kind = Kind::kWork;
    bool queued = false;         // work in the launch queue
    bool arrived = false;        // meeting: it has begun; wait: ready_ns is the event's time
    int channel = 0;             // meeting
    std::uint32_t index = 0;     // event, ordinal or place in the launch queue
    std::uint32_t instance = 0;  // event
    std::int64_t ready_ns = 0;
    std::int64_t gap_ns = 0;
    std::int64_t duration_ns = 0;
    std::int64_t begin_ns = 0;  // meeting
    Meeting meeting;
  };
  struct StreamState {
    std::int64_t free_ns = 0;      // end of its last settled work
    std::int64_t waits_ns = 0;     // its next work cannot begin earlier
    std::size_t pending_from = 0;  // the first piece that is not resolved
    std::vector<Pending> pending;
  };
  struct Event {
    std::int64_t time_ns = 0;    // kUnknown while pending
    std::uint32_t instance = 0;  // of the pending record
  };

  StreamState& state(Stream stream) { return streams_[static_cast<std::size_t>(stream)]; }
  const StreamState& state(Stream stream) const {
    return streams_[static_cast<std::size_t>(stream)];
  }
  const std::vector<Pending>& pending(Stream stream) const { return state(stream).pending; }

  static std::int64_t Begin(StreamState* stream, std::int64_t ready_ns, std::int64_t gap_ns);
  void Push(Stream stream, const Pending& pending);
  bool AdvanceStream(StreamState* stream);
  bool Resolve(StreamState* stream, Pending* pending);
  bool ResolveMeeting(StreamState* stream, Pending* pending);

  Rendezvous* rendezvous_;
  std::array<StreamState, kStreamCount> streams_;
  std::size_t unresolved_ = 0;  // pending pieces of all streams
  std::vector<Event> events_;
  std::vector<std::int64_t> instances_ns_;                  // times of pending records, by instance
  std::array<std::int64_t, kLaunchQueue> queue_ends_ns_{};  // ring: ends of the last launches
  std::uint64_t launches_ = 0;
};

}  // namespace rankscope::sim
