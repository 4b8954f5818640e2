#include "store/sha256.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <new>

#include "base/file.h"

namespace rankscope::store {

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  // Neither fails but for want of memory.
  if (context_ == nullptr || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1)
    throw std::bad_alloc();
}

void Sha256::Add(const void* data, std::size_t size) {
  EVP_DigestUpdate(context_.get(), data, size);
}

std::string Sha256::Hex() {
  std::array<unsigned char, 32> digest{};
  EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * digest.size());
  for (const unsigned char byte : digest) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

std::string Sha256Of(std::string_view text) {
  Sha256 hash;
  hash.Add(text);
  return hash.Hex();
}

Result<std::string> Sha256OfFile(const std::string& path) {
  RS_ASSIGN_OR_RETURN(const auto file, FileWindow::Open(path));
  Sha256 hash;
  std::size_t at = 0;
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  while (at < file->size()) {
    const std::string_view piece = file->At(at, kPiece);
    if (piece.empty()) return Error(StatusCode::kIo, "{}: cannot read it at byte {}", path, at);
    hash.Add(piece);
    at += piece.size();
  }
  return hash.Hex();
}

bool IsSha256(std::string_view text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace rankscope::store
