#include "formats/byte_source.h"

#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "base/file.h"

namespace rankscope {
namespace {

bool IsGzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }
bool IsZstd(std::string_view bytes) { return bytes.starts_with("\x28\xb5\x2f\xfd"); }

class PlainSource : public ByteSource {
 public:
  explicit PlainSource(std::string_view bytes, std::unique_ptr<MappedFile> file = nullptr)
      : file_(std::move(file)), bytes_(bytes) {
    file_bytes_ = bytes.size();
  }
  std::size_t Read(char* to, std::size_t capacity) override {
    const std::size_t count = std::min(capacity, bytes_.size() - position_);
    if (count != 0) std::memcpy(to, bytes_.data() + position_, count);
    position_ += count;
    if (file_) file_->DropBefore(position_);
    return count;
  }
  double fraction() const override {
    return bytes_.empty() ? 1.0
                          : static_cast<double>(position_) / static_cast<double>(bytes_.size());
  }

 private:
  std::unique_ptr<MappedFile> file_;
  std::string_view bytes_;
  std::size_t position_ = 0;
};

class GzipSource : public ByteSource {
 public:
  GzipSource(std::string_view bytes, const InflateLimits& limits,
             std::unique_ptr<MappedFile> file = nullptr)
      : file_(std::move(file)),
        bytes_(bytes),
        limits_(limits),
        state_(std::make_unique<inflate_state>()) {
    file_bytes_ = bytes.size();
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
                      "the gzip data ends before its end mark: the file was cut off, and "
                      "everything before that was read");
      }
      if (inflated_ > limits_.free_bytes && inflated_ > limits_.max_ratio * Consumed()) {
        done_ = true;
        problems_.Add(QualityCode::kTooLarge, static_cast<std::int64_t>(inflated_),
                      "the gzip data inflates far more than any trace does; reading stopped here");
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
    if (file_) file_->DropBefore(position_);
    const std::size_t count = std::min<std::size_t>(bytes_.size() - position_, 1U << 20);
    state_->next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(bytes_.data() + position_));
    state_->avail_in = static_cast<std::uint32_t>(count);
    position_ += count;
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
    const std::string_view rest = bytes_.substr(position_);
    if (IsGzip(rest)) return StartMember();
    done_ = true;
    if (rest.find_first_not_of('\0') != std::string_view::npos) {
      problems_.Add(QualityCode::kTrailingGarbage, static_cast<std::int64_t>(inflated_),
                    "bytes after the end of the gzip data were ignored");
    }
  }

  std::unique_ptr<MappedFile> file_;
  std::string_view bytes_;
  InflateLimits limits_;
  std::unique_ptr<inflate_state> state_;
  std::size_t position_ = 0;  // bytes handed to the inflater
  std::uint64_t inflated_ = 0;
  bool done_ = false;
};

class ZstdSource : public ByteSource {
 public:
  ZstdSource(std::string_view bytes, const InflateLimits& limits,
             std::unique_ptr<MappedFile> file = nullptr)
      : file_(std::move(file)), bytes_(bytes), limits_(limits), stream_(ZSTD_createDStream()) {
    file_bytes_ = bytes.size();
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
    if (file_) file_->DropBefore(position_);
    ZSTD_inBuffer in{bytes_.data() + position_, std::min(kPiece, bytes_.size() - position_), 0};
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
    const bool is_at_end = position_ == bytes_.size();
    if (is_at_end && result == 0) {
      done_ = true;
    } else if (is_at_end && in.pos == 0 && out.pos == had) {
      done_ = true;
      problems_.Add(QualityCode::kTruncated, at,
                    "the zstd data ends before its end mark: the file was cut off, and everything "
                    "before that was read");
    }
    if (inflated_ > limits_.free_bytes && inflated_ > limits_.max_ratio * position_) {
      done_ = true;
      problems_.Add(QualityCode::kTooLarge, at,
                    "the zstd data inflates far more than any trace does; reading stopped here");
    }
  }

  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };

  std::unique_ptr<MappedFile> file_;
  std::string_view bytes_;
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
  RS_ASSIGN_OR_RETURN(auto file, MappedFile::Open(path));
  file->WillReadSequentially();
  const std::string_view bytes = file->text();
  if (IsGzip(bytes)) {
    return std::unique_ptr<ByteSource>(
        std::make_unique<GzipSource>(bytes, limits, std::move(file)));
  }
  if (IsZstd(bytes)) {
    return std::unique_ptr<ByteSource>(
        std::make_unique<ZstdSource>(bytes, limits, std::move(file)));
  }
  return std::unique_ptr<ByteSource>(std::make_unique<PlainSource>(bytes, std::move(file)));
}

std::unique_ptr<ByteSource> OpenByteSource(std::string_view bytes, const InflateLimits& limits) {
  if (IsGzip(bytes)) return std::make_unique<GzipSource>(bytes, limits);
  if (IsZstd(bytes)) return std::make_unique<ZstdSource>(bytes, limits);
  return std::make_unique<PlainSource>(bytes);
}

}  // namespace rankscope
