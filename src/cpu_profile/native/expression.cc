#include <algorithm>

#include "cpu_profile/native/stack_walk.h"

namespace rankscope::cpu_profile {
namespace {

constexpr std::size_t kMostDepth = 32;
constexpr int kMostOperations = 256;

// DWARF 5, 2.5.1 and 7.7.1; no branches, so it ends with its bytes.
class Evaluation {
 public:
  Evaluation(const Registers& registers, const StackCopy& memory)
      : registers_(registers), memory_(memory) {}

  bool Push(std::uint64_t value) {
    if (values_.size() >= kMostDepth) return false;
    values_.push_back(value);
    return true;
  }
  bool Run(std::string_view code) {
    code_ = code;
    int left = kMostOperations;
    while (!code_.empty()) {
      std::uint8_t operation = 0;
      TakePlain(code_, operation);
      if (--left < 0 || !Step(operation)) return false;
    }
    return true;
  }
  std::optional<std::uint64_t> Top() const {
    return values_.empty() ? std::nullopt : std::optional(values_.back());
  }

 private:
  bool Step(std::uint8_t operation) {
    constexpr std::uint8_t kLiteral = 0x30, kRegister = 0x70;
    if (operation >= kLiteral && operation < kLiteral + 32) return Push(operation - kLiteral);
    if (operation >= kRegister && operation < kRegister + 32)
      return PushRegister(operation - kRegister);
    if (operation >= 0x08 && operation <= 0x11) return PushConstant(operation);
    return operation >= 0x12 && operation <= 0x20 ? StepStack(operation) : StepTwo(operation);
  }

  bool PushRegister(int number) {
    std::int64_t offset = 0;
    return TakeSigned(code_, offset) && number < kRegisters && registers_.Has(number) &&
           Push(registers_.value[static_cast<std::size_t>(number)] +
                static_cast<std::uint64_t>(offset));
  }
  template <typename T>
  bool PushPlain() {
    T value{};
    return TakePlain(code_, value) &&
           Push(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
  }
  bool PushConstant(std::uint8_t operation) {
    std::uint64_t value = 0;
    std::int64_t with_sign = 0;
    switch (operation) {
      case 0x08:
        return PushPlain<std::uint8_t>();
      case 0x09:
        return PushPlain<std::int8_t>();
      case 0x0a:
        return PushPlain<std::uint16_t>();
      case 0x0b:
        return PushPlain<std::int16_t>();
      case 0x0c:
        return PushPlain<std::uint32_t>();
      case 0x0d:
        return PushPlain<std::int32_t>();
      case 0x0e:
      case 0x0f:
        return PushPlain<std::int64_t>();
      case 0x10:
        return TakeUnsigned(code_, value) && Push(value);
      default:
        return TakeSigned(code_, with_sign) && Push(static_cast<std::uint64_t>(with_sign));
    }
  }

  std::uint64_t Pop() {
    const std::uint64_t value = values_.back();
    values_.pop_back();
    return value;
  }
  // What looks at the top of the stack; of two values the operator with one operand is below.
  bool StepStack(std::uint8_t operation) {
    const std::size_t depth = values_.size();
    switch (operation) {
      case 0x12:  // dup
        return depth >= 1 && Push(values_.back());
      case 0x13:  // drop
        if (depth >= 1) values_.pop_back();
        return depth >= 1;
      case 0x14:  // over
        return depth >= 2 && Push(values_[depth - 2]);
      case 0x16:  // swap
        if (depth >= 2) std::swap(values_[depth - 1], values_[depth - 2]);
        return depth >= 2;
      case 0x1f:  // neg
        return depth >= 1 && Push(0 - Pop());
      case 0x20:  // not
        return depth >= 1 && Push(~Pop());
      default:
        return StepTwo(operation);
    }
  }
  bool StepTwo(std::uint8_t operation) {
    std::uint64_t added = 0;
    if (operation == 0x96) return true;  // nop
    if (values_.empty()) return false;
    if (operation == 0x06) {  // deref
      const auto read = memory_.At(Pop());
      return read && Push(*read);
    }
    if (operation == 0x23) return TakeUnsigned(code_, added) && Push(Pop() + added);
    if (values_.size() < 2) return false;
    const std::uint64_t right = Pop();
    const auto result = Of(operation, Pop(), right);
    return result && Push(*result);
  }
  static std::optional<std::uint64_t> Of(std::uint8_t operation, std::uint64_t left,
                                         std::uint64_t right) {
    const auto with_sign = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
    const bool is_wide = right >= 64;
    switch (operation) {
      case 0x1a:
        return left & right;
      case 0x1c:
        return left - right;
      case 0x1e:
        return left * right;
      case 0x21:
        return left | right;
      case 0x22:
        return left + right;
      case 0x24:
        return is_wide ? 0 : left << right;
      case 0x25:
        return is_wide ? 0 : left >> right;
      case 0x26:
        return static_cast<std::uint64_t>(with_sign(left) >> std::min<std::uint64_t>(right, 63));
      case 0x27:
        return left ^ right;
      case 0x29:
        return left == right;
      case 0x2a:
        return with_sign(left) >= with_sign(right);
      case 0x2b:
        return with_sign(left) > with_sign(right);
      case 0x2c:
        return with_sign(left) <= with_sign(right);
      case 0x2d:
        return with_sign(left) < with_sign(right);
      case 0x2e:
        return left != right;
      default:
        return std::nullopt;
    }
  }

  const Registers& registers_;
  const StackCopy& memory_;
  std::string_view code_;
  std::vector<std::uint64_t> values_;
};

}  // namespace

std::optional<std::uint64_t> Evaluate(std::string_view expression, const Registers& registers,
                                      const StackCopy& stack, std::optional<std::uint64_t> first) {
  Evaluation evaluation(registers, stack);
  if (first) evaluation.Push(*first);
  if (!evaluation.Run(expression)) return std::nullopt;
  return evaluation.Top();
}

}  // namespace rankscope::cpu_profile
