// Rendezvous: where ranks meet. The n-th time that a rank comes to a channel is its n-th meeting; a
// meeting ends for all its members together, a transfer after the last has come.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/model/layout.h"

namespace rankscope::sim {

inline constexpr std::int64_t kUnknown = -1;

struct Meeting {
  std::int64_t last_begin_ns = kUnknown;  // when the last member had begun
  std::int64_t end_ns = kUnknown;         // kUnknown until all have come
};

class Rendezvous {
 public:
  virtual ~Rendezvous() = default;
  // A member has begun meeting `ordinal` (from 0) and would need `transfer_ns` for its own part.
  // Returns the meeting as far as it is known now.
  virtual Meeting Arrive(int channel, std::uint32_t ordinal, std::int64_t begin_ns,
                         std::int64_t transfer_ns) = 0;
  // A meeting where this member has arrived.
  virtual Meeting At(int channel, std::uint32_t ordinal) const = 0;
};

// A rank by itself: nobody else is ever late.
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

  // Channels whose meetings have become complete since the last call, in order.
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

// The meetings that a JobRendezvous has found, for ranks that run alone afterwards. Thread-safe.
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
