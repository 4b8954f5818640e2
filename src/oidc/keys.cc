#include "oidc/keys.h"
#include "base/base64.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include <array>

#include "json/reader.h"

namespace rankscope::oidc {
namespace {

constexpr std::size_t kLeastRsaBytes = 256;
constexpr std::size_t kMostRsaBytes = 1024;
constexpr std::size_t kMostExponentBytes = 4;
constexpr std::size_t kEcBytes = 32;  // a coordinate of P-256

struct Free {
  void operator()(BIGNUM* number) const { BN_free(number); }
  void operator()(OSSL_PARAM_BLD* builder) const { OSSL_PARAM_BLD_free(builder); }
  void operator()(OSSL_PARAM* params) const { OSSL_PARAM_free(params); }
  void operator()(EVP_PKEY_CTX* context) const { EVP_PKEY_CTX_free(context); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  void operator()(ECDSA_SIG* signature) const { ECDSA_SIG_free(signature); }
};
template <typename T>
using Owned = std::unique_ptr<T, Free>;
using SharedKey = std::shared_ptr<EVP_PKEY>;

const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

Owned<BIGNUM> Number(std::string_view bytes) {
  return Owned<BIGNUM>(BN_bin2bn(Bytes(bytes), static_cast<int>(bytes.size()), nullptr));
}

// nullptr for what is no key of that kind.
SharedKey Made(const char* kind, const Owned<OSSL_PARAM_BLD>& builder) {
  const Owned<OSSL_PARAM> params(OSSL_PARAM_BLD_to_param(builder.get()));
  const Owned<EVP_PKEY_CTX> context(EVP_PKEY_CTX_new_from_name(nullptr, kind, nullptr));
  EVP_PKEY* key = nullptr;
  if (params == nullptr || context == nullptr || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, params.get()) != 1) {
    return nullptr;
  }
  return {key, EVP_PKEY_free};
}

SharedKey RsaKey(std::string modulus, std::string_view exponent) {
  while (modulus.starts_with('\0')) modulus.erase(0, 1);
  if (modulus.size() < kLeastRsaBytes || modulus.size() > kMostRsaBytes || exponent.empty() ||
      exponent.size() > kMostExponentBytes) {
    return nullptr;
  }
  const Owned<BIGNUM> n = Number(modulus);
  const Owned<BIGNUM> e = Number(exponent);
  const Owned<OSSL_PARAM_BLD> builder(OSSL_PARAM_BLD_new());
  if (n == nullptr || e == nullptr || builder == nullptr || BN_is_odd(n.get()) != 1 ||
      BN_is_odd(e.get()) != 1 || BN_is_one(e.get()) == 1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1) {
    return nullptr;
  }
  return Made("RSA", builder);
}

// The point has to be on the curve: OpenSSL looks when it takes it.
SharedKey EcKey(std::string_view x, std::string_view y) {
  if (x.size() != kEcBytes || y.size() != kEcBytes) return nullptr;
  std::string point = "\x04";
  point.append(x).append(y);
  const Owned<OSSL_PARAM_BLD> builder(OSSL_PARAM_BLD_new());
  if (builder == nullptr ||
      OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) !=
          1 ||
      OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                       point.size()) != 1) {
    return nullptr;
  }
  return Made("EC", builder);
}

// JOSE has both numbers as they are, OpenSSL takes them as DER. "" for another size.
std::string AsDer(std::string_view signature) {
  if (signature.size() != 2 * kEcBytes) return "";
  const Owned<ECDSA_SIG> numbers(ECDSA_SIG_new());
  Owned<BIGNUM> r = Number(signature.substr(0, kEcBytes));
  Owned<BIGNUM> s = Number(signature.substr(kEcBytes));
  if (numbers == nullptr || r == nullptr || s == nullptr ||
      ECDSA_SIG_set0(numbers.get(), r.get(), s.get()) != 1) {
    return "";
  }
  (void)r.release();  // they are the signature's now
  (void)s.release();
  std::array<unsigned char, 80> der{};
  unsigned char* end = der.data();
  if (i2d_ECDSA_SIG(numbers.get(), nullptr) > static_cast<int>(der.size())) return "";
  const int size = i2d_ECDSA_SIG(numbers.get(), &end);
  if (size <= 0) return "";
  return {reinterpret_cast<const char*>(der.data()), static_cast<std::size_t>(size)};
}

std::optional<std::string> BytesOf(const json::Value& value) {
  const auto text = value.Text();
  return text ? FromBase64Url(*text) : std::nullopt;
}

// One key of the set; nullptr when it is none that signs ID tokens.
SharedKey KeyOf(const json::Value& value, bool& is_rsa) {
  const std::string_view kind = value["kty"].Text().value_or("");
  is_rsa = kind == "RSA";
  if (is_rsa) {
    const auto modulus = BytesOf(value["n"]);
    const auto exponent = BytesOf(value["e"]);
    return modulus && exponent ? RsaKey(*modulus, *exponent) : nullptr;
  }
  if (kind != "EC" || value["crv"].Text() != "P-256") return nullptr;
  const auto x = BytesOf(value["x"]);
  const auto y = BytesOf(value["y"]);
  return x && y ? EcKey(*x, *y) : nullptr;
}

bool IsForSignatures(const json::Value& value) {
  if (value["use"].IsKnown() && value["use"].Text() != "sig") return false;
  if (!value["key_ops"].IsKnown()) return true;
  for (const json::Value& operation : value["key_ops"].Items()) {
    if (operation.Text() == "verify") return true;
  }
  return false;
}

}  // namespace

std::optional<Algorithm> ParseAlgorithm(std::string_view name) {
  for (const Algorithm one : {Algorithm::kRs256, Algorithm::kPs256, Algorithm::kEs256}) {
    if (ToString(one) == name) return one;
  }
  return std::nullopt;
}

std::string_view ToString(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kRs256:
      return "RS256";
    case Algorithm::kPs256:
      return "PS256";
    case Algorithm::kEs256:
      break;
  }
  return "ES256";
}

bool Key::Fits(Algorithm algorithm) const {
  return is_rsa_ == (algorithm != Algorithm::kEs256) && (!algorithm_ || *algorithm_ == algorithm);
}

bool Key::Verifies(Algorithm algorithm, std::string_view text, std::string_view signature) const {
  if (!Fits(algorithm)) return false;
  const std::string der = is_rsa_ ? "" : AsDer(signature);
  if (!is_rsa_) signature = der;
  const Owned<EVP_MD_CTX> context(EVP_MD_CTX_new());
  EVP_PKEY_CTX* of_key = nullptr;  // the context's
  if (signature.empty() || context == nullptr ||
      EVP_DigestVerifyInit(context.get(), &of_key, EVP_sha256(), nullptr, key_.get()) != 1) {
    return false;
  }
  // RFC 7518, section 3.5: the salt is as long as the hash.
  if (algorithm == Algorithm::kPs256 &&
      (EVP_PKEY_CTX_set_rsa_padding(of_key, RSA_PKCS1_PSS_PADDING) != 1 ||
       EVP_PKEY_CTX_set_rsa_pss_saltlen(of_key, RSA_PSS_SALTLEN_DIGEST) != 1)) {
    return false;
  }
  return EVP_DigestVerify(context.get(), Bytes(signature), signature.size(), Bytes(text),
                          text.size()) == 1;
}

Result<KeySet> KeySet::Parse(std::string_view json) {
  RS_ASSIGN_OR_RETURN(const json::Reader reader, json::Reader::Parse(json));
  RS_ASSIGN_OR_RETURN(const std::vector<json::Value> items, reader.root()["keys"].NeedItems());
  if (items.size() > kMostKeys)
    return Error(StatusCode::kBadData, "{} keys, and {} are taken at most", items.size(),
                 kMostKeys);
  KeySet set;
  for (const json::Value& item : items) {
    if (!IsForSignatures(item)) continue;
    Key key;
    key.id_ = item["kid"].TextOr("");
    if (item["alg"].IsKnown()) {
      key.algorithm_ = ParseAlgorithm(item["alg"].Text().value_or(""));
      if (!key.algorithm_) continue;
    }
    key.key_ = KeyOf(item, key.is_rsa_);
    if (key.key_ != nullptr) set.keys_.push_back(std::move(key));
  }
  return set;
}

const Key* KeySet::Find(std::string_view id, Algorithm algorithm) const {
  const Key* found = nullptr;
  for (const Key& key : keys_) {
    if (!key.Fits(algorithm) || (!id.empty() && key.id() != id)) continue;
    if (!id.empty()) return &key;
    if (found != nullptr) return nullptr;
    found = &key;
  }
  return found;
}

}  // namespace rankscope::oidc
