// Sign-ins that are under way: each comes back once, in time, and nobody's many end another's.
#include "service/sign_in/sign_ins.h"

#include <gtest/gtest.h>

#include "postgres/test_server.h"
#include "service/sign_in/people.h"
#include "store/postgres_catalogue.h"

namespace rankscope::service {
namespace {

const SignIn kBegun{.browser = "b",
                    .nonce = "n",
                    .verifier = "v",
                    .redirect = "https://us/callback",
                    .to = "/runs/1?a=%20",
                    .began_s = 7};

void ComesBackOnce(SignIns& sign_ins) {
  ASSERT_TRUE(sign_ins.Add("s1", kBegun, "10.0.0.1").ok());
  EXPECT_FALSE(*sign_ins.Take("s2"));
  const auto taken = sign_ins.Take("s1");
  ASSERT_TRUE(taken.ok() && *taken);
  EXPECT_EQ((*taken)->browser, "b");
  EXPECT_EQ((*taken)->nonce, "n");
  EXPECT_EQ((*taken)->verifier, "v");
  EXPECT_EQ((*taken)->redirect, "https://us/callback");
  EXPECT_EQ((*taken)->to, "/runs/1?a=%20");
  EXPECT_EQ((*taken)->began_s, 7);
  EXPECT_FALSE(*sign_ins.Take("s1"));
}

void ManyOfOneEndNoneOfAnother(SignIns& sign_ins) {
  ASSERT_TRUE(sign_ins.Add("other", kBegun, "10.0.0.2").ok());
  for (std::size_t i = 0; i <= SignIns::kMostOfPeer; ++i)
    ASSERT_TRUE(sign_ins.Add("s" + std::to_string(i), kBegun, "10.0.0.1").ok());
  EXPECT_FALSE(*sign_ins.Take("s0"));
  EXPECT_TRUE(*sign_ins.Take("s1"));
  EXPECT_TRUE(*sign_ins.Take("other"));
}

TEST(SignInsInMemory, ComesBackOnce) {
  ComesBackOnce(*MakeSignInsInMemory([] { return 0; }));
}

TEST(SignInsInMemory, ManyOfOneEndNoneOfAnother) {
  ManyOfOneEndNoneOfAnother(*MakeSignInsInMemory([] { return 0; }));
}

TEST(SignInsInMemory, ComesBackInTime) {
  std::int64_t now_s = 100;
  const auto sign_ins = MakeSignInsInMemory([&now_s] { return now_s; });
  ASSERT_TRUE(sign_ins->Add("s", kBegun, "").ok());
  now_s += SignIns::kSeconds;
  EXPECT_FALSE(*sign_ins->Take("s"));
}

class ClusterSignInsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    RS_NEEDS_POSTGRES();
    auto opened = store::PostgresCatalogue::Open(postgres::TestServer::Get().NewDatabase(), {});
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    catalogue_ = std::move(*opened);
    sign_ins_ = MakeClusterSignIns(catalogue_->database());
  }
  std::unique_ptr<store::PostgresCatalogue> catalogue_;
  std::unique_ptr<SignIns> sign_ins_;
};

TEST_F(ClusterSignInsTest, ComesBackOnce) { ComesBackOnce(*sign_ins_); }

TEST_F(ClusterSignInsTest, ManyOfOneEndNoneOfAnother) { ManyOfOneEndNoneOfAnother(*sign_ins_); }

TEST_F(ClusterSignInsTest, ComesBackInTime) {
  ASSERT_TRUE(sign_ins_->Add("s", kBegun, "").ok());
  ASSERT_TRUE(catalogue_->database().Do("UPDATE rankscope.sign_in SET ends = now()").ok());
  EXPECT_FALSE(*sign_ins_->Take("s"));
}

TEST(People, AreSentBackToPagesAlone) {
  for (const char* page : {"/", "/runs/1?from_ns=5&x=%2F%2Fa#top", "/s/ab"})
    EXPECT_TRUE(IsPagePath(page)) << page;
  for (const char* wrong : {"", "runs", "//evil.test", "/\\evil.test", "/\tx", "https://evil.test/",
                            "/api/v1/runs", "/a b", "/a/../b", "/..", "/\xc3\xa4", "/\"", "/<"}) {
    EXPECT_FALSE(IsPagePath(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace rankscope::service
