// Walks a stack from its registers and a copy of its memory, by call frame information.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cpu_profile/native/frame_rules.h"

namespace rankscope::cpu_profile {

struct Registers {
  std::array<std::uint64_t, kRegisters> value{};
  std::uint32_t known = 0;  // a bit each

  bool Has(int number) const { return (known >> number & 1U) != 0; }
  void Set(int number, std::uint64_t to) {
    value[static_cast<std::size_t>(number)] = to;
    known |= 1U << number;
  }
};

// From the stack pointer up.
struct StackCopy {
  std::uint64_t begin = 0;
  std::span<const std::byte> bytes;

  std::optional<std::uint64_t> At(std::uint64_t address) const;
};

class RulesSource {
 public:
  virtual ~RulesSource() = default;
  // Of the function around an address; null: nothing is known there. Good until the next call.
  virtual const FrameRules* RulesAt(std::uint64_t address) = 0;
};

enum class WalkEnd : std::uint8_t {
  kOutermost,  // the last function says that nobody called it
  kCut,        // the copy, what is known, or the most frames ended before
};

inline constexpr std::size_t kMostWalked = 256;

// Appends the addresses of the frames, innermost first: the first where it runs, the others where
// they go on. Where a function has no rules, as the code of a JIT has none, its frame pointer is
// taken if it leads up the stack. O(frames).
WalkEnd WalkStack(Registers registers, const StackCopy& stack, RulesSource& rules,
                  std::vector<std::uint64_t>& addresses);

// A DWARF expression of what compilers write into rules of frames, with `first` on its stack (the
// frame's address, for rules of registers). nullopt: it reads what is not in the copy, has an
// operation of another kind, or does not end soon.
std::optional<std::uint64_t> Evaluate(std::string_view expression, const Registers& registers,
                                      const StackCopy& stack, std::optional<std::uint64_t> first);

}  // namespace rankscope::cpu_profile
