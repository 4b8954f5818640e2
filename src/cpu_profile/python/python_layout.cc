#include "cpu_profile/python/python_layout.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace rankscope::cpu_profile {
namespace {

constexpr PythonLayout kPython311 = {.interpreters = 40,
                                     .next_interpreter = 0,
                                     .threads = 16,
                                     .has_lock_in_runtime = true,
                                     .lock = 368,
                                     .lock_holder = 0,
                                     .lock_locked = 8,
                                     .next_thread = 8,
                                     .native_id = 160,
                                     .current_frame = 56,
                                     .has_c_frame = true,
                                     .frame_in_c_frame = 8,
                                     .previous_frame = 48,
                                     .code = 32,
                                     .instruction = 56,
                                     .owner = 69,
                                     .file_name = 112,
                                     .qualified_name = 128,
                                     .line_table = 136,
                                     .first_line = 72,
                                     .bytecode = 184,
                                     .text_state = 32,
                                     .text_length = 16,
                                     .text_ascii = 48,
                                     .text_compact = 72,
                                     .bytes_size = 16,
                                     .bytes_data = 32};

constexpr PythonLayout kPython312 = {.interpreters = 40,
                                     .next_interpreter = 0,
                                     .threads = 72,
                                     .lock = 384,
                                     .lock_holder = 8,
                                     .lock_locked = 16,
                                     .next_thread = 8,
                                     .native_id = 144,
                                     .current_frame = 56,
                                     .has_c_frame = true,
                                     .frame_in_c_frame = 0,
                                     .previous_frame = 8,
                                     .code = 0,
                                     .instruction = 56,
                                     .owner = 70,
                                     .file_name = 112,
                                     .qualified_name = 128,
                                     .line_table = 136,
                                     .first_line = 68,
                                     .bytecode = 192,
                                     .text_state = 32,
                                     .text_length = 16,
                                     .text_ascii = 40,
                                     .text_compact = 56,
                                     .bytes_size = 16,
                                     .bytes_data = 32};

constexpr std::string_view kCookie = "xdebugpy";

Status NoLayout(std::uint64_t version) {
  return Error(StatusCode::kNotFound, "stacks of Python {}.{} cannot be read: 3.11 to 3.13 can",
               version >> 24 & 0xFF, version >> 16 & 0xFF);
}

}  // namespace

Result<PythonLayout> LayoutOfVersion(std::uint32_t version) {
  if (version >> 16 == 0x030B) return kPython311;
  if (version >> 16 == 0x030C) return kPython312;
  return NoLayout(version);
}

bool IsDebugOffsets(std::span<const std::byte> bytes) {
  return bytes.size() >= kCookie.size() &&
         std::memcmp(bytes.data(), kCookie.data(), kCookie.size()) == 0;
}

Result<PythonLayout> LayoutOfDebugOffsets(std::span<const std::byte> bytes) {
  if (!IsDebugOffsets(bytes) || bytes.size() < kDebugOffsetsBytes)
    return Error(StatusCode::kBadData, "Python's description of itself is damaged");
  const auto word = [&](std::size_t at) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof(value));
    return value;
  };
  const std::uint64_t version = word(8);
  // Later ones have more fields, at other places.
  if (version >> 16 != 0x030D) return NoLayout(version);
  const std::uint64_t own_lock = word(120);  // in an interpreter
  PythonLayout layout = {.interpreters = word(40),
                         .next_interpreter = word(64),
                         .threads = word(72),
                         .lock = word(112),
                         .lock_holder = word(144) - own_lock,
                         .lock_locked = word(136) - own_lock,
                         .has_lock = word(16) == 0,
                         .next_thread = word(168),
                         .native_id = word(200),
                         .current_frame = word(184),
                         .previous_frame = word(232),
                         .code = word(240),
                         .instruction = word(248),
                         .owner = word(264),
                         .type = word(360),
                         .file_name = word(280),
                         .qualified_name = word(296),
                         .line_table = word(304),
                         .first_line = word(312),
                         .bytecode = word(344),
                         .text_state = word(544),
                         .text_length = word(552),
                         .text_ascii = word(560),
                         .text_compact = word(560) + 16,
                         .bytes_size = word(520),
                         .bytes_data = word(528)};
  // None of these structures is as large as this.
  constexpr std::uint64_t kMost = 1 << 20;
  const std::uint64_t largest =
      std::max({layout.interpreters, layout.next_interpreter, layout.threads, layout.lock,
                layout.lock_holder, layout.lock_locked, layout.next_thread, layout.native_id,
                layout.current_frame, layout.bytecode});
  // Frames, code objects and texts are read as one piece of 512 bytes at most.
  const std::uint64_t largest_part =
      std::max({layout.previous_frame, layout.code, layout.instruction, layout.owner, layout.type,
                layout.file_name, layout.qualified_name, layout.line_table, layout.first_line,
                layout.text_state, layout.text_length, layout.text_ascii, layout.text_compact,
                layout.bytes_size, layout.bytes_data});
  if (largest > kMost || largest_part > 500)
    return Error(StatusCode::kBadData, "Python's description of itself makes no sense");
  return layout;
}

}  // namespace rankscope::cpu_profile
