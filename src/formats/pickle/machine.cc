#include "formats/pickle/machine.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <utility>

#include "formats/base/utf8.h"

namespace rankscope::pickle {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{256} << 10;
constexpr std::size_t kLineBytes = 4096;
constexpr std::uint64_t kProgressBytes = std::uint64_t{4} << 20;
constexpr int kNewestProtocol = 5;

// Names and numbers are those of Python's pickletools.
enum Opcode : unsigned char {
  kMark = '(',
  kStop = '.',
  kPop = '0',
  kPopMark = '1',
  kDup = '2',
  kFloat = 'F',
  kInt = 'I',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kLong = 'L',
  kBinInt2 = 'M',
  kNone = 'N',
  kUnicode = 'V',
  kBinUnicode = 'X',
  kAppend = 'a',
  kDict = 'd',
  kEmptyDict = '}',
  kAppends = 'e',
  kGet = 'g',
  kBinGet = 'h',
  kLongBinGet = 'j',
  kList = 'l',
  kEmptyList = ']',
  kPut = 'p',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kSetItem = 's',
  kTuple = 't',
  kEmptyTuple = ')',
  kSetItems = 'u',
  kBinFloat = 'G',
  kBinString = 'T',
  kShortBinString = 'U',
  kBinBytes = 'B',
  kShortBinBytes = 'C',
  kProto = 0x80,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kLong1 = 0x8a,
  kLong4 = 0x8b,
  kShortBinUnicode = 0x8c,
  kBinUnicode8 = 0x8d,
  kBinBytes8 = 0x8e,
  kEmptySet = 0x8f,
  kAddItems = 0x90,
  kFrozenSet = 0x91,
  kMemoize = 0x94,
  kFrame = 0x95,
  kByteArray8 = 0x96,
};

struct Refused {
  unsigned char opcode;
  std::string_view name;
};
constexpr Refused kRefused[] = {
    {'c', "GLOBAL"},        {'R', "REDUCE"},       {'b', "BUILD"},
    {'i', "INST"},          {'o', "OBJ"},          {'P', "PERSID"},
    {'Q', "BINPERSID"},     {0x81, "NEWOBJ"},      {0x82, "EXT1"},
    {0x83, "EXT2"},         {0x84, "EXT4"},        {0x92, "NEWOBJ_EX"},
    {0x93, "STACK_GLOBAL"}, {0x97, "NEXT_BUFFER"}, {0x98, "READONLY_BUFFER"},
};

}  // namespace

bool IsPickle(std::string_view head) {
  return head.size() >= 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= kNewestProtocol;
}

Machine::Machine(ByteSource& source, std::string path, ReadOptions options, Shaper* shaper)
    : source_(source),
      path_(std::move(path)),
      options_(std::move(options)),
      shaper_(shaper),
      buffer_(kBufferBytes, '\0') {
  lists_.items.emplace_back();  // of all containers without items
}

// ---- input

bool Machine::Refill() {
  if (at_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + at_, end_ - at_);
    before_ += at_;
    end_ -= at_;
    at_ = 0;
  }
  const std::size_t count = source_.Read(buffer_.data() + end_, buffer_.size() - end_);
  end_ += count;
  return count > 0;
}

bool Machine::Need(std::size_t count) {
  while (end_ - at_ < count) {
    if (!Refill()) return false;
  }
  return true;
}

Status Machine::Bad(std::string_view sentence) const {
  return Error(StatusCode::kBadData, "{}: byte {}: {}", path_, opcode_at_, sentence);
}

Status Machine::CutOff() const {
  const auto& problems = source_.problems().entries();
  if (!problems.empty())
    return Error(StatusCode::kBadData, "{}: byte {}: the pickle ends early: {}; write it again",
                 path_, before_ + end_, problems.front().message);
  return Error(StatusCode::kBadData,
               "{}: byte {}: the pickle ends before its end mark: the file was cut off; write it "
               "again",
               path_, before_ + end_);
}

template <typename T>
Result<T> Machine::Number() {
  if (!Need(sizeof(T))) return CutOff();
  T value;
  std::memcpy(&value, buffer_.data() + at_, sizeof(T));
  at_ += sizeof(T);
  return value;
}

Result<std::string_view> Machine::Line() {
  std::size_t length = 0;
  for (;; ++length) {
    if (length == kLineBytes) return Bad("a line of the pickle is longer than any number");
    if (!Need(length + 1)) return CutOff();
    if (buffer_[at_ + length] == '\n') break;
  }
  const std::string_view line(buffer_.data() + at_, length);
  at_ += length + 1;
  return line;
}

Result<std::string_view> Machine::Bytes(std::uint64_t size) {
  if (size > options_.limits.text_bytes)
    return Error(StatusCode::kResource, "{}: byte {}: a text of {} bytes; at most {} are read",
                 path_, opcode_at_, size, options_.limits.text_bytes);
  if (size <= kBufferBytes / 2) {
    if (!Need(size)) return CutOff();
    const std::string_view bytes(buffer_.data() + at_, size);
    at_ += size;
    return bytes;
  }
  scratch_.clear();
  while (scratch_.size() < size) {
    if (at_ == end_ && !Refill()) return CutOff();
    const std::size_t piece = std::min<std::size_t>(end_ - at_, size - scratch_.size());
    scratch_.append(buffer_, at_, piece);
    at_ += piece;
  }
  return std::string_view(scratch_);
}

// ---- values

std::optional<std::int64_t> Machine::Int(Value value) const {
  switch (value.kind()) {
    case Kind::kInt:
      return value.small_int();
    case Kind::kBool:
      return static_cast<std::int64_t>(value.payload());
    case Kind::kWideInt:
      return wide_ints_[value.payload()];
    default:
      return std::nullopt;
  }
}

std::optional<double> Machine::Real(Value value) const {
  if (value.is(Kind::kReal)) return reals_[value.payload()];
  const auto whole = Int(value);
  return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

Value Machine::Resolve(Value value) const {
  if (!value.is_container()) return value;
  const Value place = containers_[value.payload()];
  return place.is(Kind::kRecord) ? place : value;
}

std::span<const Value> Machine::Items(Value container) const {
  const Value place = containers_[container.payload()];
  if (place.is(Kind::kRecord)) return {};
  return lists_.items[place.payload()];
}

void Machine::Replace(Value container, std::uint64_t record) {
  Value& place = containers_[container.payload()];
  if (!place.is(Kind::kRecord) && place.payload() != 0) {
    std::vector<Value>& items = lists_.items[place.payload()];
    used_bytes_ -= items.capacity() * sizeof(Value);
    std::vector<Value>().swap(items);
    lists_.unused.push_back(static_cast<std::uint32_t>(place.payload()));
  }
  place = Value(Kind::kRecord, record);
}

Status Machine::Push(Value value) {
  if (stack_.size() == stack_.capacity()) {
    used_bytes_ += std::max<std::size_t>(stack_.capacity(), 1024) * sizeof(Value);
    RS_RETURN_IF_ERROR(CheckMemory());
    stack_.reserve(std::max<std::size_t>(stack_.capacity() * 2, 1024));
  }
  stack_.push_back(value);
  return OkStatus();
}

Status Machine::PushText(Kind kind, std::uint64_t size) {
  RS_ASSIGN_OR_RETURN(const std::string_view bytes, Bytes(size));
  const std::size_t known = texts_.size();
  // Python writes what of a file's name is no UTF-8 as surrogates.
  const StringId id = kind == Kind::kText && !IsUtf8(bytes) ? texts_.Intern(RepairUtf8(bytes))
                                                            : texts_.Intern(bytes);
  // The text, its view and its place in the hash table.
  if (texts_.size() != known) used_bytes_ += bytes.size() + 48;
  return Push(Value(kind, id));
}

Status Machine::PushReal(double value) {
  used_bytes_ += 2 * sizeof(double);
  reals_.push_back(value);
  return Push(Value(Kind::kReal, reals_.size() - 1));
}

// Two's complement of any length.
Status Machine::PushLong(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const bool is_negative = !bytes.empty() && (byte(bytes.size() - 1) & 0x80) != 0;
  const unsigned char sign = is_negative ? 0xff : 0;
  std::size_t size = bytes.size();
  while (size > 8 && byte(size - 1) == sign) --size;
  if (size > 8 || (size == 8 && bytes.size() > 8 && ((byte(7) & 0x80) != 0) != is_negative))
    return Push(Value(Kind::kHugeInt, 0));
  std::uint64_t bits = is_negative ? ~std::uint64_t{0} : 0;
  std::memcpy(&bits, bytes.data(), size);
  const auto value = static_cast<std::int64_t>(bits);
  if (value >= kSmallIntMin && value <= kSmallIntMax)
    return Push(Value(Kind::kInt, static_cast<std::uint64_t>(value)));
  used_bytes_ += 2 * sizeof(value);
  wide_ints_.push_back(value);
  return Push(Value(Kind::kWideInt, wide_ints_.size() - 1));
}

// "12", "-3L".
Status Machine::PushDecimal(std::string_view digits) {
  if (digits.ends_with('L')) digits.remove_suffix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (end != digits.data() + digits.size() || digits.empty()) return Bad("a number without digits");
  if (error == std::errc::result_out_of_range) return Push(Value(Kind::kHugeInt, 0));
  if (error != std::errc()) return Bad("a number without digits");
  return PushLong({reinterpret_cast<const char*>(&value), sizeof(value)});
}

// Protocol 0's text: Latin-1 with \u1234 and \U00012345.
Status Machine::PushUnicodeLine() {
  RS_ASSIGN_OR_RETURN(const std::string_view line, Line());
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    std::uint32_t code = static_cast<unsigned char>(line[i]);
    const std::size_t digits = line.substr(i).starts_with("\\u")   ? 4
                               : line.substr(i).starts_with("\\U") ? 8
                                                                   : 0;
    if (digits > 0) {
      if (i + 2 + digits > line.size()) return Bad("a text with half an escape");
      const char* const first = line.data() + i + 2;
      const auto [end, error] = std::from_chars(first, first + digits, code, 16);
      if (error != std::errc() || end != first + digits) return Bad("a text with half an escape");
      i += 1 + digits;
    }
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
      return Bad("a text with what is no character");
    if (code < 0x80) {
      text += static_cast<char>(code);
    } else if (code < 0x800) {
      text += static_cast<char>(0xc0 | code >> 6);
      text += static_cast<char>(0x80 | (code & 63));
    } else if (code < 0x10000) {
      text += static_cast<char>(0xe0 | code >> 12);
      text += static_cast<char>(0x80 | (code >> 6 & 63));
      text += static_cast<char>(0x80 | (code & 63));
    } else {
      text += static_cast<char>(0xf0 | code >> 18);
      text += static_cast<char>(0x80 | (code >> 12 & 63));
      text += static_cast<char>(0x80 | (code >> 6 & 63));
      text += static_cast<char>(0x80 | (code & 63));
    }
  }
  used_bytes_ += text.size() + 48;
  return Push(Value(Kind::kText, texts_.Intern(text)));
}

// ---- containers

Status Machine::PushNew(Kind kind, std::size_t first_item) {
  const std::uint64_t id = container_count_++;
  if (containers_.NeedsChunk(id)) {
    used_bytes_ += Chunks<Value>::kChunkBytes;
    RS_RETURN_IF_ERROR(CheckMemory());
  }
  containers_.Put(id, Value(kind, 0));
  if (first_item == stack_.size()) return Push(Value(kind, id));
  RS_RETURN_IF_ERROR(Push(Value(kind, id)));
  // Its items lie below it.
  const Value made = stack_.back();
  stack_.pop_back();
  stack_.insert(stack_.begin() + static_cast<std::ptrdiff_t>(first_item), made);
  return Append(first_item + 1, kind);
}

Status Machine::MakeTuple(std::size_t count) {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() - floor < count) return Bad("a tuple of more than there is");
  return PushNew(Kind::kTuple, stack_.size() - count);
}

Result<std::size_t> Machine::PopMark() {
  if (marks_.empty()) return Bad("items without the mark at which they begin");
  const std::size_t at = marks_.back();
  marks_.pop_back();
  return at;
}

// Moves what lies from `first_item` on into the container below it.
Status Machine::Append(std::size_t first_item, Kind kind) {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (first_item > stack_.size() || first_item <= floor)
    return Bad("items without a container below them");
  const Value container = stack_[first_item - 1];
  if (!container.is(kind)) return Bad("items for what is no container of their kind");
  if (kind == Kind::kDict && (stack_.size() - first_item) % 2 != 0)
    return Bad("a dict with a key without a value");
  Value& place = containers_[container.payload()];
  if (place.is(Kind::kRecord)) return Bad("a dict or list is added to after it was complete");
  for (std::size_t i = first_item; i < stack_.size(); ++i) stack_[i] = Resolve(stack_[i]);
  const std::span<const Value> added = std::span(stack_).subspan(first_item);
  if (added.empty()) return OkStatus();
  if (shaper_ != nullptr && kind == Kind::kDict && place.payload() == 0) {
    RS_ASSIGN_OR_RETURN(const std::optional<std::uint64_t> record, shaper_->Shape(added, *this));
    if (record) {
      Replace(container, *record);
      stack_.resize(first_item);
      return CheckMemory();
    }
  }
  if (place.payload() == 0) {
    std::uint32_t index = 0;
    if (lists_.unused.empty()) {
      index = static_cast<std::uint32_t>(lists_.items.size());
      used_bytes_ += 2 * sizeof(std::vector<Value>);
      lists_.items.emplace_back();
    } else {
      index = lists_.unused.back();
      lists_.unused.pop_back();
    }
    place = Value(kind, index);
  }
  std::vector<Value>& items = lists_.items[place.payload()];
  const std::size_t before = items.capacity();
  const std::size_t needed = items.size() + added.size();
  if (needed > before) {
    const std::size_t room = std::max(needed, before == 0 ? needed : before + before / 2);
    used_bytes_ += (room - before) * sizeof(Value);
    RS_RETURN_IF_ERROR(CheckMemory());
    items.reserve(room);
  }
  items.insert(items.end(), added.begin(), added.end());
  stack_.resize(first_item);
  return OkStatus();
}

Status Machine::Put(std::uint64_t index) {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() <= floor) return Bad("nothing to remember");
  if (memo_.NeedsChunk(index)) {
    used_bytes_ += Memo::kChunkBytes;
    RS_RETURN_IF_ERROR(CheckMemory());
  }
  // None is what places hold that were never put, so a mark stands for it.
  memo_.Put(index, stack_.back().is(Kind::kNone) ? Value(Kind::kMark, 0) : stack_.back());
  ++memo_next_;
  return OkStatus();
}

Status Machine::Get(std::uint64_t index) {
  const Value* const found = memo_.Find(index);
  if (found == nullptr || found->is(Kind::kNone))
    return Bad("what was never remembered is asked for");
  if (found->is_container()) {
    // Records are asked for again and again, such as frames.
    const Value resolved = Resolve(*found);
    if (resolved.is(Kind::kRecord)) memo_[index] = resolved;
    return Push(resolved);
  }
  return Push(found->is(Kind::kMark) ? Value() : *found);
}

// ---- opcodes

Status Machine::CheckMemory() const {
  if (used_bytes_ <= options_.limits.memory_bytes) return OkStatus();
  return Error(StatusCode::kResource,
               "{}: byte {}: what the pickle holds needs more than {} MiB of memory", path_,
               opcode_at_, options_.limits.memory_bytes >> 20);
}

Status Machine::Refuse(unsigned char opcode) {
  const auto* const known = std::find_if(std::begin(kRefused), std::end(kRefused),
                                         [&](const Refused& one) { return one.opcode == opcode; });
  if (known != std::end(kRefused)) {
    return Error(StatusCode::kBadData,
                 "{}: byte {}: the pickle asks to make an object or to call a function (opcode "
                 "{}), and rankscope carries nothing out: {}",
                 path_, opcode_at_, known->name, options_.remedy);
  }
  if (opcode == 'S')
    return Bad("a text of Python 2 (opcode STRING); write the file again with Python 3");
  return Error(StatusCode::kBadData, "{}: byte {}: {:#04x} is no opcode of a pickle", path_,
               opcode_at_, opcode);
}

Status Machine::Progress() {
  told_at_ = position() + kProgressBytes;
  if (options_.progress && !options_.progress(source_.fraction(), position()))
    return Error(StatusCode::kCancelled, "{}: stopped", path_);
  return OkStatus();
}

Result<Value> Machine::Run() {
  while (!is_done_) {
    if (at_ == end_ && !Refill()) return CutOff();
    opcode_at_ = before_ + at_;
    if (opcode_at_ >= told_at_) {
      RS_RETURN_IF_ERROR(Progress());
      RS_RETURN_IF_ERROR(CheckMemory());
    }
    RS_RETURN_IF_ERROR(Step(static_cast<unsigned char>(buffer_[at_++])));
  }
  RS_RETURN_IF_ERROR(CheckMemory());
  if (stack_.empty()) return Bad("the pickle ends without a value");
  return Resolve(stack_.back());
}

// One case per opcode: a table of functions would only spread this.
Status Machine::Step(unsigned char opcode) {  // NOLINT(readability-function-size)
  switch (opcode) {
    case kProto: {
      RS_ASSIGN_OR_RETURN(const auto version, Number<std::uint8_t>());
      if (version > kNewestProtocol) return Bad("a protocol of pickles newer than 5");
      return OkStatus();
    }
    case kFrame:
      return Number<std::uint64_t>().status();
    case kStop:
      is_done_ = true;
      return OkStatus();
    case kMark:
      if (marks_.size() >= options_.limits.memory_bytes / 64)
        return Bad("more marks than this program follows");
      used_bytes_ += sizeof(std::size_t);
      marks_.push_back(stack_.size());
      return OkStatus();
    case kPop:
      if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) return PopMark().status();
      stack_.pop_back();
      return OkStatus();
    case kPopMark: {
      RS_ASSIGN_OR_RETURN(const std::size_t first, PopMark());
      stack_.resize(first);
      return OkStatus();
    }
    case kDup:
      if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) return Bad("nothing to repeat");
      return Push(Value(stack_.back()));

    case kNone:
      return Push(Value());
    case kNewTrue:
      return Push(Value(Kind::kBool, 1));
    case kNewFalse:
      return Push(Value(Kind::kBool, 0));
    case kBinInt1: {
      RS_ASSIGN_OR_RETURN(const auto value, Number<std::uint8_t>());
      return Push(Value(Kind::kInt, value));
    }
    case kBinInt2: {
      RS_ASSIGN_OR_RETURN(const auto value, Number<std::uint16_t>());
      return Push(Value(Kind::kInt, value));
    }
    case kBinInt: {
      RS_ASSIGN_OR_RETURN(const auto value, Number<std::int32_t>());
      return Push(Value(Kind::kInt, static_cast<std::uint64_t>(std::int64_t{value})));
    }
    case kLong1: {
      RS_ASSIGN_OR_RETURN(const auto size, Number<std::uint8_t>());
      RS_ASSIGN_OR_RETURN(const auto bytes, Bytes(size));
      return PushLong(bytes);
    }
    case kLong4: {
      RS_ASSIGN_OR_RETURN(const auto size, Number<std::int32_t>());
      if (size < 0) return Bad("a number of less than no bytes");
      RS_ASSIGN_OR_RETURN(const auto bytes, Bytes(static_cast<std::uint64_t>(size)));
      return PushLong(bytes);
    }
    case kInt: {
      RS_ASSIGN_OR_RETURN(const auto line, Line());
      if (line == "00" || line == "01") return Push(Value(Kind::kBool, line == "01" ? 1 : 0));
      return PushDecimal(line);
    }
    case kLong: {
      RS_ASSIGN_OR_RETURN(const auto line, Line());
      return PushDecimal(line);
    }
    case kBinFloat: {
      RS_ASSIGN_OR_RETURN(const auto bits, Number<std::uint64_t>());
      return PushReal(std::bit_cast<double>(__builtin_bswap64(bits)));
    }
    case kFloat: {
      RS_ASSIGN_OR_RETURN(const auto line, Line());
      double value = 0;
      const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
      if (error != std::errc() || end != line.data() + line.size())
        return Bad("a number without digits");
      return PushReal(value);
    }

    case kShortBinUnicode: {
      RS_ASSIGN_OR_RETURN(const auto size, Number<std::uint8_t>());
      return PushText(Kind::kText, size);
    }
    case kBinUnicode: {
      RS_ASSIGN_OR_RETURN(const auto size, Number<std::uint32_t>());
      return PushText(Kind::kText, size);
    }
    case kBinUnicode8: {
      RS_ASSIGN_OR_RETURN(const auto size, Number<std::uint64_t>());
      return PushText(Kind::kText, size);
    }
    case kUnicode:
      return PushUnicodeLine();
    case kShortBinBytes:
    case kShortBinString: {
      RS_ASSIGN_OR_RETURN(const auto size, Number<std::uint8_t>());
      return PushText(Kind::kBytes, size);
    }
    case kBinBytes:
    case kBinString: {
      RS_ASSIGN_OR_RETURN(const auto size, Number<std::uint32_t>());
      return PushText(Kind::kBytes, size);
    }
    case kBinBytes8:
    case kByteArray8: {
      RS_ASSIGN_OR_RETURN(const auto size, Number<std::uint64_t>());
      return PushText(Kind::kBytes, size);
    }

    case kEmptyList:
      return PushNew(Kind::kList, stack_.size());
    case kEmptyDict:
      return PushNew(Kind::kDict, stack_.size());
    case kEmptySet:
      return PushNew(Kind::kSet, stack_.size());
    case kEmptyTuple:
      return PushNew(Kind::kTuple, stack_.size());
    case kTuple1:
      return MakeTuple(1);
    case kTuple2:
      return MakeTuple(2);
    case kTuple3:
      return MakeTuple(3);
    case kTuple: {
      RS_ASSIGN_OR_RETURN(const std::size_t first, PopMark());
      return PushNew(Kind::kTuple, first);
    }
    case kList: {
      RS_ASSIGN_OR_RETURN(const std::size_t first, PopMark());
      return PushNew(Kind::kList, first);
    }
    case kDict: {
      RS_ASSIGN_OR_RETURN(const std::size_t first, PopMark());
      return PushNew(Kind::kDict, first);
    }
    case kFrozenSet: {
      RS_ASSIGN_OR_RETURN(const std::size_t first, PopMark());
      return PushNew(Kind::kSet, first);
    }
    case kAppend:
      return stack_.empty() ? Bad("nothing to append") : Append(stack_.size() - 1, Kind::kList);
    case kSetItem:
      return stack_.size() < 2 ? Bad("nothing to set") : Append(stack_.size() - 2, Kind::kDict);
    case kAppends: {
      RS_ASSIGN_OR_RETURN(const std::size_t first, PopMark());
      return Append(first, Kind::kList);
    }
    case kSetItems: {
      RS_ASSIGN_OR_RETURN(const std::size_t first, PopMark());
      return Append(first, Kind::kDict);
    }
    case kAddItems: {
      RS_ASSIGN_OR_RETURN(const std::size_t first, PopMark());
      return Append(first, Kind::kSet);
    }

    case kMemoize:
      return Put(memo_next_);
    case kBinPut: {
      RS_ASSIGN_OR_RETURN(const auto index, Number<std::uint8_t>());
      return Put(index);
    }
    case kLongBinPut: {
      RS_ASSIGN_OR_RETURN(const auto index, Number<std::uint32_t>());
      return Put(index);
    }
    case kBinGet: {
      RS_ASSIGN_OR_RETURN(const auto index, Number<std::uint8_t>());
      return Get(index);
    }
    case kLongBinGet: {
      RS_ASSIGN_OR_RETURN(const auto index, Number<std::uint32_t>());
      return Get(index);
    }
    case kPut:
    case kGet: {
      RS_ASSIGN_OR_RETURN(const auto line, Line());
      std::uint32_t index = 0;
      const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), index);
      if (error != std::errc() || end != line.data() + line.size())
        return Bad("a place in the memo that is no number");
      return opcode == kPut ? Put(index) : Get(index);
    }
    default:
      return Refuse(opcode);
  }
}

}  // namespace rankscope::pickle
