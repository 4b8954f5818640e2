#include "sim/engine/rendezvous.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace rankscope::sim {

Meeting AloneRendezvous::Arrive(int /*channel*/, std::uint32_t /*ordinal*/, std::int64_t begin_ns,
                                std::int64_t transfer_ns) {
  return {.last_begin_ns = begin_ns, .end_ns = begin_ns + transfer_ns};
}

Meeting AloneRendezvous::At(int /*channel*/, std::uint32_t /*ordinal*/) const { return {}; }

JobRendezvous::JobRendezvous(const Layout& layout)
    : layout_(layout), channels_(layout.channels.size()) {}

Meeting JobRendezvous::Arrive(int channel, std::uint32_t ordinal, std::int64_t begin_ns,
                              std::int64_t transfer_ns) {
  auto& meetings = channels_[static_cast<std::size_t>(channel)];
  if (meetings.size() <= ordinal) meetings.resize(ordinal + 1);
  Gathering& gathering = meetings[ordinal];
  gathering.last_begin_ns = std::max(gathering.last_begin_ns, begin_ns);
  gathering.transfer_ns = std::max(gathering.transfer_ns, transfer_ns);
  ++gathering.arrived;
  const Meeting meeting = At(channel, ordinal);
  if (meeting.end_ns != kUnknown) completed_.push_back(channel);
  return meeting;
}

Meeting JobRendezvous::At(int channel, std::uint32_t ordinal) const {
  const Gathering& gathering = channels_[static_cast<std::size_t>(channel)][ordinal];
  const auto members = layout_.channels[static_cast<std::size_t>(channel)].members.size();
  if (static_cast<std::size_t>(gathering.arrived) < members) return {};
  return {.last_begin_ns = gathering.last_begin_ns,
          .end_ns = gathering.last_begin_ns + gathering.transfer_ns};
}

std::vector<int> JobRendezvous::TakeCompleted() { return std::exchange(completed_, {}); }

Meeting KnownRendezvous::Arrive(int channel, std::uint32_t ordinal, std::int64_t begin_ns,
                                std::int64_t /*transfer_ns*/) {
  const Meeting meeting = found_.At(channel, ordinal);
  RS_CHECK(begin_ns <= meeting.last_begin_ns, "a rank runs otherwise than when it met the others");
  return meeting;
}

}  // namespace rankscope::sim
