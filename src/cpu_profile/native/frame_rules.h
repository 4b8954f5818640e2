// FrameRules: how to find the registers of a function's caller at an address inside the function: a
// row of its call frame information (DWARF 5, 6.4; .eh_frame by the x86-64 ABI and the LSB).
//
// The bytes are untrusted: every length is checked, and the number of instructions in a program of
// rules is limited.
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
    kUndefined,     // unknown; for the return address: there is no caller
    kAtCfa,         // in memory at the frame's address (CFA) plus `value`
    kIsCfa,         // the frame's address plus `value`
    kRegister,      // in register `value`
    kAtExpression,  // in memory at the result of expressions[value]
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
  bool is_signal = false;  // a signal handler returns into it: the address is not a call's return
};

// An entry of .eh_frame without its length field, and its address in the file.
struct FrameEntry {
  std::string_view bytes;
  std::uint64_t address = 0;
};

// Properties that the functions of a CIE share.
struct CommonRules {
  std::uint64_t code_align = 1;
  std::int64_t data_align = 1;
  std::uint8_t pointers = 0;  // encoding of addresses (DW_EH_PE_...)
  bool has_augmentation = false;
  bool is_signal = false;
  std::string_view program;
};
std::optional<CommonRules> ParseCommon(FrameEntry cie);

// The rules at an address of this FDE's function; nullopt: the address is outside of it, or the
// entry is damaged or uses unknown features. O(its instructions, at most 10,000).
std::optional<FrameRules> RulesAt(const CommonRules& common, FrameEntry fde, std::uint64_t address);

// Pointers in the encodings of .eh_frame and .eh_frame_hdr. Takes one from the front of `bytes`,
// whose address is `address`; `base` is the base of relative ones. nullopt: another encoding, or
// too short.
std::optional<std::uint64_t> TakePointer(std::string_view& bytes, std::uint8_t encoding,
                                         std::uint64_t address, std::uint64_t base);

// LEB128. False: it does not end within the bytes, or exceeds 64 bits.
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
