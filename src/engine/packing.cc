#include "engine/packing.h"

#include <zstd.h>

#include <utility>

#include "base/bytes.h"
#include "base/check.h"

namespace rankscope {
namespace {

// A claim of more is damage: what packs better is kept as it is.
constexpr std::uint64_t kMostInflation = 1000;
// Packing is a part of every run that reads traces: fast before tight. Below level 1 the caches of
// 1,000 ranks are a twenty-fifth larger, and packing takes 0.4 s less of 20.
constexpr int kLevel = -3;
// As many wait for being packed together.
constexpr std::size_t kPieceBytes = std::size_t{128} << 10;

constexpr std::uint8_t kPlain = 0;
constexpr std::uint8_t kZstd = 1;
constexpr std::size_t kHeaderBytes = 1 + 8;

std::string Header(std::uint8_t kind, std::uint64_t size) {
  ByteWriter header;
  header.Put(kind);
  header.Put(size);
  return header.bytes();
}

// Making one anew costs as much as packing some 100 kB.
ZSTD_DCtx* UnpackingOfThisThread() {
  thread_local const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(
      ZSTD_createDCtx(), ZSTD_freeDCtx);
  RS_CHECK(context != nullptr, "zstd could not begin: no memory is left");
  return context.get();
}

}  // namespace

struct Packer::State {
  State() : context(ZSTD_createCCtx(), ZSTD_freeCCtx) {
    RS_CHECK(context != nullptr, "zstd could not begin: no memory is left");
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  }

  // What no Packer of this thread uses.
  static std::unique_ptr<State>& Idle() {
    thread_local std::unique_ptr<State> idle;
    return idle;
  }

  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context;
  std::string piece;
};

Packer::Packer() : state_(std::move(State::Idle())), packed_(kHeaderBytes, '\0') {
  if (state_ == nullptr) state_ = std::make_unique<State>();
}

Packer::~Packer() {
  ZSTD_CCtx_reset(state_->context.get(), ZSTD_reset_session_only);
  State::Idle() = std::move(state_);
}

void Packer::Put(std::string_view bytes) {
  size_ += bytes.size();
  while (waiting_.size() + bytes.size() > kPieceBytes) {
    const std::size_t fits = kPieceBytes - waiting_.size();
    waiting_.append(bytes.substr(0, fits));
    bytes.remove_prefix(fits);
    Compress(false);
    waiting_.clear();
  }
  waiting_.append(bytes);
}

std::string Packer::Finish() {
  const bool is_whole = waiting_.size() == size_;
  // zstd takes less memory and time for what it knows to be small.
  if (is_whole) ZSTD_CCtx_setPledgedSrcSize(state_->context.get(), size_);
  Compress(true);
  packed_.replace(0, kHeaderBytes, Header(kZstd, size_));
  const std::size_t bytes = packed_.size() - kHeaderBytes;
  if (is_whole && bytes >= size_) return Header(kPlain, size_) + waiting_;
  if (size_ <= bytes * kMostInflation) return std::move(packed_);
  std::string plain(size_, '\0');
  ZSTD_decompressDCtx(UnpackingOfThisThread(), plain.data(), plain.size(),
                      packed_.data() + kHeaderBytes, bytes);
  return Header(kPlain, size_) + plain;
}

void Packer::Compress(bool is_end) {
  ZSTD_inBuffer in = {waiting_.data(), waiting_.size(), 0};
  std::string& piece = state_->piece;
  piece.resize(ZSTD_CStreamOutSize());
  std::size_t left = 0;
  do {
    ZSTD_outBuffer out = {piece.data(), piece.size(), 0};
    left = ZSTD_compressStream2(state_->context.get(), &out, &in,
                                is_end ? ZSTD_e_end : ZSTD_e_continue);
    RS_CHECK(ZSTD_isError(left) == 0, "zstd could not pack: {}",
             ZSTD_getErrorName(left));  // only for want of memory
    packed_.append(piece, 0, out.pos);
  } while (in.pos < in.size || (is_end && left != 0));
}

std::string Pack(std::string_view bytes) {
  Packer packer;
  packer.Put(bytes);
  return packer.Finish();
}

std::optional<std::string> Unpack(std::string_view packed) {
  ByteReader header(packed);
  const auto kind = header.Get<std::uint8_t>();
  const auto size = header.Get<std::uint64_t>();
  if (!header.ok()) return std::nullopt;
  packed.remove_prefix(kHeaderBytes);
  if (kind == kPlain)
    return packed.size() == size ? std::optional(std::string(packed)) : std::nullopt;
  if (kind != kZstd || size > packed.size() * kMostInflation) return std::nullopt;
  std::string bytes(size, '\0');
  const std::size_t unpacked = ZSTD_decompressDCtx(UnpackingOfThisThread(), bytes.data(),
                                                   bytes.size(), packed.data(), packed.size());
  if (ZSTD_isError(unpacked) != 0 || unpacked != size) return std::nullopt;
  return bytes;
}

}  // namespace rankscope
