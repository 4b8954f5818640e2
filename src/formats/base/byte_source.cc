#include "formats/base/byte_source.h"

#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "base/file.h"

namespace rankscope {
namespace {

bool IsGzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }
bool IsZstd(std::string_view bytes) { return bytes.starts_with("\x28\xb5\x2f\xfd"); }

// The bytes as they are stored: of memory, or of a file.
class Stored {
 public:
  explicit Stored(std::string_view bytes) : bytes_(bytes), size_(bytes.size()) {}
  explicit Stored(std::unique_ptr<FileWindow> file)
      : file_(std::move(file)), size_(file_->size()) {}

  std::size_t size() const { return size_; }
  // Up to `most` bytes from `offset` on, at least one before the end; valid until the next call.
  std::string_view At(std::size_t offset, std::size_t most) {
    if (offset >= size_) return {};
    const std::string_view piece = file_ ? file_->At(offset, most) : bytes_.substr(offset, most);
    is_refused_ |= piece.empty();
    return piece;
  }
  // The system did not give what is there.
  bool is_refused() const { return is_refused_; }

 private:
  std::unique_ptr<FileWindow> file_;
  std::string_view bytes_;
  std::size_t size_;
  bool is_refused_ = false;
};

constexpr std::string_view kRefused =
    "the file cannot be read on: the system gives no address space or the file vanished";

class PlainSource : public ByteSource {
 public:
  explicit PlainSource(Stored bytes) : bytes_(std::move(bytes)) { file_bytes_ = bytes_.size(); }
  std::size_t Read(char* to, std::size_t capacity) override {
    const std::string_view piece = bytes_.At(position_, capacity);
    if (!piece.empty()) std::memcpy(to, piece.data(), piece.size());
    position_ += piece.size();
    if (bytes_.is_refused() && problems_.entries().empty())
      problems_.Add(QualityCode::kTruncated, static_cast<std::int64_t>(position_), kRefused);
    return piece.size();
  }
  double fraction() const override {
    return bytes_.size() == 0 ? 1.0
                              : static_cast<double>(position_) / static_cast<double>(bytes_.size());
  }

 private:
  Stored bytes_;
  std::size_t position_ = 0;
};

class GzipSource : public ByteSource {
 public:
  GzipSource(Stored bytes, const InflateLimits& limits)
      : bytes_(std::move(bytes)),
        limits_(limits),
        state_(std::make_unique_for_overwrite<inflate_state>()) {
    file_bytes_ = bytes_.size();
    StartMember();
  }

  std::size_t Read(char* to, std::size_t capacity) override {
    std::size_t filled = 0;
    while (filled < capacity && !done_) {
      RefillInput();
      state_->next_out = reinterpret_cast<std::uint8_t*>(to + filled);
      state_->avail_out =
          static_cast<std::uint32_t>(std::min<std::size_t>(capacity - filled, UINT32_MAX / 2));
      const std::uint32_t had = state_->avail_out;
      const std::uint32_t had_input = state_->avail_in;
      const int result = isal_inflate(state_.get());
      const std::size_t made = had - state_->avail_out;
      filled += made;
      inflated_ += made;
      if (result != ISAL_DECOMP_OK) {
        Fail(result);
      } else if (state_->block_state == ISAL_BLOCK_FINISH) {
        NextMember();
      } else if (made == 0 && had_input == state_->avail_in) {
        done_ = true;  // all input is used and the member is not finished
        problems_.Add(QualityCode::kTruncated, static_cast<std::int64_t>(inflated_),
                      bytes_.is_refused()
                          ? kRefused
                          : "the gzip data ends before its end mark: the file was cut off, and "
                            "everything before that was read");
      }
      if (inflated_ > limits_.free_bytes && inflated_ > limits_.max_ratio * Consumed()) {
        done_ = true;
        problems_.Add(QualityCode::kInflateLimit, static_cast<std::int64_t>(inflated_),
                      "the gzip data inflates far more than any trace does, so reading stopped "
                      "here: record anew, or leave the file out");
      }
    }
    return filled;
  }

  double fraction() const override {
    return static_cast<double>(Consumed()) /
           static_cast<double>(std::max<std::size_t>(bytes_.size(), 1));
  }

 private:
  void StartMember() {
    isal_inflate_init(state_.get());
    state_->crc_flag = ISAL_GZIP;
  }
  std::size_t Consumed() const { return position_ - state_->avail_in; }

  void RefillInput() {
    if (state_->avail_in != 0) return;
    const std::string_view piece = bytes_.At(position_, 1U << 20);
    state_->next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(piece.data()));
    state_->avail_in = static_cast<std::uint32_t>(piece.size());
    position_ += piece.size();
  }

  void Fail(int result) {
    done_ = true;
    state_->avail_in = 0;  // after an error ISA-L 2.30 may leave more in it than there was
    const auto at = static_cast<std::int64_t>(inflated_);
    if (result == ISAL_INCORRECT_CHECKSUM) {
      problems_.Add(QualityCode::kCorruptGzip, at,
                    "the gzip checksum does not match: some of the content may be wrong; copy the "
                    "file again");
    } else {
      problems_.Add(QualityCode::kCorruptGzip, at,
                    "the gzip data is damaged here: everything before was read, the rest is lost; "
                    "copy the file again");
    }
  }

  // A member is over: goes on with the next one, ends at the end, and reports anything else.
  void NextMember() {
    position_ = Consumed();
    state_->avail_in = 0;
    if (IsMember()) return StartMember();
    done_ = true;
    if (HasMoreThanZeros()) {
      problems_.Add(QualityCode::kTrailingGarbage, static_cast<std::int64_t>(inflated_),
                    "bytes after the end of the gzip data were ignored");
    }
  }

  // Another member begins here; its two bytes may lie in two windows.
  bool IsMember() {
    std::string magic;
    for (std::size_t i = 0; i < 2; ++i) magic += bytes_.At(position_ + i, 1);
    return IsGzip(magic);
  }
  bool HasMoreThanZeros() {
    for (std::size_t at = position_; at < bytes_.size();) {
      const std::string_view piece = bytes_.At(at, 1U << 20);
      if (piece.empty()) return false;
      if (piece.find_first_not_of('\0') != std::string_view::npos) return true;
      at += piece.size();
    }
    return false;
  }

  Stored bytes_;
  InflateLimits limits_;
  std::unique_ptr<inflate_state> state_;  // 87 kB, of which StartMember sets what is read
  std::size_t position_ = 0;              // bytes handed to the inflater
  std::uint64_t inflated_ = 0;
  bool done_ = false;
};

class ZstdSource : public ByteSource {
 public:
  ZstdSource(Stored bytes, const InflateLimits& limits)
      : bytes_(std::move(bytes)), limits_(limits), stream_(ZSTD_createDStream()) {
    file_bytes_ = bytes_.size();
    if (stream_ == nullptr) {
      done_ = true;
      problems_.Add(QualityCode::kOther, 0, "there is no memory to unpack the zstd data");
    }
  }

  std::size_t Read(char* to, std::size_t capacity) override {
    ZSTD_outBuffer out{to, capacity, 0};
    while (out.pos < out.size && !done_) Step(out);
    return out.pos;
  }

  double fraction() const override {
    return static_cast<double>(position_) /
           static_cast<double>(std::max<std::size_t>(bytes_.size(), 1));
  }

 private:
  // What is handed over at once, so that the pages before can be given back.
  static constexpr std::size_t kPiece = std::size_t{1} << 20;

  void Step(ZSTD_outBuffer& out) {
    const std::string_view piece = bytes_.At(position_, kPiece);
    ZSTD_inBuffer in{piece.data(), piece.size(), 0};
    const std::size_t had = out.pos;
    const std::size_t result = ZSTD_decompressStream(stream_.get(), &out, &in);
    position_ += in.pos;
    inflated_ += out.pos - had;
    const auto at = static_cast<std::int64_t>(inflated_);
    if (ZSTD_isError(result) != 0) {
      done_ = true;
      const bool is_behind = is_between_frames_ && inflated_ > 0;
      problems_.Add(is_behind ? QualityCode::kTrailingGarbage : QualityCode::kCorruptGzip, at,
                    is_behind ? "bytes after the end of the zstd data were ignored"
                              : "the zstd data is damaged here, or packed with a window above 128 "
                                "MiB: everything before was read, the rest is lost; copy the file "
                                "again");
      return;
    }
    is_between_frames_ = result == 0;
    const bool is_at_end = position_ == bytes_.size() || bytes_.is_refused();
    if (is_at_end && result == 0) {
      done_ = true;
    } else if (is_at_end && in.pos == 0 && out.pos == had) {
      done_ = true;
      problems_.Add(
          QualityCode::kTruncated, at,
          bytes_.is_refused()
              ? kRefused
              : "the zstd data ends before its end mark: the file was cut off, and everything "
                "before that was read");
    }
    if (inflated_ > limits_.free_bytes && inflated_ > limits_.max_ratio * position_) {
      done_ = true;
      problems_.Add(QualityCode::kInflateLimit, at,
                    "the zstd data inflates far more than any trace does, so reading stopped here: "
                    "record anew, or leave the file out");
    }
  }

  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };

  Stored bytes_;
  InflateLimits limits_;
  std::unique_ptr<ZSTD_DStream, Free> stream_;
  std::size_t position_ = 0;  // bytes unpacked
  std::uint64_t inflated_ = 0;
  bool is_between_frames_ = true;
  bool done_ = false;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> OpenByteSource(const std::string& path,
                                                   const InflateLimits& limits) {
  RS_ASSIGN_OR_RETURN(auto file, FileWindow::Open(path));
  const std::string_view head = file->At(0, 4);
  if (IsGzip(head)) {
    return std::unique_ptr<ByteSource>(
        std::make_unique<GzipSource>(Stored(std::move(file)), limits));
  }
  if (IsZstd(head)) {
    return std::unique_ptr<ByteSource>(
        std::make_unique<ZstdSource>(Stored(std::move(file)), limits));
  }
  return std::unique_ptr<ByteSource>(std::make_unique<PlainSource>(Stored(std::move(file))));
}

std::unique_ptr<ByteSource> OpenByteSource(std::string_view bytes, const InflateLimits& limits) {
  if (IsGzip(bytes)) return std::make_unique<GzipSource>(Stored(bytes), limits);
  if (IsZstd(bytes)) return std::make_unique<ZstdSource>(Stored(bytes), limits);
  return std::make_unique<PlainSource>(Stored(bytes));
}

}  // namespace rankscope
