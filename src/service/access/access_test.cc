#include "service/access/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace rankscope::service {
namespace {

using ::testing::HasSubstr;

class AccessTest : public ::testing::Test {
 protected:
  AccessTest() { close(mkstemp(path_)); }
  ~AccessTest() override { unlink(path_); }
  Result<Access> Read(const std::string& text) {
    std::ofstream(path_) << text;
    return Access::FromFile(path_, [this] { return now_; });
  }
  char path_[40] = "/tmp/rankscope_access_XXXXXX";
  std::int64_t now_ = 1000;
};

TEST_F(AccessTest, LetsInWhoHasAToken) {
  const NewToken reader = *MakeToken(Role::kRead, "search", "ann");
  const NewToken admin = *MakeToken(Role::kAdmin, "*", "bob");
  EXPECT_NE(reader.token, admin.token);
  EXPECT_EQ(reader.token.size(), 46u);
  const auto access = Read("# who\n\n" + reader.line + "  # ann\n" + admin.line);
  ASSERT_TRUE(access.ok()) << access.status().message();
  const auto who = access->OfToken(reader.token);
  ASSERT_TRUE(who);
  EXPECT_EQ(who->name, "ann");
  EXPECT_EQ(who->role, Role::kRead);
  EXPECT_TRUE(who->SeesTeam("search"));
  EXPECT_FALSE(who->SeesTeam("ads"));
  EXPECT_FALSE(who->SeesTeam(""));
  EXPECT_TRUE(access->OfToken(admin.token)->SeesTeam("ads"));
  EXPECT_FALSE(access->OfToken(""));
  EXPECT_FALSE(access->OfToken(reader.token + "x"));
}

TEST_F(AccessTest, SaysWhichLineIsWrong) {
  EXPECT_THAT(Read("").status().message(), HasSubstr("no token"));
  EXPECT_THAT(Read("\nsha256:12 read a b").status().message(), HasSubstr("line 2"));
  const std::string hash = "sha256:" + std::string(64, 'a');
  EXPECT_THAT(Read(hash + " king a b").status().message(), HasSubstr("role"));
  EXPECT_THAT(Read(hash + " read a").status().message(), HasSubstr("HEX ROLE TEAM NAME"));
  EXPECT_FALSE(MakeToken(Role::kRead, "two words", "a").ok());
  EXPECT_FALSE(MakeToken(Role::kRead, "a", "").ok());
}

TEST_F(AccessTest, SessionsEnd) {
  Access access = Access::Open([this] { return now_; });
  const std::string id = *access.NewSession({.name = "ann", .role = Role::kRead, .team = "*"});
  EXPECT_EQ((*access.OfSession(id))->name, "ann");
  now_ += Access::kSessionSeconds;
  EXPECT_FALSE(*access.OfSession(id));
  const std::string other = *access.NewSession({});
  EXPECT_TRUE(access.EndSession(other).ok());
  EXPECT_FALSE(*access.OfSession(other));
}

// What keeps sessions may outlive the file of tokens.
TEST_F(AccessTest, ASessionEndsWithItsToken) {
  const auto made = MakeToken(Role::kRead, "blue", "ann");
  const auto other = MakeToken(Role::kRead, "blue", "bob");
  auto access = Read(made->line + "\n" + other->line);
  ASSERT_TRUE(access.ok());
  const std::string id = *access->NewSession({.name = "ann", .role = Role::kRead, .team = "blue"});
  EXPECT_TRUE(*access->OfSession(id));
  const std::string gone =
      *access->NewSession({.name = "eve", .role = Role::kRead, .team = "blue"});
  EXPECT_FALSE(*access->OfSession(gone));
}

TEST_F(AccessTest, SessionsOfPeopleEndWithTheRulesThatLetThemIn) {
  const auto made = MakeToken(Role::kAdmin, "*", "ann");
  auto access = Read(made->line);
  ASSERT_TRUE(access.ok());
  access->TakePeople("one");
  // The name of a token makes nobody its owner.
  const std::string id = *access->NewSession(access->PersonOf("ann", Role::kRead, "blue"));
  EXPECT_EQ((*access->OfSession(id))->role, Role::kRead);
  access->TakePeople("two");
  EXPECT_FALSE(*access->OfSession(id));
}

TEST_F(AccessTest, WherePeopleSignInNobodyElseIsLetIn) {
  Access access = Access::Open([this] { return now_; });
  EXPECT_TRUE(access.is_open());
  access.TakePeople("one");
  EXPECT_FALSE(access.is_open());
  EXPECT_FALSE(access.OfToken(""));
  EXPECT_FALSE(*access.OfSession(*access.NewSession({.name = "ann", .role = Role::kRead})));
}

}  // namespace
}  // namespace rankscope::service
