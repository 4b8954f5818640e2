// PythonLayout: offsets in CPython's data structures, per version.
//
// 3.13 describes itself (`_Py_DebugOffsets`, at the begin of `_PyRuntime`). For 3.11 and 3.12 there
// are tables, made with offsetof from their headers. Structures do not change within a minor
// version.
#pragma once

#include <cstdint>
#include <span>

#include "base/status.h"

namespace rankscope::cpu_profile {

struct PythonLayout {
  std::uint64_t interpreters = 0;  // in _PyRuntime: the first interpreter
  // In an interpreter.
  std::uint64_t next_interpreter = 0, threads = 0;
  // The lock: 3.11 has a single one in _PyRuntime; later every interpreter points to its own.
  bool has_lock_in_runtime = false;
  std::uint64_t lock = 0;                          // in _PyRuntime, or the pointer
  std::uint64_t lock_holder = 0, lock_locked = 0;  // in the lock
  bool has_lock = true;                            // false: a build without one
  // In a thread.
  std::uint64_t next_thread = 0, native_id = 0;
  std::uint64_t current_frame = 0;  // or the pointer to the C frame, which has it at
                                    // `frame_in_c_frame`
  bool has_c_frame = false;
  std::uint64_t frame_in_c_frame = 0;
  // In a frame.
  std::uint64_t previous_frame = 0, code = 0, instruction = 0, owner = 0;
  // In a code object.
  std::uint64_t type = 8;  // of every object
  std::uint64_t file_name = 0, qualified_name = 0, line_table = 0, first_line = 0, bytecode = 0;
  // In texts and bytes.
  std::uint64_t text_state = 0, text_length = 0, text_ascii = 0, text_compact = 0;
  std::uint64_t bytes_size = 0, bytes_data = 0;
};

// `version` as in Py_Version: 0x030b07f0. kNotFound: neither 3.11 nor 3.12.
Result<PythonLayout> LayoutOfVersion(std::uint32_t version);

inline constexpr std::size_t kDebugOffsetsBytes = 584;
// Parses the begin of 3.13's _PyRuntime. kNotFound: another version; kBadData.
Result<PythonLayout> LayoutOfDebugOffsets(std::span<const std::byte> bytes);
// Whether the bytes begin like such a description.
bool IsDebugOffsets(std::span<const std::byte> bytes);

}  // namespace rankscope::cpu_profile
