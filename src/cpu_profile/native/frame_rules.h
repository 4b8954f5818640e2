// FrameRules: how the registers of a function's caller are found while the function runs: a row of
// its call frame information (DWARF 5, 6.4, as .eh_frame has it by the x86-64 ABI and the LSB).
//
// The bytes are somebody else's: every length is checked, and a program of rules ends after so many
// instructions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::cpu_profile {

// Of x86-64, in DWARF's order: ax dx cx bx si di bp sp r8 to r15, and the return address.
inline constexpr int kRegisters = 17;
inline constexpr int kFramePointer = 6;
inline constexpr int kStackPointer = 7;
inline constexpr int kReturnAddress = 16;

struct RegisterRule {
  enum class Kind : std::uint8_t {
    kSame,          // it has the caller's value
    kUndefined,     // nobody knows; of the return address: there is no caller
    kAtCfa,         // in memory, `value` from the frame's address (CFA)
    kIsCfa,         // the frame's address and `value`
    kRegister,      // in register `value`
    kAtExpression,  // in memory where expressions[value] says
    kIsExpression,
  } kind = Kind::kSame;
  std::int32_t value = 0;
};

struct FrameRules {
  // The frame's address: a register and an offset, or (-1) expressions[cfa_offset].
  int cfa_register = kStackPointer;
  std::int64_t cfa_offset = 0;
  std::array<RegisterRule, kRegisters> registers{};
  std::vector<std::string> expressions;
  bool is_signal = false;  // a handler returns into it: its address is no caller's
};

// An entry of .eh_frame without its length, and where it lies in the file's addresses.
struct FrameEntry {
  std::string_view bytes;
  std::uint64_t address = 0;
};

// What the functions of a CIE have alike.
struct CommonRules {
  std::uint64_t code_align = 1;
  std::int64_t data_align = 1;
  std::uint8_t pointers = 0;  // how addresses are written (DW_EH_PE_...)
  bool has_augmentation = false;
  bool is_signal = false;
  std::string_view program;
};
std::optional<CommonRules> ParseCommon(FrameEntry cie);

// The rules at an address of the function of this FDE; nullopt: it is not in it, or the entry is
// damaged or says what is not known here. O(its instructions, at most 10,000).
std::optional<FrameRules> RulesAt(const CommonRules& common, FrameEntry fde, std::uint64_t address);

// Pointers as .eh_frame and .eh_frame_hdr write them. Takes one from the front of `bytes`, which
// lies at `address`; `base` is what relative ones count from. nullopt: another way, or too short.
std::optional<std::uint64_t> TakePointer(std::string_view& bytes, std::uint8_t encoding,
                                         std::uint64_t address, std::uint64_t base);

// LEB128. False: it does not end within the bytes, or has more than 64 bits.
bool TakeUnsigned(std::string_view& bytes, std::uint64_t& value);
bool TakeSigned(std::string_view& bytes, std::int64_t& value);

template <typename T>
bool TakePlain(std::string_view& bytes, T& value) {
  if (bytes.size() < sizeof(T)) return false;
  bytes.copy(reinterpret_cast<char*>(&value), sizeof(T));
  bytes.remove_prefix(sizeof(T));
  return true;
}

}  // namespace rankscope::cpu_profile
