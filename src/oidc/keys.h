// KeySet: the public keys of a provider (a JWK Set, RFC 7517), and the verification of signatures.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

struct evp_pkey_st;

namespace rankscope::oidc {

// Algorithms allowed for an ID token. Neither `none` nor one with a shared secret (HS256):
// otherwise an attacker could use the public key as that secret.
enum class Algorithm : std::uint8_t { kRs256, kPs256, kEs256 };
std::optional<Algorithm> ParseAlgorithm(std::string_view name);
std::string_view ToString(Algorithm algorithm);

// Copies share the underlying key. Thread-safe.
class Key {
 public:
  const std::string& id() const { return id_; }  // "" if there is none
  // Whether its type matches the algorithm, and it is not restricted to another one.
  bool Fits(Algorithm algorithm) const;
  // Whether the key's owner has signed `text`. Takes up to a millisecond.
  bool Verifies(Algorithm algorithm, std::string_view text, std::string_view signature) const;

 private:
  friend class KeySet;
  std::string id_;
  std::optional<Algorithm> algorithm_;
  bool is_rsa_ = false;
  std::shared_ptr<evp_pkey_st> key_;
};

class KeySet {
 public:
  static constexpr std::size_t kMostKeys = 100;

  // kBadData if it is not a key set. Keys of other types, for encryption or of an unsafe size (RSA
  // below 2,048 bits, or above 8,192) are left out, as RFC 7517 says.
  static Result<KeySet> Parse(std::string_view json);

  const std::vector<Key>& keys() const { return keys_; }
  // The key with that id; without an id, the only one that fits. nullptr if there is none.
  const Key* Find(std::string_view id, Algorithm algorithm) const;

 private:
  std::vector<Key> keys_;
};

}  // namespace rankscope::oidc
