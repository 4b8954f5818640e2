#include "oidc/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::oidc {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kRules = R"(
name = "email"
scopes = ["email", "groups"]
[[rule]]
claim = "groups"
value = "admins"
role = "admin"
team = "*"
[[rule]]
claim = "realm.roles"
value = "team-*"
role = "upload"
team = "{rest}"
[[rule]]
claim = "staff"
value = "true"
role = "read"
team = "all"
)";

std::string Told(std::string_view claims) {
  const auto rules = Rules::Parse(kRules, "rules.toml");
  EXPECT_TRUE(rules.ok()) << rules.status().message();
  const auto reader = json::Reader::Parse(claims);
  EXPECT_TRUE(reader.ok());
  const auto person = rules->PersonOf(reader->root());
  if (!person.ok()) return person.status().message();
  return person->name + " " + person->role + " " + person->team;
}

TEST(Rules, TheFirstThatFits) {
  EXPECT_EQ(Told(R"({"email":"a@x","groups":["x","admins"],"staff":true})"), "a@x admin *");
  EXPECT_EQ(Told(R"({"email":"a@x","groups":"admins"})"), "a@x admin *");
  EXPECT_EQ(Told(R"({"email":"a@x","realm":{"roles":["other","team-search"]}})"),
            "a@x upload search");
  EXPECT_EQ(Told(R"({"email":"a@x","realm.roles":["team-ads"]})"), "a@x upload ads");
  EXPECT_EQ(Told(R"({"email":"a@x","staff":true})"), "a@x read all");
}

TEST(Rules, ATeamOfAClaimIsAWord) {
  // Not all teams, and no line of its own.
  EXPECT_THAT(Told(R"({"email":"a@x","realm":{"roles":["team-*"]}})"), HasSubstr("no rule"));
  EXPECT_THAT(Told(R"({"email":"a@x","realm":{"roles":["team-"]}})"), HasSubstr("no rule"));
  EXPECT_THAT(Told(R"({"email":"a@x","realm":{"roles":["team-a b"]}})"), HasSubstr("no rule"));
}

TEST(Rules, WhoIsRefusedReadsWhy) {
  EXPECT_THAT(Told(R"({"email":"a@x","groups":["dev","ops"]})"),
              AllOf(HasSubstr("groups: dev, ops; realm.roles: nothing; staff: nothing"),
                    HasSubstr("claim = \"groups\" and value = \"dev\"")));
  EXPECT_THAT(Told("{\"email\":\"a@x\",\"groups\":[\"a\\nb\"]}"), HasSubstr("groups: a b;"));
  EXPECT_THAT(Told(R"({"groups":["admins"]})"), HasSubstr("'email' is missing"));
  EXPECT_THAT(Told(R"({"email":"a b","groups":["admins"]})"), HasSubstr("'a b'"));
  EXPECT_THAT(Told(R"({"email":"a@x","email_verified":false,"groups":["admins"]})"),
              HasSubstr("not verified"));
}

TEST(Rules, LackWhatTheyAskFor) {
  const auto rules = Rules::Parse(kRules, "rules.toml");
  EXPECT_THAT(rules->scopes(), ElementsAre("email", "groups"));
  const auto some = json::Reader::Parse(R"({"email":"a@x","groups":[],"staff":false})");
  const auto all =
      json::Reader::Parse(R"({"email":"a","groups":[],"realm":{"roles":1},"staff":1})");
  EXPECT_TRUE(rules->LacksAny(some->root()));
  EXPECT_FALSE(rules->LacksAny(all->root()));
}

TEST(Rules, AFileThatIsWrongSaysWhere) {
  const auto problem = [](std::string_view text) {
    const auto rules = Rules::Parse(text, "r.toml");
    return rules.ok() ? std::string() : rules.status().message();
  };
  const std::string rule =
      "[[rule]]\nclaim = \"g\"\nvalue = \"v\"\nrole = \"read\"\nteam = \"t\"\n";
  EXPECT_EQ(problem(rule), "");
  EXPECT_THAT(problem(""), HasSubstr("r.toml: it has 0 rules"));
  EXPECT_THAT(problem("x = 1\n" + rule), HasSubstr("'x'"));
  EXPECT_THAT(problem("name = 1\n" + rule), HasSubstr("'name'"));
  EXPECT_THAT(problem("scopes = [\"a b\"]\n" + rule), HasSubstr("scopes"));
  EXPECT_THAT(problem("[[rule]]\nclaim = \"g\"\n"), AllOf(HasSubstr("line 1"), HasSubstr("value")));
  EXPECT_THAT(problem(rule + "who = 1\n"), HasSubstr("'who'"));
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string text = rule;
    return problem(text.replace(text.find(from), from.size(), to));
  };
  EXPECT_THAT(with("read", "king"), HasSubstr("'king'"));
  EXPECT_THAT(with("\"v\"", "\"a*b\""), HasSubstr("at its end"));
  EXPECT_THAT(with("\"t\"", "\"{rest}\""), HasSubstr("{rest}"));
  EXPECT_THAT(with("\"t\"", "\"two words\""), HasSubstr("no team"));
}

}  // namespace
}  // namespace rankscope::oidc
