// ByteSource: the uncompressed bytes of a file, front to back, in bounded memory. Files are
// mapped window by window; gzip (also of many members) and zstd (also of many frames) are inflated
// as they are read, by ISA-L and libzstd.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "trace/quality.h"

namespace rankscope {

struct InflateLimits {
  // A file that inflates beyond `free_bytes` may be at most `max_ratio` times its compressed size;
  // real traces reach a ratio of 50.
  std::uint64_t free_bytes = std::uint64_t{1} << 30;
  std::uint64_t max_ratio = 400;
};

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills `to` with up to `capacity` bytes and returns how many; 0 = the end. Unreadable data
  // (corrupt or truncated gzip) ends the stream; problems() reports it.
  virtual std::size_t Read(char* to, std::size_t capacity) = 0;
  const QualityLog& problems() const { return problems_; }
  std::uint64_t file_bytes() const { return file_bytes_; }
  // Fraction of the file consumed so far, 0 to 1, for progress.
  virtual double fraction() const = 0;

 protected:
  QualityLog problems_;
  std::uint64_t file_bytes_ = 0;
};

// Opens `path`; gzip and zstd are recognised by their magic numbers, not by the name.
Result<std::unique_ptr<ByteSource>> OpenByteSource(const std::string& path,
                                                   const InflateLimits& limits = {});
// The same over memory, for tests and fuzzing; `bytes` must outlive the source.
std::unique_ptr<ByteSource> OpenByteSource(std::string_view bytes,
                                           const InflateLimits& limits = {});

}  // namespace rankscope
