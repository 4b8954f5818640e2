// Random variation from counters: every draw is a function of (seed, rank, step, cause, section,
// ordinal). So any part of a job can be simulated without its past, on any thread. A job without
// one of its planted causes draws the same numbers wherever that cause has no effect.
//
// Integer arithmetic only: the same options give the same bytes with every compiler.
#pragma once

#include <array>
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

// Scales `ns` by a draw, 3 % to either side: device work and transfers.
constexpr std::int64_t DeviceJitter(std::int64_t ns, std::uint64_t draw) {
  return ns * static_cast<std::int64_t>(993 + draw % 63) / 1024;
}

// The draws of one rank. Instructions that a cause plants draw from a counter of their own. The
// job's own instructions restart their counter in every section of a step (a call of a segment,
// program.h).
class Draws {
 public:
  static constexpr int kMaxCauses = 64;

  constexpr Draws(std::uint64_t seed, int rank)
      : rank_key_(Mix(Mix(seed) ^ static_cast<std::uint64_t>(rank))) {}

  constexpr void BeginStep(std::int64_t step) {
    key_ = Mix(rank_key_ ^ static_cast<std::uint64_t>(step + 1));
    for (int cause = 0; cause < kMaxCauses; ++cause) {
      counters_[static_cast<std::size_t>(cause)] = static_cast<std::uint64_t>(cause) << 58;
    }
  }
  // Call before the first draw of a segment's call.
  constexpr void BeginSection(std::uint32_t section) {
    counters_[0] = static_cast<std::uint64_t>(section) << 24;
  }
  // 0: the job itself.
  constexpr void Select(std::uint8_t cause) { cause_ = cause; }

  constexpr std::uint64_t Next() { return Mix(key_ ^ counters_[cause_]++); }

  // Host work: up to 12.5 % more or less; one call in 512 takes four times as long.
  constexpr std::int64_t Host(std::int64_t ns) {
    const std::uint64_t draw = Next();
    const auto scale = static_cast<std::int64_t>(896 + draw % 257);
    const std::int64_t value = ns * scale / 1024;
    return (draw >> 32) % 512 == 0 ? 4 * value : value;
  }
  constexpr std::int64_t Device(std::int64_t ns) { return DeviceJitter(ns, Next()); }

 private:
  std::uint64_t rank_key_;
  std::uint64_t key_ = 0;
  std::uint8_t cause_ = 0;
  std::array<std::uint64_t, kMaxCauses> counters_{};
};

}  // namespace rankscope::sim
