// A provider's key for tests: signs tokens, and forges them.
#pragma once

#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rsa.h>

#include <array>
#include <memory>
#include <string>

#include "base/base64.h"

namespace rankscope::oidc {

class Signer {
 public:
  explicit Signer(bool is_rsa, std::string id = "k1")
      : is_rsa_(is_rsa),
        id_(std::move(id)),
        key_(is_rsa ? EVP_RSA_gen(2048) : EVP_EC_gen("P-256"), EVP_PKEY_free) {}

  std::string Jwk() const {
    if (is_rsa_) {
      return R"({"kty":"RSA","use":"sig","kid":")" + id_ + R"(","n":")" + Number("n", 256) +
             R"(","e":")" + Number("e", 3) + "\"}";
    }
    return R"({"kty":"EC","crv":"P-256","kid":")" + id_ + R"(","x":")" + Number("qx", 32) +
           R"(","y":")" + Number("qy", 32) + "\"}";
  }
  std::string Jwks() const { return "{\"keys\":[" + Jwk() + "]}"; }

  std::string Header() const {
    return std::string(R"({"alg":")") + (is_rsa_ ? "RS256" : "ES256") + R"(","kid":")" + id_ +
           "\"}";
  }
  std::string Token(const std::string& claims) const { return TokenWith(Header(), claims); }
  std::string TokenWith(const std::string& header, const std::string& claims) const {
    const std::string text = ToBase64Url(header) + "." + ToBase64Url(claims);
    return text + "." + ToBase64Url(Signature(text, header.find("PS256") != std::string::npos));
  }
  // Signed by HMAC with `secret`, an attack that needs only the public key.
  static std::string Forged(const std::string& header, const std::string& claims,
                            const std::string& secret) {
    const std::string text = ToBase64Url(header) + "." + ToBase64Url(claims);
    std::array<unsigned char, 32> digest{};
    HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
         reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), nullptr);
    return text + "." + ToBase64Url({reinterpret_cast<const char*>(digest.data()), 32});
  }

 private:
  std::string Number(const char* name, int bytes) const {
    BIGNUM* number = nullptr;
    EVP_PKEY_get_bn_param(key_.get(), name, &number);
    std::string text(static_cast<std::size_t>(bytes), '\0');
    BN_bn2binpad(number, reinterpret_cast<unsigned char*>(text.data()), bytes);
    BN_free(number);
    return ToBase64Url(text);
  }

  std::string Signature(const std::string& text, bool is_pss) const {
    EVP_MD_CTX* const context = EVP_MD_CTX_new();
    EVP_PKEY_CTX* of_key = nullptr;
    EVP_DigestSignInit(context, &of_key, EVP_sha256(), nullptr, key_.get());
    if (is_pss) {
      EVP_PKEY_CTX_set_rsa_padding(of_key, RSA_PKCS1_PSS_PADDING);
      EVP_PKEY_CTX_set_rsa_pss_saltlen(of_key, RSA_PSS_SALTLEN_DIGEST);
    }
    std::string signature(1024, '\0');
    std::size_t size = signature.size();
    EVP_DigestSign(context, reinterpret_cast<unsigned char*>(signature.data()), &size,
                   reinterpret_cast<const unsigned char*>(text.data()), text.size());
    EVP_MD_CTX_free(context);
    signature.resize(size);
    return is_rsa_ ? signature : Raw(signature);
  }

  static std::string Raw(const std::string& der) {
    const auto* begin = reinterpret_cast<const unsigned char*>(der.data());
    ECDSA_SIG* const numbers = d2i_ECDSA_SIG(nullptr, &begin, static_cast<long>(der.size()));
    std::string raw(64, '\0');
    BN_bn2binpad(ECDSA_SIG_get0_r(numbers), reinterpret_cast<unsigned char*>(raw.data()), 32);
    BN_bn2binpad(ECDSA_SIG_get0_s(numbers), reinterpret_cast<unsigned char*>(raw.data()) + 32, 32);
    ECDSA_SIG_free(numbers);
    return raw;
  }

  const bool is_rsa_;
  const std::string id_;
  const std::shared_ptr<EVP_PKEY> key_;
};

}  // namespace rankscope::oidc
