// IdleSplitter: divides a gap in device work by cause (rules in device_time.h).
#pragma once

#include <functional>

#include "facts/device_time.h"

namespace rankscope {

class IdleSplitter {
 public:
  // Gets the parts of a gap, none of them empty, in no particular order.
  using Sink = std::function<void(IdleCause, Interval)>;

  IdleSplitter(const RankTrace& trace, const HostActivity& host, const MissingWork& missing,
               Sink sink)
      : trace_(trace), host_(host), missing_(missing), sink_(std::move(sink)) {}

  // The gap before `next`, which ends it; `previous` is the work that ended last before it (kNoRow
  // at the start).
  void Before(Interval gap, Row previous, Row next) const;
  // The gap after the last work; `thread` is the track that launched most of it, or kNoAux.
  void AfterAll(Interval gap, std::uint32_t thread) const;

 private:
  void HostLate(Interval gap, std::uint32_t thread) const;
  // From `next`'s launch, or the gap's begin, to the gap's end.
  void Launching(Interval queued, Row previous, Row next) const;
  // Whether unrecorded work was launched between `previous` and `next`.
  bool MayBeBehindUnrecorded(Row previous, Row next) const;
  void PutAll(IdleCause cause, const IntervalSet& parts) const;
  void Put(IdleCause cause, Interval part) const;

  const RankTrace& trace_;
  const HostActivity& host_;
  const MissingWork& missing_;
  Sink sink_;
};

}  // namespace rankscope
