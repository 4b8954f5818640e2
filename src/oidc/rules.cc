#include "oidc/rules.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/toml.h"
#include "oidc/id_token.h"

namespace rankscope::oidc {
namespace {

constexpr std::string_view kRest = "{rest}";
constexpr std::size_t kMostRules = 1000;
constexpr std::size_t kMostShownValues = 20;

bool IsWord(std::string_view text) {
  return !text.empty() && text.size() <= 100 && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_' || c == '.' || c == '@';
  });
}

// By its whole name; else each point of it leads into an object ("realm_access.roles").
json::Value ClaimOf(const json::Value& claims, std::string_view name) {
  const json::Value whole = claims[name];
  const std::size_t point = name.find('.');
  if (whole.IsKnown() || point == std::string_view::npos) return whole;
  const json::Value outer = claims[name.substr(0, point)];
  return outer.IsObject() ? ClaimOf(outer, name.substr(point + 1)) : whole;
}

// The texts of a claim; of true and false these words.
std::vector<std::string> TextsOf(const json::Value& claim) {
  std::vector<std::string> texts;
  const auto add = [&texts](const json::Value& one) {
    if (const auto text = one.Text()) texts.emplace_back(*text);
    if (const auto flag = one.Flag()) texts.emplace_back(*flag ? "true" : "false");
  };
  add(claim);
  for (const json::Value& one : claim.Items()) add(one);
  return texts;
}

// The team where the rule fits this text.
std::optional<std::string> TeamFor(const Rule& rule, std::string_view text) {
  if (!rule.value.ends_with('*'))
    return text == rule.value ? std::optional(rule.team) : std::nullopt;
  const std::string_view begin = std::string_view(rule.value).substr(0, rule.value.size() - 1);
  if (!text.starts_with(begin)) return std::nullopt;
  if (rule.team != kRest) return rule.team;
  const std::string_view rest = text.substr(begin.size());
  return IsWord(rest) ? std::optional(std::string(rest)) : std::nullopt;
}

std::string TextIn(const toml::table& table, std::string_view key) {
  return table[key].value<std::string>().value_or("");
}

Result<Rule> ReadRule(const toml::node& node, const std::string& where) {
  const auto wrong = [&](std::string_view what) {
    return Error(StatusCode::kInvalidArgument, "{}: {}", where, what);
  };
  const toml::table* const table = node.as_table();
  if (table == nullptr) return wrong("a rule is a table: [[rule]]");
  constexpr std::array<std::string_view, 4> kKeys = {"claim", "value", "role", "team"};
  for (const auto& [key, value] : *table) {
    if (std::ranges::find(kKeys, key.str()) == kKeys.end())
      return wrong(
          fmt::format("'{}' is no key of a rule; they are claim, value, role and team", key.str()));
  }
  for (const std::string_view key : kKeys) {
    if (TextIn(*table, key).empty()) return wrong(fmt::format("it needs {} = \"...\"", key));
  }
  Rule rule{.claim = TextIn(*table, "claim"),
            .value = TextIn(*table, "value"),
            .role = TextIn(*table, "role"),
            .team = TextIn(*table, "team")};
  if (rule.role != "read" && rule.role != "upload" && rule.role != "admin")
    return wrong(fmt::format("the role '{}' is none of read, upload and admin", rule.role));
  if (rule.value.find('*') < rule.value.size() - 1)
    return wrong("a * of a value stands at its end");
  if (rule.team == kRest && !rule.value.ends_with('*'))
    return wrong("the team {rest} needs a value with a * at its end");
  if (rule.team != kRest && rule.team != "*" && !IsWord(rule.team))
    return wrong(fmt::format("'{}' is no team: take a word, * or {{rest}}", rule.team));
  return rule;
}

Result<std::vector<std::string>> ReadScopes(const toml::node& node, const std::string& source) {
  std::vector<std::string> scopes;
  const toml::array* const array = node.as_array();
  const auto is_scope = [](const std::string& text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
      return c > ' ' && c < 0x7f && c != '"' && c != '\\';
    });
  };
  if (array != nullptr) {
    for (const toml::node& one : *array) scopes.push_back(one.value<std::string>().value_or(""));
  }
  if (array == nullptr || !std::ranges::all_of(scopes, is_scope)) {
    return Error(StatusCode::kInvalidArgument, "{}: scopes is a list of words: [\"email\"]",
                 source);
  }
  return scopes;
}

}  // namespace

Result<Rules> Rules::Parse(std::string_view toml, const std::string& source) {
  RS_ASSIGN_OR_RETURN(const toml::table table, ParseToml(toml, source));
  Rules rules;
  for (const auto& [key, value] : table) {
    if (key == "name" && value.value<std::string>()) {
      rules.name_claim_ = *value.value<std::string>();
    } else if (key == "scopes") {
      RS_ASSIGN_OR_RETURN(rules.scopes_, ReadScopes(value, source));
    } else if (key == "rule" && value.is_array()) {
      for (const toml::node& node : *value.as_array()) {
        const auto line = static_cast<int>(node.source().begin.line);
        RS_ASSIGN_OR_RETURN(Rule rule, ReadRule(node, fmt::format("{}: line {}", source, line)));
        rules.rules_.push_back(std::move(rule));
      }
    } else {
      return Error(StatusCode::kInvalidArgument,
                   "{}: '{}' is nothing that rules have: name = \"CLAIM\", scopes = [...] and "
                   "[[rule]]",
                   source, key.str());
    }
  }
  if (rules.rules_.empty() || rules.rules_.size() > kMostRules) {
    return Error(StatusCode::kInvalidArgument,
                 "{}: it has {} rules, and 1 to {} are needed: [[rule]] with claim, value, role "
                 "and team",
                 source, rules.rules_.size(), kMostRules);
  }
  return rules;
}

bool Rules::LacksAny(const json::Value& claims) const {
  return !ClaimOf(claims, name_claim_).IsKnown() ||
         std::ranges::any_of(
             rules_, [&](const Rule& rule) { return !ClaimOf(claims, rule.claim).IsKnown(); });
}

Result<Person> Rules::PersonOf(const json::Value& claims) const {
  const std::string name = ClaimOf(claims, name_claim_).TextOr("");
  if (!IsWord(name)) {
    return Error(StatusCode::kInvalidArgument,
                 "the provider does not say by which name you are known here: the claim '{}' is "
                 "{}, and a word is needed. Whoever runs the server lets the provider send it, or "
                 "names another claim in the file of --oidc-rules: name = \"sub\"",
                 Shown(name_claim_, 100), name.empty() ? "missing" : "'" + Shown(name) + "'");
  }
  if (name_claim_ == "email" && claims["email_verified"].Flag() == false) {
    return Error(StatusCode::kInvalidArgument,
                 "the provider has not verified the address {}: confirm it there, and sign in "
                 "again",
                 name);
  }
  for (const Rule& rule : rules_) {
    for (const std::string& text : TextsOf(ClaimOf(claims, rule.claim))) {
      if (auto team = TeamFor(rule, text))
        return Person{.name = name, .role = rule.role, .team = *std::move(team)};
    }
  }
  return Refuse(claims);
}

Status Rules::Refuse(const json::Value& claims) const {
  std::set<std::string_view> told;
  std::string had;
  std::string example;
  for (const Rule& rule : rules_) {
    if (!told.insert(rule.claim).second) continue;
    std::string values;
    std::size_t count = 0;
    for (const std::string& text : TextsOf(ClaimOf(claims, rule.claim))) {
      if (++count > kMostShownValues) continue;
      values += (values.empty() ? "" : ", ") + Shown(text, 60);
      if (example.empty())
        example = fmt::format("claim = \"{}\" and value = \"{}\"", Shown(rule.claim, 100),
                              Shown(text, 60));
    }
    if (count > kMostShownValues) values += fmt::format(" and {} more", count - kMostShownValues);
    had += (had.empty() ? "" : "; ") + Shown(rule.claim, 100) + ": " +
           (values.empty() ? "nothing" : values);
  }
  return Error(StatusCode::kInvalidArgument,
               "the provider knows you, and no rule of this server lets you in. It says: {}. "
               "Whoever runs the server may add a [[rule]] to the file of --oidc-rules, such as "
               "one with {}",
               had, example.empty() ? "another claim, once the provider sends one" : example);
}

}  // namespace rankscope::oidc
