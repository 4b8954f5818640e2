// TraceOutput: writes a trace event by event, compressed on all cores; complete or not at all.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "formats/base/packed_file.h"
#include "formats/kineto/edit/event_edit.h"

namespace rankscope::tools {

// Events of one chunk; each one, including the first, is preceded by the separator.
struct EventBlock {
  std::string text;
  PackedBlock packed;
  bool is_packed = false;

  void Clear() {
    text.clear();
    is_packed = false;
  }
  // The place for the next event's text.
  std::string& Next() {
    text += ",\n";
    return text;
  }
};

class TraceOutput {
 public:
  // gzip or zstd according to the extension.
  static Result<std::unique_ptr<TraceOutput>> Create(const std::string& path,
                                                     const kineto::TopValues& values,
                                                     bool is_array);

  Packing packing() const { return file_->packing(); }
  // Call on any thread, with that thread's own packer for packing().
  Status Pack(EventBlock& block, BlockPacker& packer) const;
  // Call in order, on one thread at a time.
  Status Append(const EventBlock& block);
  Status Append(std::string_view events);
  // `behind`: outer values that were unknown before; must be empty for a bare list.
  Status Finish(const kineto::TopValues& behind = {});

  std::uint64_t text_bytes() const { return file_->text_bytes(); }

 private:
  TraceOutput(std::unique_ptr<PackedFile> file, bool is_array)
      : file_(std::move(file)), is_array_(is_array) {}

  std::unique_ptr<PackedFile> file_;
  bool is_array_;
  std::atomic<bool> has_events_{false};  // the first event has no separator
};

}  // namespace rankscope::tools
