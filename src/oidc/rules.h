// Rules: map a provider's claims to a team and a role (docs/sign-in.md). A TOML file:
//
//   name = "email"                 # the claim that names the person here
//   scopes = ["email", "groups"]   # requested from the provider in addition to openid
//
//   [[rule]]                       # the first match counts
//   claim = "groups"               # a text, or a list of texts; realm_access.roles is nested
//   value = "profilers-*"          # equal; a * at the end matches anything
//   role = "upload"                # read, upload or admin
//   team = "{rest}"                # a word, * for all teams, or the text matched by the *
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "json/reader.h"

namespace rankscope::oidc {

struct Rule {
  std::string claim;
  std::string value;
  std::string role;
  std::string team;
};

// The person who signed in.
struct Person {
  std::string name;
  std::string role;
  std::string team;
};

class Rules {
 public:
  // kInvalidArgument with "SOURCE: ...".
  static Result<Rules> Parse(std::string_view toml, const std::string& source);

  const std::vector<std::string>& scopes() const { return scopes_; }
  // Whether a claim that the rules need is missing; userinfo may have it.
  bool LacksAny(const json::Value& claims) const;
  // kInvalidArgument if no rule fits, or no claim names the person; the sentence lists the claims
  // and says what to add.
  Result<Person> PersonOf(const json::Value& claims) const;

 private:
  Status Refuse(const json::Value& claims) const;

  std::string name_claim_ = "email";
  std::vector<std::string> scopes_ = {"email"};
  std::vector<Rule> rules_;
};

}  // namespace rankscope::oidc
