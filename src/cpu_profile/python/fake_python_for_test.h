// A made-up memory image of a Python process, for any supported version.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cpu_profile/image/memory.h"
#include "cpu_profile/python/python_reader.h"

namespace rankscope::cpu_profile {

class FakeMemory final : public Memory {
 public:
  explicit FakeMemory(std::uint64_t base) : base_(base) {}
  bool Read(std::uint64_t address, void* to, std::size_t bytes) override {
    if (address < base_ || address - base_ > bytes_.size() ||
        bytes > bytes_.size() - (address - base_))
      return false;
    std::copy_n(bytes_.data() + (address - base_), bytes, static_cast<char*>(to));
    return true;
  }
  // Reserves zeroed memory for an object.
  std::uint64_t Add(std::size_t bytes) {
    const std::uint64_t at = base_ + bytes_.size();
    bytes_.resize(bytes_.size() + (bytes + 15) / 16 * 16);
    return at;
  }
  template <typename T>
  void Put(std::uint64_t address, T value) {
    std::memcpy(bytes_.data() + (address - base_), &value, sizeof(value));
  }
  void Put(std::uint64_t address, std::string_view bytes) {
    std::memcpy(bytes_.data() + (address - base_), bytes.data(), bytes.size());
  }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::uint64_t base_;
  std::string bytes_;
};

class FakePython {
 public:
  static constexpr std::uint64_t kBase = 0x7f0000000000;
  static constexpr std::uint64_t kCodeType = 0x7f1111111110;

  explicit FakePython(std::uint32_t version) : memory(kBase), layout_(LayoutOf(version)) {
    runtime_ = memory.Add(1024);
    interpreter_ = memory.Add(layout_.threads + layout_.next_interpreter + 16 + layout_.lock);
    lock_ = layout_.has_lock_in_runtime ? runtime_ + layout_.lock : memory.Add(64);
    if (!layout_.has_lock_in_runtime) memory.Put(interpreter_ + layout_.lock, lock_);
    memory.Put(runtime_ + layout_.interpreters, interpreter_);
  }

  // Three instructions, each on its own line.
  std::uint64_t AddCode(std::string_view name, std::string_view file, std::int32_t first_line) {
    const std::uint64_t code = memory.Add(512);
    memory.Put(code + layout_.type, kCodeType);
    memory.Put(code + layout_.qualified_name, AddText(name));
    memory.Put(code + layout_.file_name, AddText(file));
    memory.Put(code + layout_.first_line, first_line);
    const std::uint64_t table = memory.Add(layout_.bytes_data + 16);
    memory.Put(table + layout_.bytes_size, std::uint64_t{8});
    memory.Put(table + layout_.bytes_data, std::string_view("\x80\0\xd8\0\0\xd8\0\0", 8));
    memory.Put(code + layout_.line_table, table);
    return code;
  }

  // Code and instruction of its frames, outermost first. Returns the innermost frame's address.
  std::uint64_t AddThread(std::uint64_t id,
                          const std::vector<std::pair<std::uint64_t, std::uint64_t>>& frames,
                          bool holds_lock) {
    std::uint64_t previous = AddFrameOfC();
    for (const auto& [code, instruction] : frames) {
      const std::uint64_t frame = memory.Add(128);
      memory.Put(frame + layout_.previous_frame, previous);
      memory.Put(frame + layout_.code, code);
      memory.Put(frame + layout_.instruction, code + layout_.bytecode + 2 * instruction);
      previous = frame;
    }
    const std::uint64_t thread = memory.Add(512);
    std::uint64_t at = thread + layout_.current_frame;
    if (layout_.has_c_frame) {
      const std::uint64_t c_frame = memory.Add(64);
      memory.Put(at, c_frame);
      at = c_frame + layout_.frame_in_c_frame;
    }
    memory.Put(at, previous);
    memory.Put(thread + layout_.native_id, id);
    memory.Put(thread + layout_.next_thread, last_thread_);
    memory.Put(interpreter_ + layout_.threads, thread);
    if (holds_lock) {
      memory.Put(lock_ + layout_.lock_holder, thread);
      memory.Put(lock_ + layout_.lock_locked, std::int32_t{1});
    }
    last_thread_ = thread;
    return previous;
  }

  PythonPlace place() const { return {layout_, runtime_, kCodeType}; }
  const PythonLayout& layout() const { return layout_; }
  std::uint64_t last_thread() const { return last_thread_; }

  FakeMemory memory;

 private:
  // 3.13 in the way its own header describes it.
  static PythonLayout LayoutOf(std::uint32_t version) {
    if (version >> 16 != 0x030D) return *LayoutOfVersion(version);
    std::vector<std::byte> bytes(kDebugOffsetsBytes);
    const auto put = [&](std::size_t at, std::uint64_t value) {
      std::memcpy(bytes.data() + at, &value, sizeof(value));
    };
    std::memcpy(bytes.data(), "xdebugpy", 8);
    constexpr std::pair<std::size_t, std::uint64_t> kWords[] = {
        {40, 632},  {64, 7264}, {72, 7344}, {112, 16}, {120, 7000}, {136, 7016}, {144, 7008},
        {168, 8},   {184, 72},  {200, 160}, {232, 8},  {240, 0},    {248, 56},   {264, 70},
        {280, 112}, {296, 128}, {304, 136}, {312, 68}, {344, 200},  {360, 8},    {520, 16},
        {528, 32},  {544, 32},  {552, 16},  {560, 40}};
    put(8, version);
    for (const auto& [at, value] : kWords) put(at, value);
    return *LayoutOfDebugOffsets(bytes);
  }

  // Latin-1 text: stored as ASCII if possible, otherwise one byte per letter.
  std::uint64_t AddText(std::string_view utf8) {
    std::string letters;
    bool is_ascii = true;
    for (std::size_t i = 0; i < utf8.size(); ++i) {
      const auto byte = static_cast<unsigned char>(utf8[i]);
      is_ascii = is_ascii && byte < 0x80;
      if (byte < 0x80) letters += utf8[i];
      if (byte >= 0xC2)
        letters +=
            static_cast<char>((byte & 3) << 6 | (static_cast<unsigned char>(utf8[++i]) & 63));
    }
    const std::uint64_t text = memory.Add(80 + letters.size());
    memory.Put(text + layout_.text_length, std::uint64_t{letters.size()});
    memory.Put(text + layout_.text_state, std::uint32_t{1 << 2 | 1 << 5} | (is_ascii ? 64U : 0U));
    memory.Put(text + (is_ascii ? layout_.text_ascii : layout_.text_compact),
               std::string_view(letters));
    return text;
  }
  std::uint64_t AddFrameOfC() {
    if (layout_.has_lock_in_runtime) return 0;  // 3.11 has none
    const std::uint64_t frame = memory.Add(128);
    memory.Put(frame + layout_.owner, std::uint8_t{3});
    return frame;
  }

  PythonLayout layout_;
  std::uint64_t runtime_ = 0, interpreter_ = 0, lock_ = 0, last_thread_ = 0;
};

}  // namespace rankscope::cpu_profile
