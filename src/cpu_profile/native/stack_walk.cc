#include "cpu_profile/native/stack_walk.h"

#include <cstring>

namespace rankscope::cpu_profile {
namespace {

constexpr std::uint64_t kWord = 8;

std::optional<std::uint64_t> CfaOf(const FrameRules& rules, const Registers& registers,
                                   const StackCopy& stack) {
  if (rules.cfa_register >= 0) {
    if (!registers.Has(rules.cfa_register)) return std::nullopt;
    return registers.value[static_cast<std::size_t>(rules.cfa_register)] +
           static_cast<std::uint64_t>(rules.cfa_offset);
  }
  return Evaluate(rules.expressions[static_cast<std::size_t>(rules.cfa_offset)], registers, stack,
                  std::nullopt);
}

std::optional<std::uint64_t> ValueOf(const FrameRules& rules, int number,
                                     const Registers& registers, const StackCopy& stack,
                                     std::uint64_t cfa) {
  using Kind = RegisterRule::Kind;
  const RegisterRule rule = rules.registers[static_cast<std::size_t>(number)];
  const auto from_cfa = cfa + static_cast<std::uint64_t>(std::int64_t{rule.value});
  const auto index = static_cast<std::size_t>(rule.value);
  const auto evaluated = [&] { return Evaluate(rules.expressions[index], registers, stack, cfa); };
  switch (rule.kind) {
    case Kind::kSame:
      if (!registers.Has(number)) return std::nullopt;
      return registers.value[static_cast<std::size_t>(number)];
    case Kind::kUndefined:
      return std::nullopt;
    case Kind::kAtCfa:
      return stack.At(from_cfa);
    case Kind::kIsCfa:
      return from_cfa;
    case Kind::kRegister:
      if (!registers.Has(rule.value)) return std::nullopt;
      return registers.value[index];
    case Kind::kAtExpression: {
      const auto address = evaluated();
      return address ? stack.At(*address) : std::nullopt;
    }
    case Kind::kIsExpression:
      return evaluated();
  }
  return std::nullopt;
}

// The caller's registers; nullopt: they cannot be found.
std::optional<Registers> CallerBy(const FrameRules& rules, const Registers& registers,
                                  const StackCopy& stack) {
  const auto cfa = CfaOf(rules, registers, stack);
  // Stacks grow down: a caller's frame lies above. And without a rule nobody knows who called.
  if (!cfa || *cfa <= registers.value[kStackPointer] ||
      rules.registers[kReturnAddress].kind == RegisterRule::Kind::kSame)
    return std::nullopt;
  Registers caller;
  for (int number = 0; number < kRegisters; ++number) {
    const auto value = ValueOf(rules, number, registers, stack, *cfa);
    if (value) caller.Set(number, *value);
  }
  // By the ABI it is the caller's stack pointer, whatever a rule says of others.
  if (rules.registers[kStackPointer].kind == RegisterRule::Kind::kSame)
    caller.Set(kStackPointer, *cfa);
  if (!caller.Has(kReturnAddress) || !caller.Has(kStackPointer)) return std::nullopt;
  return caller;
}

std::optional<Registers> CallerByFramePointer(const Registers& registers, const StackCopy& stack) {
  if (!registers.Has(kFramePointer)) return std::nullopt;
  const std::uint64_t frame = registers.value[kFramePointer];
  const auto saved = stack.At(frame);
  const auto back = stack.At(frame + kWord);
  if (frame < registers.value[kStackPointer] || frame % kWord != 0 || !saved || !back)
    return std::nullopt;
  Registers caller;
  caller.Set(kFramePointer, *saved);
  caller.Set(kStackPointer, frame + 2 * kWord);
  caller.Set(kReturnAddress, *back);
  return caller;
}

}  // namespace

std::optional<std::uint64_t> StackCopy::At(std::uint64_t address) const {
  const std::uint64_t at = address - begin;
  if (address < begin || bytes.size() < kWord || at > bytes.size() - kWord) return std::nullopt;
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, kWord);
  return value;
}

WalkEnd WalkStack(Registers registers, const StackCopy& stack, RulesSource& rules,
                  std::vector<std::uint64_t>& addresses) {
  bool is_exact = true;  // an address that ran, not one to go on at
  for (std::size_t frames = 0; frames < kMostWalked; ++frames) {
    const std::uint64_t address = registers.value[kReturnAddress];
    if (!registers.Has(kReturnAddress)) return WalkEnd::kCut;
    if (address == 0) return WalkEnd::kOutermost;
    addresses.push_back(address);
    // What comes behind a call may be another function.
    const FrameRules* found = rules.RulesAt(is_exact ? address : address - 1);
    if (found != nullptr && found->registers[kReturnAddress].kind == RegisterRule::Kind::kUndefined)
      return WalkEnd::kOutermost;
    const auto caller = found != nullptr ? CallerBy(*found, registers, stack)
                                         : CallerByFramePointer(registers, stack);
    if (!caller) return WalkEnd::kCut;
    is_exact = found != nullptr && found->is_signal;
    registers = *caller;
  }
  return WalkEnd::kCut;
}

}  // namespace rankscope::cpu_profile
