#include "engine/partials.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "engine/packing.h"

namespace rankscope {
namespace {

constexpr std::uint64_t kMagic = 0x3453'5452'4150'5352;  // "RSPARTS4"

}  // namespace

void Partials::Set(const std::string& stage, std::string_view bytes) {
  SetPacked(stage, Pack(bytes));
}

void Partials::KeepOnly(const std::function<bool(std::string_view stage)>& is_kept) {
  std::erase_if(packed_, [&](const auto& stage) { return !is_kept(stage.first); });
}

std::optional<std::string> Partials::Get(std::string_view stage) const {
  const auto found = packed_.find(stage);
  if (found == packed_.end()) return std::nullopt;
  return Unpack(found->second);
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
