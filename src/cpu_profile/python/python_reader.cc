#include "cpu_profile/python/python_reader.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace rankscope::cpu_profile {
namespace {

// A structure as it was read in one piece.
template <std::size_t kBytes>
class Piece {
 public:
  // Up to the end of the field at `last`.
  bool Read(Memory& memory, std::uint64_t address, std::uint64_t last) {
    if (address == 0 || address % 8 != 0 || last + 8 > kBytes) return false;
    return memory.Read(address, bytes_.data(), last + 8);
  }
  template <typename T = std::uint64_t>
  T At(std::uint64_t offset) const {
    T value{};
    if (offset + sizeof(T) <= kBytes) std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }

 private:
  std::array<std::byte, kBytes> bytes_{};
};

void AppendUtf8(std::string& text, std::uint32_t code) {
  if (code >= 0xD800 && code < 0xE000) code = 0xFFFD;
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | code >> 6);
    text += static_cast<char>(0x80 | (code & 63));
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0 | code >> 12);
    text += static_cast<char>(0x80 | (code >> 6 & 63));
    text += static_cast<char>(0x80 | (code & 63));
  } else if (code < 0x110000) {
    text += static_cast<char>(0xF0 | code >> 18);
    text += static_cast<char>(0x80 | (code >> 12 & 63));
    text += static_cast<char>(0x80 | (code >> 6 & 63));
    text += static_cast<char>(0x80 | (code & 63));
  } else {
    AppendUtf8(text, 0xFFFD);
  }
}

// Frames that C pushes to call Python: they have no code of their own.
constexpr std::uint8_t kOwnedByC = 3;

}  // namespace

bool PythonReader::Read(std::vector<PythonThread>& threads) {
  threads.clear();
  ++samples_;
  if (codes_.size() >= kMostCodes) codes_.clear();
  const PythonLayout& layout = place_.layout;
  std::uint64_t interpreter = 0;
  if (!ReadValue(memory_, place_.runtime + layout.interpreters, interpreter)) return false;
  std::size_t looked_at = 0;
  for (std::size_t i = 0; interpreter != 0 && i < kMostInterpreters; ++i) {
    const std::uint64_t holder = LockHolder(interpreter);
    std::uint64_t thread = 0;
    if (!ReadValue(memory_, interpreter + layout.threads, thread)) return i > 0;
    while (thread != 0 && looked_at++ < kMostThreads) {
      std::uint64_t next = 0, native_id = 0;
      if (!ReadValue(memory_, thread + layout.next_thread, next) ||
          !ReadValue(memory_, thread + layout.native_id, native_id)) {
        ++torn_;
        break;
      }
      const std::optional<Node> stack = StackOf(thread);
      // The kernel's numbers of threads are below 2^22; 0: it has not begun.
      if (!stack || native_id >= 1U << 22) ++torn_;
      if (stack && *stack != kNoFrames && native_id > 0 && native_id < 1U << 22)
        threads.push_back({static_cast<std::int64_t>(native_id), *stack, thread == holder});
      thread = next;
    }
    if (!ReadValue(memory_, interpreter + layout.next_interpreter, interpreter)) break;
  }
  return true;
}

std::uint64_t PythonReader::LockHolder(std::uint64_t interpreter) {
  const PythonLayout& layout = place_.layout;
  if (!layout.has_lock) return 0;
  std::uint64_t lock = place_.runtime + layout.lock;
  if (!layout.has_lock_in_runtime && !ReadValue(memory_, interpreter + layout.lock, lock)) return 0;
  std::uint64_t holder = 0;
  std::int32_t locked = 0;
  if (!ReadValue(memory_, lock + layout.lock_holder, holder) ||
      !ReadValue(memory_, lock + layout.lock_locked, locked))
    return 0;
  return locked == 1 ? holder : 0;
}

std::optional<Node> PythonReader::StackOf(std::uint64_t thread) {
  const PythonLayout& layout = place_.layout;
  std::uint64_t at = 0;
  if (!ReadValue(memory_, thread + layout.current_frame, at)) return std::nullopt;
  if (layout.has_c_frame && (at == 0 || !ReadValue(memory_, at + layout.frame_in_c_frame, at)))
    return std::nullopt;
  const std::uint64_t last =
      std::max({layout.previous_frame, layout.code, layout.instruction, layout.owner});
  std::vector<FrameAt> frames;
  for (std::size_t depth = 0; at != 0; ++depth) {
    // A loop is as long.
    if (depth >= kMostFrames) return std::nullopt;
    Piece<512> frame;
    if (!frame.Read(memory_, at, last)) return std::nullopt;
    at = frame.At(layout.previous_frame);
    if (frame.At<std::uint8_t>(layout.owner) == kOwnedByC) continue;
    const std::uint64_t address = frame.At(layout.code);
    const Code* code = CodeAt(address);
    if (code == nullptr) return std::nullopt;
    const std::uint64_t offset = frame.At(layout.instruction) - (address + layout.bytecode);
    // One that has not begun is an instruction before its first.
    const std::int32_t line = LineAt(code->lines, offset);
    frames.push_back({code, line > 0 ? line : code->first_line});
  }
  Node node = kNoFrames;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
    node = stacks_.Add(node, frame->code->function, frame->line);
  return node;
}

std::optional<PythonReader::NamedFrame> PythonReader::NameOf(std::uint64_t code,
                                                             std::uint64_t instruction) {
  ++samples_;
  if (codes_.size() >= kMostCodes) codes_.clear();
  const Code* known = CodeAt(code);
  if (known == nullptr) return std::nullopt;
  const std::int32_t line = LineAt(known->lines, instruction - (code + place_.layout.bytecode));
  return NamedFrame{known->function, line > 0 ? line : known->first_line};
}

const PythonReader::Code* PythonReader::CodeAt(std::uint64_t address) {
  const auto found = codes_.find(address);
  if (found != codes_.end() && samples_ - found->second.checked_at < kTrusted)
    return &found->second;
  const PythonLayout& layout = place_.layout;
  Piece<512> piece;
  if (!piece.Read(memory_, address,
                  std::max({layout.type, layout.file_name, layout.qualified_name, layout.line_table,
                            layout.first_line})))
    return nullptr;
  if (place_.code_type != 0 && piece.At(layout.type) != place_.code_type) return nullptr;
  Code code;
  code.file_name = piece.At(layout.file_name);
  code.qualified_name = piece.At(layout.qualified_name);
  code.line_table = piece.At(layout.line_table);
  code.first_line = piece.At<std::int32_t>(layout.first_line);
  code.checked_at = samples_;
  if (found != codes_.end() && found->second.file_name == code.file_name &&
      found->second.qualified_name == code.qualified_name &&
      found->second.line_table == code.line_table && found->second.first_line == code.first_line) {
    found->second.checked_at = samples_;
    return &found->second;
  }
  const std::optional<std::string> name = TextAt(code.qualified_name);
  const std::optional<std::string> file = TextAt(code.file_name);
  if (!name || !file) return nullptr;
  std::uint64_t size = 0;
  if (!ReadValue(memory_, code.line_table + layout.bytes_size, size) || size > INT32_MAX)
    return nullptr;
  std::vector<std::byte> table(std::min<std::uint64_t>(size, kMostLineBytes));
  if (!memory_.Read(code.line_table + layout.bytes_data, table.data(), table.size()))
    return nullptr;
  code.lines = ParseLineTable(table, code.first_line);
  code.function = stacks_.AddFunction(*name, *file, code.first_line);
  // The stack that is read points to those that are there: they go before the next sample.
  if (codes_.size() >= kMostCodes && found == codes_.end()) return nullptr;
  return &(codes_[address] = std::move(code));
}

std::optional<std::string> PythonReader::TextAt(std::uint64_t address) {
  constexpr std::uint64_t kMostLength = 1000;
  const PythonLayout& layout = place_.layout;
  Piece<512> head;
  if (!head.Read(memory_, address, std::max(layout.text_state, layout.text_length)))
    return std::nullopt;
  const auto state = head.At<std::uint32_t>(layout.text_state);
  const std::uint32_t kind = state >> 2 & 7;  // bytes of a character
  const bool is_compact = (state >> 5 & 1) != 0;
  const bool is_ascii = (state >> 6 & 1) != 0;
  const std::uint64_t length = head.At(layout.text_length);
  if (!is_compact || (kind != 1 && kind != 2 && kind != 4) || length == 0 || length > INT32_MAX)
    return std::nullopt;
  const std::uint64_t count = std::min(length, kMostLength);
  std::vector<unsigned char> bytes(count * kind);
  if (!memory_.Read(address + (is_ascii ? layout.text_ascii : layout.text_compact), bytes.data(),
                    bytes.size()))
    return std::nullopt;
  std::string text;
  for (std::uint64_t i = 0; i < count && text.size() < StackTree::kMostNameBytes; ++i) {
    std::uint32_t code = 0;
    std::memcpy(&code, bytes.data() + i * kind, kind);
    AppendUtf8(text, code);
  }
  return text;
}

}  // namespace rankscope::cpu_profile
