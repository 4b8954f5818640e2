// What is kept of a request: plain values of a fixed size, so that nothing is allocated on its way.
#pragma once

#include <time.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace rankscope::requests {

// Nanoseconds of CLOCK_MONOTONIC, the clock of all times here. 0 is no moment: not known.
inline std::int64_t Now() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// A text of at most `kMost` bytes; what is longer is cut.
template <std::size_t kMost>
class ShortText {
 public:
  void operator=(std::string_view text) noexcept {
    size_ = static_cast<std::uint8_t>(text.size() < kMost ? text.size() : kMost);
    if (size_ > 0) std::memcpy(bytes_, text.data(), size_);
  }
  std::string_view view() const noexcept { return {bytes_, size_}; }

 private:
  static_assert(kMost < 256, "the size is one byte");
  char bytes_[kMost];
  std::uint8_t size_ = 0;
};

enum class Outcome : std::uint8_t { kDone, kFailed, kCancelled };

struct Record {
  std::int64_t arrival_ns = 0;  // when the server had it
  std::int64_t seen_ns = 0;     // when the recorder first saw it, which may be later
  std::int64_t dequeue_ns = 0;  // a worker took it
  std::int64_t begin_ns = 0;    // the handler begins: its arguments are read
  std::int64_t end_ns = 0;      // the handler has returned
  std::int64_t sent_ns = 0;     // the last byte of its answer was handed to the kernel
  std::int64_t lock_ns = 0;     // waiting for locks, within the handler
  std::int64_t held_ns = 0;     // holding them
  std::int64_t longest_lock_ns = 0;
  std::uint64_t number = 0;  // of the recorder's requests, from 1
  std::uint64_t connection = 0;
  std::uint64_t batch = 0;
  std::uint32_t batch_size = 0;
  std::int32_t code = 0;  // of gRPC, or the service's own
  std::int32_t thread = 0;
  Outcome outcome = Outcome::kDone;
  bool has_lock = false;  // a LockGuard or LockTimer was there, were it for 0 ns
  ShortText<48> id;       // empty: its number
  ShortText<80> method;
  ShortText<32> lock;  // the name of the one that was waited for the longest
};

}  // namespace rankscope::requests
