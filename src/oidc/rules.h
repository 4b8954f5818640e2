// Rules: which claims of a provider give which team and role (docs/sign-in.md). A TOML file:
//
//   name = "email"                 # the claim that names the person here
//   scopes = ["email", "groups"]   # asked of the provider beside openid
//
//   [[rule]]                       # the first that fits
//   claim = "groups"               # a text, or a list of texts; realm_access.roles is a member
//   value = "profilers-*"          # equal; a * at the end stands for anything
//   role = "upload"                # read, upload or admin
//   team = "{rest}"                # a word, * for all teams, or what stood for the *
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

// Who signed in.
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
  // A claim that the rules ask for is not there: userinfo may have it.
  bool LacksAny(const json::Value& claims) const;
  // kInvalidArgument where no rule fits, or nothing names the person: the sentence says what the
  // claims are and what to add.
  Result<Person> PersonOf(const json::Value& claims) const;

 private:
  Status Refuse(const json::Value& claims) const;

  std::string name_claim_ = "email";
  std::vector<std::string> scopes_ = {"email"};
  std::vector<Rule> rules_;
};

}  // namespace rankscope::oidc
