// Rendezvous: where ranks meet. A rank's n-th arrival at a channel belongs to the n-th meeting. A
// meeting ends for all its members at the same time, one transfer after the last arrival.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/model/layout.h"

namespace rankscope::sim {

inline constexpr std::int64_t kUnknown = -1;

struct Meeting {
  std::int64_t last_begin_ns = kUnknown;  // when the last member began
  std::int64_t end_ns = kUnknown;         // kUnknown until all have arrived
};

class Rendezvous {
 public:
  virtual ~Rendezvous() = default;
  // A member begins meeting `ordinal` (from 0); its own part of the transfer takes `transfer_ns`.
  // Returns what is known of the meeting so far.
  virtual Meeting Arrive(int channel, std::uint32_t ordinal, std::int64_t begin_ns,
                         std::int64_t transfer_ns) = 0;
  // A meeting that this member has joined.
  virtual Meeting At(int channel, std::uint32_t ordinal) const = 0;
};

// A rank by itself: no other member is ever late.
class AloneRendezvous : public Rendezvous {
 public:
  Meeting Arrive(int channel, std::uint32_t ordinal, std::int64_t begin_ns,
                 std::int64_t transfer_ns) override;
  Meeting At(int channel, std::uint32_t ordinal) const override;
};

// All meetings of a job. Memory: 24 bytes per meeting. Not thread-safe while ranks arrive.
class JobRendezvous : public Rendezvous {
 public:
  explicit JobRendezvous(const Layout& layout);

  Meeting Arrive(int channel, std::uint32_t ordinal, std::int64_t begin_ns,
                 std::int64_t transfer_ns) override;
  Meeting At(int channel, std::uint32_t ordinal) const override;

  // Channels with meetings that became complete since the last call, in order.
  std::vector<int> TakeCompleted();

 private:
  struct Gathering {
    std::int64_t last_begin_ns = 0;
    std::int64_t transfer_ns = 0;  // the longest so far
    int arrived = 0;
  };

  const Layout& layout_;
  std::vector<std::vector<Gathering>> channels_;
  std::vector<int> completed_;
};

// The meetings that a JobRendezvous found, for ranks that later run alone. Thread-safe.
class KnownRendezvous : public Rendezvous {
 public:
  explicit KnownRendezvous(const JobRendezvous& found) : found_(found) {}

  Meeting Arrive(int channel, std::uint32_t ordinal, std::int64_t begin_ns,
                 std::int64_t transfer_ns) override;
  Meeting At(int channel, std::uint32_t ordinal) const override {
    return found_.At(channel, ordinal);
  }

 private:
  const JobRendezvous& found_;
};

}  // namespace rankscope::sim
