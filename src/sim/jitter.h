// Random variation from counters: the n-th draw of (seed, rank, step) is always the same number, so
// any part of a job can be simulated again without its past, on any thread.
//
// Integer arithmetic only: the same options give the same bytes with every compiler.
#pragma once

#include <cstdint>

namespace rankscope::sim {

// A bijective mix of 64 bits (the finaliser of SplitMix64).
constexpr std::uint64_t Mix(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

constexpr std::uint64_t MixAll(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return Mix(Mix(Mix(a) ^ b) ^ c);
}

class Jitter {
 public:
  constexpr Jitter(std::uint64_t seed, std::uint64_t stream, std::uint64_t step)
      : key_(MixAll(seed, stream, step)) {}

  constexpr std::uint64_t Next() { return Mix(key_ ^ counter_++); }

  // Host work: 12.5 % to either side, and one call in 512 takes four times as long.
  constexpr std::int64_t Host(std::int64_t ns) {
    const std::uint64_t draw = Next();
    const auto scale = static_cast<std::int64_t>(896 + draw % 257);
    const std::int64_t value = ns * scale / 1024;
    return (draw >> 32) % 512 == 0 ? 4 * value : value;
  }
  // Device work: 3 % to either side.
  constexpr std::int64_t Device(std::int64_t ns) {
    return ns * static_cast<std::int64_t>(993 + Next() % 63) / 1024;
  }

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

}  // namespace rankscope::sim
