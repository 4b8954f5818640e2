#include "engine/partials.h"

#include <zstd.h>

#include <algorithm>
#include <memory>

#include "base/bytes.h"
#include "base/check.h"
#include "base/hash.h"

namespace rankscope {
namespace {

constexpr std::uint64_t kMagic = 0x3353'5452'4150'5352;  // "RSPARTS3"
// A claim of more is damage: what packs better is kept as it is.
constexpr std::uint64_t kMostInflation = 1000;
// Packing is a part of every run that reads traces: fast before tight.
constexpr int kLevel = 1;

constexpr std::uint8_t kNone = 0;
constexpr std::uint8_t kZstd = 1;

}  // namespace

std::string Partials::Pack(std::string_view bytes) {
  ByteWriter header;
  header.Put(kZstd);
  header.Put(static_cast<std::uint64_t>(bytes.size()));
  std::string packed = header.bytes();
  const std::size_t header_bytes = packed.size();
  // By pieces: what is packed is a fraction of what a bound would hold ready.
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(),
                                                                        ZSTD_freeCCtx);
  RS_CHECK(context != nullptr, "zstd could not begin: no memory is left");
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setPledgedSrcSize(context.get(), bytes.size());
  std::string piece(std::min(ZSTD_CStreamOutSize(), ZSTD_compressBound(bytes.size())), '\0');
  ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
  for (std::size_t left = 1; left != 0;) {
    ZSTD_outBuffer out = {piece.data(), piece.size(), 0};
    left = ZSTD_compressStream2(context.get(), &out, &in, ZSTD_e_end);
    RS_CHECK(ZSTD_isError(left) == 0, "zstd could not pack: {}",
             ZSTD_getErrorName(left));  // only for want of memory
    packed.append(piece, 0, out.pos);
  }
  const std::size_t size = packed.size() - header_bytes;
  if (size < bytes.size() && bytes.size() <= size * kMostInflation) return packed;
  ByteWriter plain;
  plain.Put(kNone);
  plain.Put(static_cast<std::uint64_t>(bytes.size()));
  return plain.bytes() + std::string(bytes);
}

void Partials::KeepOnly(const std::function<bool(std::string_view stage)>& is_kept) {
  std::erase_if(packed_, [&](const auto& stage) { return !is_kept(stage.first); });
}

std::optional<std::string> Partials::Get(std::string_view stage) const {
  const auto found = packed_.find(stage);
  if (found == packed_.end()) return std::nullopt;
  std::string_view packed = found->second;
  ByteReader header(packed);
  const auto packing = header.Get<std::uint8_t>();
  const auto raw_size = header.Get<std::uint64_t>();
  if (!header.ok()) return std::nullopt;
  packed.remove_prefix(sizeof(packing) + sizeof(raw_size));
  if (packing == kNone)
    return packed.size() == raw_size ? std::optional(std::string(packed)) : std::nullopt;
  if (packing != kZstd || raw_size > packed.size() * kMostInflation) return std::nullopt;
  std::string bytes(raw_size, '\0');
  const std::size_t size =
      ZSTD_decompress(bytes.data(), bytes.size(), packed.data(), packed.size());
  if (ZSTD_isError(size) != 0 || size != raw_size) return std::nullopt;
  return bytes;
}

std::string Partials::Encode() const {
  ByteWriter body;
  body.Put(static_cast<std::uint64_t>(packed_.size()));
  for (const auto& [stage, packed] : packed_) {
    body.PutString(stage);
    body.PutString(packed);
  }
  ByteWriter header;
  header.Put(kMagic);
  header.Put(Checksum64(body.bytes().data(), body.bytes().size()));
  return header.bytes() + body.bytes();
}

std::optional<Partials> Partials::Decode(std::string_view bytes) {
  ByteReader header(bytes);
  const auto magic = header.Get<std::uint64_t>();
  const auto checksum = header.Get<std::uint64_t>();
  if (!header.ok() || magic != kMagic) return std::nullopt;
  bytes.remove_prefix(sizeof(magic) + sizeof(checksum));
  if (Checksum64(bytes.data(), bytes.size()) != checksum) return std::nullopt;
  ByteReader body(bytes);
  Partials partials;
  for (auto count = body.GetCount(16); count > 0; --count) {
    std::string stage = body.GetString();
    partials.packed_[std::move(stage)] = body.GetString();
  }
  return body.ok() && body.at_end() ? std::optional(std::move(partials)) : std::nullopt;
}

}  // namespace rankscope
