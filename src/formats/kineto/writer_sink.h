// WriterSink: writes a trace's text, plain or gzip by the file name, complete or not at all.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/status.h"

namespace rankscope::kineto {

// Owns the unfinished file; if destroyed without Finish, it leaves no file. A name that ends in
// ".gz" is compressed while it is written (isa-l, level 1, 1 MiB of buffers). The compressed bytes
// depend on the code path that the library picks for the processor; the text does not. Not
// thread-safe.
class WriterSink {
 public:
  static Result<std::unique_ptr<WriterSink>> Create(const std::string& path);
  ~WriterSink();
  WriterSink(const WriterSink&) = delete;
  WriterSink& operator=(const WriterSink&) = delete;

  Status Write(std::string_view text);
  // Ends the gzip stream and gives the file its name. Nothing may follow.
  Status Finish();

  std::uint64_t text_bytes() const { return text_bytes_; }
  std::uint64_t file_bytes() const { return file_->written(); }

 private:
  struct Gzip;  // the compressor's state
  WriterSink(std::string path, std::unique_ptr<AtomicFile> file, std::unique_ptr<Gzip> gzip);
  Status Compress(std::string_view text, bool last);

  std::string path_;
  std::unique_ptr<AtomicFile> file_;
  std::unique_ptr<Gzip> gzip_;  // null = plain text
  std::uint64_t text_bytes_ = 0;
};

}  // namespace rankscope::kineto
