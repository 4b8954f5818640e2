#include "engine/partials.h"

#include <zlib.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/hash.h"

namespace rankscope {
namespace {

constexpr std::uint64_t kMagic = 0x3253'5452'4150'5352;  // "RSPARTS2"
// Deflate cannot do better, so a claim beyond it is damage.
constexpr std::uint64_t kMostInflation = 1100;
// More than that, such as the nodes of a replay, is packed fast rather than tight.
constexpr std::size_t kLargeBytes = std::size_t{1} << 20;

const Bytef* AsBytes(std::string_view bytes) {
  return reinterpret_cast<const Bytef*>(bytes.data());
}

}  // namespace

std::string Partials::Pack(std::string_view bytes) {
  ByteWriter packed;
  packed.Put(static_cast<std::uint64_t>(bytes.size()));
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string deflated(size, '\0');
  const int code = compress2(reinterpret_cast<Bytef*>(deflated.data()), &size, AsBytes(bytes),
                             static_cast<uLong>(bytes.size()),
                             bytes.size() > kLargeBytes ? Z_BEST_SPEED : Z_DEFAULT_COMPRESSION);
  RS_CHECK(code == Z_OK, "zlib could not deflate: {}", code);  // only for want of memory
  deflated.resize(size);
  return packed.bytes() + deflated;
}

void Partials::KeepOnly(const std::function<bool(std::string_view stage)>& is_kept) {
  std::erase_if(packed_, [&](const auto& stage) { return !is_kept(stage.first); });
}

std::optional<std::string> Partials::Get(std::string_view stage) const {
  const auto found = packed_.find(stage);
  if (found == packed_.end()) return std::nullopt;
  std::string_view packed = found->second;
  ByteReader header(packed);
  const auto raw_size = header.Get<std::uint64_t>();
  if (!header.ok() || raw_size > packed.size() * kMostInflation) return std::nullopt;
  packed.remove_prefix(sizeof(raw_size));
  std::string bytes(raw_size, '\0');
  uLongf size = static_cast<uLongf>(raw_size);
  const int code = uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size, AsBytes(packed),
                              static_cast<uLong>(packed.size()));
  if (code != Z_OK || size != raw_size) return std::nullopt;
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
