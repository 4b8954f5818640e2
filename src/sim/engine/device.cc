#include "sim/engine/device.h"

#include <algorithm>

namespace rankscope::sim {
namespace {

constexpr std::int64_t kBetweenMeetingsNs = 1000;

}  // namespace

Device::Device(Rendezvous* rendezvous, std::uint32_t event_slots)
    : rendezvous_(rendezvous), events_(event_slots) {}

std::int64_t Device::Begin(StreamState* stream, std::int64_t ready_ns, std::int64_t gap_ns) {
  const std::int64_t begin = std::max({ready_ns, stream->free_ns + gap_ns, stream->waits_ns});
  stream->waits_ns = 0;
  return begin;
}

void Device::Push(Stream stream, const Pending& pending) {
  state(stream).pending.push_back(pending);
  ++unresolved_;
}

Span Device::Run(Stream stream, std::int64_t ready_ns, std::int64_t gap_ns,
                 std::int64_t duration_ns, Place in_queue) {
  const std::uint64_t place = launches_ % kLaunchQueue;
  const bool queued = stream == Stream::kCompute && in_queue == Place::kOwn;
  if (queued) ++launches_;
  if (!Settled(stream)) {
    if (queued) queue_ends_ns_[place] = kUnknown;
    Push(stream, {.kind = Kind::kWork,
                  .queued = queued,
                  .index = static_cast<std::uint32_t>(place),
                  .ready_ns = ready_ns,
                  .gap_ns = gap_ns,
                  .duration_ns = duration_ns});
    return {};
  }
  StreamState& on = state(stream);
  const std::int64_t begin = Begin(&on, ready_ns, gap_ns);
  on.free_ns = begin + duration_ns;
  if (queued) queue_ends_ns_[place] = on.free_ns;
  return {begin, on.free_ns};
}

Span Device::Meet(Stream stream, std::int64_t ready_ns, int channel, std::uint32_t ordinal,
                  std::int64_t transfer_ns, Meeting* meeting) {
  Pending pending{.kind = Kind::kMeeting,
                  .channel = channel,
                  .index = ordinal,
                  .ready_ns = ready_ns,
                  .duration_ns = transfer_ns};
  StreamState& on = state(stream);
  if (Settled(stream) && ResolveMeeting(&on, &pending)) {
    *meeting = pending.meeting;
    return {pending.begin_ns, on.free_ns};
  }
  Push(stream, pending);
  return {};
}

void Device::Record(Stream stream, std::uint32_t event) {
  const StreamState& on = state(stream);
  if (Settled(stream)) {
    events_[event].time_ns = std::max(on.free_ns, on.waits_ns);
    return;
  }
  const auto instance = static_cast<std::uint32_t>(instances_ns_.size());
  instances_ns_.push_back(kUnknown);
  events_[event] = {.time_ns = kUnknown, .instance = instance};
  Push(stream, {.kind = Kind::kRecord, .index = event, .instance = instance});
}

void Device::Wait(Stream stream, std::uint32_t event) {
  const Event& recorded = events_[event];
  StreamState& on = state(stream);
  if (Settled(stream) && recorded.time_ns != kUnknown) {
    on.waits_ns = std::max(on.waits_ns, recorded.time_ns);
    return;
  }
  Push(stream, {.kind = Kind::kWait,
                .arrived = recorded.time_ns != kUnknown,
                .instance = recorded.instance,
                .ready_ns = recorded.time_ns});
}

bool Device::Settled() const { return unresolved_ == 0; }

std::int64_t Device::DoneNs(Stream stream) const {
  return std::max(state(stream).free_ns, state(stream).waits_ns);
}

std::int64_t Device::DoneNs() const {
  std::int64_t done = 0;
  for (const StreamState& stream : streams_) {
    done = std::max({done, stream.free_ns, stream.waits_ns});
  }
  return done;
}

void Device::Advance() {
  for (bool progress = unresolved_ > 0; progress;) {
    progress = false;
    for (StreamState& stream : streams_) progress |= AdvanceStream(&stream);
  }
  if (unresolved_ == 0) instances_ns_.clear();
}

bool Device::AdvanceStream(StreamState* stream) {
  const std::size_t from = stream->pending_from;
  while (stream->pending_from < stream->pending.size() &&
         Resolve(stream, &stream->pending[stream->pending_from])) {
    ++stream->pending_from;
    --unresolved_;
  }
  const bool progress = stream->pending_from > from;
  if (stream->pending_from == stream->pending.size()) {
    stream->pending.clear();
    stream->pending_from = 0;
  }
  return progress;
}

bool Device::Resolve(StreamState* stream, Pending* pending) {
  switch (pending->kind) {
    case Kind::kWork: {
      const std::int64_t begin = Begin(stream, pending->ready_ns, pending->gap_ns);
      stream->free_ns = begin + pending->duration_ns;
      if (pending->queued) queue_ends_ns_[pending->index] = stream->free_ns;
      return true;
    }
    case Kind::kMeeting:
      return ResolveMeeting(stream, pending);
    case Kind::kRecord: {
      const std::int64_t time = std::max(stream->free_ns, stream->waits_ns);
      instances_ns_[pending->instance] = time;
      Event& event = events_[pending->index];
      if (event.time_ns == kUnknown && event.instance == pending->instance) event.time_ns = time;
      return true;
    }
    case Kind::kWait:
      break;
  }
  const std::int64_t time = pending->arrived ? pending->ready_ns : instances_ns_[pending->instance];
  if (time == kUnknown) return false;
  stream->waits_ns = std::max(stream->waits_ns, time);
  return true;
}

bool Device::ResolveMeeting(StreamState* stream, Pending* pending) {
  Meeting& meeting = pending->meeting;
  if (pending->arrived) {
    meeting = rendezvous_->At(pending->channel, pending->index);
  } else {
    pending->begin_ns = Begin(stream, pending->ready_ns, kBetweenMeetingsNs);
    pending->arrived = true;
    meeting = rendezvous_->Arrive(pending->channel, pending->index, pending->begin_ns,
                                  pending->duration_ns);
  }
  if (meeting.end_ns == kUnknown) return false;
  stream->free_ns = meeting.end_ns;
  return true;
}

}  // namespace rankscope::sim
