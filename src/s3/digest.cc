#include "s3/digest.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>

#include "base/base64.h"
#include "base/file.h"

namespace rankscope::s3 {
namespace {

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, FreeContext>;

Context Begin() {
  Context context(EVP_MD_CTX_new());
  // Neither fails but for want of memory.
  if (context == nullptr || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1)
    throw std::bad_alloc();
  return context;
}

std::string End(const Context& context) {
  std::array<unsigned char, 32> digest{};
  EVP_DigestFinal_ex(context.get(), digest.data(), nullptr);
  return Hex({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

}  // namespace

std::string Base64OfHex(std::string_view hex) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    const int high = digit(hex[i]), low = digit(hex[i + 1]);
    if (high < 0 || low < 0) return "";
    bytes += static_cast<char>(high * 16 + low);
  }
  return ToBase64(bytes);
}

std::string Hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

std::string HexSha256(std::string_view text) {
  const Context context = Begin();
  EVP_DigestUpdate(context.get(), text.data(), text.size());
  return End(context);
}

Result<std::string> HexSha256OfPart(const std::string& path, std::uint64_t offset,
                                    std::uint64_t bytes) {
  RS_ASSIGN_OR_RETURN(const auto file, FileWindow::Open(path));
  const Context context = Begin();
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
  for (std::uint64_t done = 0; done < bytes;) {
    const std::string_view piece = file->At(offset + done, std::min(kPiece, bytes - done));
    if (piece.empty())
      return Error(StatusCode::kIo, "{}: cannot read it at byte {}", path, offset + done);
    EVP_DigestUpdate(context.get(), piece.data(), piece.size());
    done += piece.size();
  }
  return End(context);
}

std::string HmacSha256(std::string_view key, std::string_view text) {
  std::array<unsigned char, 32> digest{};
  unsigned int size = 0;
  // Keys and texts are short, so it fails for want of memory alone.
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(),
           &size) == nullptr) {
    throw std::bad_alloc();
  }
  return {reinterpret_cast<const char*>(digest.data()), size};
}

}  // namespace rankscope::s3
