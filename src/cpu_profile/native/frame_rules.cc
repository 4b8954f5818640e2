#include "cpu_profile/native/frame_rules.h"

#include <algorithm>

namespace rankscope::cpu_profile {
namespace {

constexpr int kMostInstructions = 10'000;
constexpr std::size_t kMostExpression = 256;
constexpr std::size_t kMostExpressions = 32;
constexpr std::size_t kMostRemembered = 16;

// DW_EH_PE_...: how wide in the low half, counted from what in the high one.
constexpr std::uint8_t kAbsolute = 0x00, kUnsigned2 = 0x02, kUnsigned4 = 0x03, kUnsigned8 = 0x04,
                       kSigned2 = 0x0a, kSigned4 = 0x0b, kSigned8 = 0x0c;
constexpr std::uint8_t kFromHere = 0x10, kFromBase = 0x30;

template <typename T>
bool TakeWide(std::string_view& bytes, std::uint64_t& value) {
  T narrow{};
  if (!TakePlain(bytes, narrow)) return false;
  value = static_cast<std::uint64_t>(static_cast<std::int64_t>(narrow));
  return true;
}

bool TakeWidth(std::string_view& bytes, std::uint8_t width, std::uint64_t& value) {
  switch (width) {
    case kAbsolute:
    case kUnsigned8:
    case kSigned8:
      return TakePlain(bytes, value);
    case kUnsigned2:
      return TakeWide<std::uint16_t>(bytes, value);
    case kUnsigned4:
      return TakeWide<std::uint32_t>(bytes, value);
    case kSigned2:
      return TakeWide<std::int16_t>(bytes, value);
    case kSigned4:
      return TakeWide<std::int32_t>(bytes, value);
    default:
      return false;
  }
}

// Runs the instructions of a CIE and of an FDE up to an address.
class Program {
 public:
  Program(const CommonRules& common, std::uint64_t begin, std::uint64_t address)
      : common_(common), at_(begin), address_(address) {
    rules_.is_signal = common.is_signal;
  }

  // False: it is damaged, or has what is not known here.
  bool Run(std::string_view code) {
    code_ = code;
    while (!code_.empty() && !is_there_) {
      if (--left_ < 0 || !Step()) return false;
    }
    return true;
  }
  void KeepInitial() { initial_ = rules_; }
  FrameRules Take() { return std::move(rules_); }

 private:
  using Kind = RegisterRule::Kind;

  // The row up to the next address is what was asked for.
  void Advance(std::uint64_t by) {
    const std::uint64_t next = at_ + by * common_.code_align;
    is_there_ = next > address_ || next < at_;
    at_ = next;
  }
  bool Set(std::uint64_t number, Kind kind, std::int64_t value) {
    // Of other registers nothing is followed; what does not fit is no place on a stack.
    if (number >= kRegisters) return true;
    if (value < INT32_MIN || value > INT32_MAX) return false;
    rules_.registers[number] = {kind, static_cast<std::int32_t>(value)};
    return true;
  }
  bool Times(std::int64_t factored, std::int64_t& value) const {
    return !__builtin_mul_overflow(factored, common_.data_align, &value);
  }
  bool SetAtCfa(std::uint64_t number, std::uint64_t factored, Kind kind = Kind::kAtCfa) {
    std::int64_t offset = 0;
    return Times(static_cast<std::int64_t>(factored), offset) && Set(number, kind, offset);
  }
  void Restore(std::uint64_t number) {
    if (number < kRegisters) rules_.registers[number] = initial_.registers[number];
  }
  bool SetCfa(std::uint64_t number, std::int64_t offset) {
    if (number >= kReturnAddress) return false;
    rules_.cfa_register = static_cast<int>(number);
    rules_.cfa_offset = offset;
    return true;
  }
  bool TakeExpression(std::int64_t& index) {
    std::uint64_t bytes = 0;
    if (!TakeUnsigned(code_, bytes) || bytes > std::min(code_.size(), kMostExpression) ||
        rules_.expressions.size() >= kMostExpressions)
      return false;
    index = static_cast<std::int64_t>(rules_.expressions.size());
    rules_.expressions.emplace_back(code_.substr(0, bytes));
    code_.remove_prefix(bytes);
    return true;
  }
  template <typename T>
  bool AdvanceBy() {
    T by{};
    if (!TakePlain(code_, by)) return false;
    Advance(by);
    return true;
  }

  // An instruction with an operand in its low six bits, or one of the others.
  bool Step() {
    std::uint8_t code = 0;
    TakePlain(code_, code);
    const std::uint8_t low = code & 0x3f;
    std::uint64_t offset = 0;
    switch (code >> 6) {
      case 1:  // advance_loc
        Advance(low);
        return true;
      case 2:  // offset
        return TakeUnsigned(code_, offset) && SetAtCfa(low, offset);
      case 3:  // restore
        Restore(low);
        return true;
      default:
        return StepOther(low);
    }
  }

  bool StepOther(std::uint8_t code) {
    std::uint64_t number = 0, other = 0;
    std::int64_t offset = 0;
    switch (code) {
      case 0x00:  // nop
        return true;
      case 0x01: {  // set_loc
        const auto next = TakePointer(code_, common_.pointers & 0x0f, 0, 0);
        if (!next || *next < at_) return false;
        is_there_ = *next > address_;
        at_ = *next;
        return true;
      }
      case 0x02:  // advance_loc1, 2, 4
        return AdvanceBy<std::uint8_t>();
      case 0x03:
        return AdvanceBy<std::uint16_t>();
      case 0x04:
        return AdvanceBy<std::uint32_t>();
      case 0x05:  // offset_extended
        return TakeUnsigned(code_, number) && TakeUnsigned(code_, other) && SetAtCfa(number, other);
      case 0x06:  // restore_extended
        if (!TakeUnsigned(code_, number)) return false;
        Restore(number);
        return true;
      case 0x07:  // undefined
        return TakeUnsigned(code_, number) && Set(number, Kind::kUndefined, 0);
      case 0x08:  // same_value
        return TakeUnsigned(code_, number) && Set(number, Kind::kSame, 0);
      case 0x09:  // register
        return TakeUnsigned(code_, number) && TakeUnsigned(code_, other) && other < kRegisters &&
               Set(number, Kind::kRegister, static_cast<std::int64_t>(other));
      case 0x0a:  // remember_state
        if (remembered_.size() >= kMostRemembered) return false;
        remembered_.push_back(rules_);
        return true;
      case 0x0b:  // restore_state
        if (remembered_.empty()) return false;
        rules_ = std::move(remembered_.back());
        remembered_.pop_back();
        return true;
      case 0x0c:  // def_cfa
        return TakeUnsigned(code_, number) && TakeUnsigned(code_, other) &&
               SetCfa(number, static_cast<std::int64_t>(other));
      case 0x0d:  // def_cfa_register
        return TakeUnsigned(code_, number) && SetCfa(number, rules_.cfa_offset);
      case 0x0e:  // def_cfa_offset
        if (!TakeUnsigned(code_, other)) return false;
        rules_.cfa_offset = static_cast<std::int64_t>(other);
        return true;
      case 0x0f:  // def_cfa_expression
        rules_.cfa_register = -1;
        return TakeExpression(rules_.cfa_offset);
      case 0x10:  // expression
        return TakeUnsigned(code_, number) && TakeExpression(offset) &&
               Set(number, Kind::kAtExpression, offset);
      case 0x16:  // val_expression
        return TakeUnsigned(code_, number) && TakeExpression(offset) &&
               Set(number, Kind::kIsExpression, offset);
      case 0x11:  // offset_extended_sf
        return TakeUnsigned(code_, number) && TakeSigned(code_, offset) &&
               SetAtCfa(number, static_cast<std::uint64_t>(offset));
      case 0x12:  // def_cfa_sf
        return TakeUnsigned(code_, number) && TakeSigned(code_, offset) && Times(offset, offset) &&
               SetCfa(number, offset);
      case 0x13:  // def_cfa_offset_sf
        return TakeSigned(code_, offset) && Times(offset, rules_.cfa_offset);
      case 0x14:  // val_offset
        return TakeUnsigned(code_, number) && TakeUnsigned(code_, other) &&
               SetAtCfa(number, other, Kind::kIsCfa);
      case 0x15:  // val_offset_sf
        return TakeUnsigned(code_, number) && TakeSigned(code_, offset) &&
               SetAtCfa(number, static_cast<std::uint64_t>(offset), Kind::kIsCfa);
      case 0x2e:  // GNU_args_size: of exceptions
        return TakeUnsigned(code_, other);
      default:
        return false;
    }
  }

  const CommonRules& common_;
  std::string_view code_;
  std::uint64_t at_;
  const std::uint64_t address_;
  bool is_there_ = false;
  int left_ = kMostInstructions;
  FrameRules rules_, initial_;
  std::vector<FrameRules> remembered_;
};

}  // namespace

bool TakeUnsigned(std::string_view& bytes, std::uint64_t& value) {
  value = 0;
  std::uint8_t byte = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (!TakePlain(bytes, byte)) return false;
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if ((byte & 0x80) == 0) return true;
  }
  return false;
}

bool TakeSigned(std::string_view& bytes, std::int64_t& value) {
  std::uint64_t bits = 0;
  std::uint8_t byte = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (!TakePlain(bytes, byte)) return false;
    bits |= std::uint64_t{byte & 0x7fU} << shift;
    if ((byte & 0x80) != 0) continue;
    if ((byte & 0x40) != 0 && shift + 7 < 64) bits |= ~std::uint64_t{0} << (shift + 7);
    value = static_cast<std::int64_t>(bits);
    return true;
  }
  return false;
}

std::optional<std::uint64_t> TakePointer(std::string_view& bytes, std::uint8_t encoding,
                                         std::uint64_t address, std::uint64_t base) {
  std::uint64_t value = 0;
  const auto from = static_cast<std::uint8_t>(encoding & 0x70);
  const bool is_known = from == 0 || from == kFromHere || from == kFromBase;
  if ((encoding & 0x80) != 0 || !is_known) return std::nullopt;
  if (!TakeWidth(bytes, encoding & 0x0f, value)) return std::nullopt;
  return value + (from == kFromHere ? address : from == kFromBase ? base : 0);
}

std::optional<CommonRules> ParseCommon(FrameEntry cie) {
  std::string_view rest = cie.bytes;
  std::uint32_t id = 1;
  std::uint8_t version = 0;
  CommonRules common;
  if (!TakePlain(rest, id) || id != 0 || !TakePlain(rest, version) ||
      (version != 1 && version != 3))
    return std::nullopt;
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view augmentation = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  std::uint64_t return_register = 0;
  std::uint8_t narrow = 0;
  if (!TakeUnsigned(rest, common.code_align) || !TakeSigned(rest, common.data_align))
    return std::nullopt;
  if (version == 1) {
    if (!TakePlain(rest, narrow)) return std::nullopt;
    return_register = narrow;
  } else if (!TakeUnsigned(rest, return_register)) {
    return std::nullopt;
  }
  constexpr std::int64_t kMostAlign = 1024;
  if (return_register != kReturnAddress || common.code_align > kMostAlign ||
      common.data_align > kMostAlign || common.data_align < -kMostAlign)
    return std::nullopt;
  if (augmentation.empty()) {
    common.program = rest;
    return common;
  }
  std::uint64_t bytes = 0;
  if (augmentation.front() != 'z' || !TakeUnsigned(rest, bytes) || bytes > rest.size())
    return std::nullopt;
  common.has_augmentation = true;
  common.program = rest.substr(bytes);
  std::string_view data = rest.substr(0, bytes);
  for (const char one : augmentation.substr(1)) {
    std::uint8_t encoding = 0;
    if (one == 'S') common.is_signal = true;
    if (one == 'R' && !TakePlain(data, common.pointers)) return std::nullopt;
    if (one == 'L' && !TakePlain(data, encoding)) return std::nullopt;
    if (one != 'P') continue;
    // A function of exceptions, which nobody calls here. Where it lies does not matter.
    if (!TakePlain(data, encoding) || !TakePointer(data, encoding & 0x0f, 0, 0))
      return std::nullopt;
  }
  return common;
}

std::optional<FrameRules> RulesAt(const CommonRules& common, FrameEntry fde,
                                  std::uint64_t address) {
  std::string_view rest = fde.bytes;
  std::uint32_t back = 0;
  if (!TakePlain(rest, back)) return std::nullopt;
  const auto begin = TakePointer(rest, common.pointers, fde.address + sizeof(back), 0);
  const auto bytes = begin ? TakePointer(rest, common.pointers & 0x0f, 0, 0) : std::nullopt;
  if (!bytes || address < *begin || address - *begin >= *bytes) return std::nullopt;
  std::uint64_t skipped = 0;
  if (common.has_augmentation) {
    if (!TakeUnsigned(rest, skipped) || skipped > rest.size()) return std::nullopt;
    rest.remove_prefix(skipped);
  }
  Program program(common, *begin, address);
  if (!program.Run(common.program)) return std::nullopt;
  program.KeepInitial();
  if (!program.Run(rest)) return std::nullopt;
  return program.Take();
}

}  // namespace rankscope::cpu_profile
