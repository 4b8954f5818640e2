// PackedFile: a file written as plain text, gzip or zstd, complete or not at all. Any number of
// threads pack blocks of text (BlockPacker); one thread appends them in order.
//
// gzip: one member, which every reader accepts. Each block is deflated separately (isa-l, level 1)
// and ends on a byte boundary; the checksums are combined. zstd: one frame per block (level 3). The
// packed bytes depend on how the text is cut into blocks; the text does not.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/status.h"

namespace rankscope {

enum class Packing : std::uint8_t { kPlain, kGzip, kZstd };
// By the extension: .gz, .zst, otherwise plain.
Packing PackingOf(std::string_view path);

struct PackedBlock {
  std::string bytes;
  std::uint32_t crc = 0;  // of the text, for gzip
  std::uint64_t text_bytes = 0;
};

// Packs blocks of any size; one per thread. About 300 KB of state for gzip, 3 MB for zstd.
class BlockPacker {
 public:
  explicit BlockPacker(Packing packing);
  ~BlockPacker();
  BlockPacker(const BlockPacker&) = delete;
  BlockPacker& operator=(const BlockPacker&) = delete;

  // Replaces the content of `block`; an empty text packs to nothing.
  Status Pack(std::string_view text, PackedBlock& block);

 private:
  struct State;
  Packing packing_;
  std::unique_ptr<State> state_;
};

class PackedFile {
 public:
  static Result<std::unique_ptr<PackedFile>> Create(const std::string& path);

  Packing packing() const { return packing_; }
  // A block packed for packing().
  Status Append(const PackedBlock& block);
  // Packs the text here and appends it; meant for few, large texts.
  Status Write(std::string_view text);
  // Ends the stream and gives the file its name. Call last. Without Finish no file remains.
  Status Finish();

  std::uint64_t text_bytes() const { return text_bytes_; }
  std::uint64_t file_bytes() const { return file_->written(); }

 private:
  PackedFile(std::unique_ptr<AtomicFile> file, Packing packing)
      : file_(std::move(file)), packing_(packing) {}

  std::unique_ptr<AtomicFile> file_;
  Packing packing_;
  bool has_header_ = false;
  std::uint32_t crc_ = 0;
  std::uint64_t text_bytes_ = 0;
};

}  // namespace rankscope
