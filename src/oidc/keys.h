// KeySet: the public keys of a provider (a JWK Set, RFC 7517), and signatures by them.
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

// Those that an ID token may be signed with. Neither `none` nor one whose key both sides have
// (HS256): a public key must never become such a secret.
enum class Algorithm : std::uint8_t { kRs256, kPs256, kEs256 };
std::optional<Algorithm> ParseAlgorithm(std::string_view name);
std::string_view ToString(Algorithm algorithm);

// Copies share the key itself. Safe for many threads.
class Key {
 public:
  const std::string& id() const { return id_; }  // "" without
  // Its kind goes with the algorithm, and it is for no other one.
  bool Fits(Algorithm algorithm) const;
  // Whether the owner of the key has signed `text`. Costs up to a millisecond.
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

  // kBadData for what is no set of keys. Keys of other kinds, for encryption or of a size that is
  // not safe (RSA below 2,048 bits, or above 8,192) are left out, as RFC 7517 has it.
  static Result<KeySet> Parse(std::string_view json);

  const std::vector<Key>& keys() const { return keys_; }
  // The key of that id; without an id the only one that fits. nullptr where there is none.
  const Key* Find(std::string_view id, Algorithm algorithm) const;

 private:
  std::vector<Key> keys_;
};

}  // namespace rankscope::oidc
