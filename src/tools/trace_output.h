// TraceOutput: a trace written event by event, packed on all cores, whole or not at all.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "formats/base/packed_file.h"
#include "formats/kineto/edit/event_edit.h"

namespace rankscope::tools {

// Events of one chunk: each has the separator in front of it, also the first.
struct EventBlock {
  std::string text;
  PackedBlock packed;
  bool is_packed = false;

  void Clear() {
    text.clear();
    is_packed = false;
  }
  // Where the next event's text goes.
  std::string& Next() {
    text += ",\n";
    return text;
  }
};

class TraceOutput {
 public:
  // gzip or zstd by the name's end.
  static Result<std::unique_ptr<TraceOutput>> Create(const std::string& path,
                                                     const kineto::TopValues& values,
                                                     bool is_array);

  Packing packing() const { return file_->packing(); }
  // On any thread, with a packer of the thread's own for packing().
  Status Pack(EventBlock& block, BlockPacker& packer) const;
  // In order, one at a time.
  Status Append(const EventBlock& block);
  Status Append(std::string_view events);
  // `behind`: outer values that were not known before; none for a bare list.
  Status Finish(const kineto::TopValues& behind = {});

  std::uint64_t text_bytes() const { return file_->text_bytes(); }

 private:
  TraceOutput(std::unique_ptr<PackedFile> file, bool is_array)
      : file_(std::move(file)), is_array_(is_array) {}

  std::unique_ptr<PackedFile> file_;
  bool is_array_;
  std::atomic<bool> has_events_{false};  // the first event goes without its separator
};

}  // namespace rankscope::tools
