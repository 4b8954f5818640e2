// Unwinds a stack from its registers and a copy of its memory, with call frame information.
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
  std::uint32_t known = 0;  // one bit per register

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
  // Rules at an address; null: unknown. Valid until the next call.
  virtual const FrameRules* RulesAt(std::uint64_t address) = 0;
};

enum class WalkEnd : std::uint8_t {
  kOutermost,  // the last function has no caller
  kCut,        // stopped earlier: end of the copy, unknown rules, or too many frames
};

inline constexpr std::size_t kMostWalked = 256;

// Appends the addresses of the frames, innermost first: the first is the instruction pointer, the
// others are return addresses. If a function has no rules (JIT code, for example), its frame
// pointer is used if it points up the stack. O(frames).
WalkEnd WalkStack(Registers registers, const StackCopy& stack, RulesSource& rules,
                  std::vector<std::uint64_t>& addresses);

// Evaluates a DWARF expression of the kind that compilers write into frame rules, with `first` on
// its stack (the frame's address, for rules of registers). nullopt: it reads memory outside of the
// copy, uses another operation, or takes too long.
std::optional<std::uint64_t> Evaluate(std::string_view expression, const Registers& registers,
                                      const StackCopy& stack, std::optional<std::uint64_t> first);

}  // namespace rankscope::cpu_profile
