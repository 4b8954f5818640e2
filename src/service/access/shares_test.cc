// Whose shared states are whose, and how many there may be.
#include "service/access/shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace rankscope::service {
namespace {

namespace fs = std::filesystem;

const Principal kBlue{.name = "ada", .role = Role::kRead, .team = "blue"};
const Principal kRed{.name = "bob", .role = Role::kAdmin, .team = "red"};
const Principal kAll{.name = "root", .role = Role::kAdmin, .team = std::string(kAllTeams)};
const Principal kAllReader{.name = "eve", .role = Role::kRead, .team = std::string(kAllTeams)};
const std::string kOfRun = R"({"path":"/runs/0123456789abcdef/timeline","search":"?a"})";

class SharesTest : public ::testing::Test {
 protected:
  SharesTest() : folder_(testing::TempDir() + "/shares" + std::to_string(getpid())) {
    fs::create_directories(folder_ + "/shares");
    fs::create_directories(folder_ + "/tmp");
  }
  ~SharesTest() override { fs::remove_all(folder_); }
  FolderShares Open(ShareLimits limits = {}) {
    return FolderShares(
        folder_ + "/shares", folder_ + "/tmp", limits,
        [](std::string_view run) {
          return run == "0123456789abcdef" ? std::optional<std::string>("blue") : std::nullopt;
        },
        [this] { return now_s_; });
  }
  const std::string folder_;
  std::int64_t now_s_ = 2'000'000'000;
};

TEST_F(SharesTest, AShareIsItsMakersTeams) {
  FolderShares shares = Open();
  const std::string name = *shares.Keep(kBlue, R"({"a":1})");
  EXPECT_EQ(name.size(), 32U);
  EXPECT_NE(name, *shares.Keep(kBlue, R"({"a":1})")) << "what it says does not tell its name";
  EXPECT_EQ(*shares.Find(kBlue, name), R"({"a":1})");
  EXPECT_EQ(*shares.Find(kAll, name), R"({"a":1})");
  EXPECT_EQ(shares.Find(kRed, name).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(Open().Find(kBlue, name).ok(), true) << "and of a server that begins anew";
  EXPECT_FALSE(Open().Find(kRed, name).ok());
}

TEST_F(SharesTest, WhatIsDamagedIsFound) {
  const std::string folder = folder_ + "/shares";
  const std::string sound = *Open().Keep(kBlue, R"({"a":1})");
  const std::string other = *Open().Keep(kBlue, R"({"a":2})");
  EXPECT_EQ(FolderShares::DamagedIn(folder), std::vector<std::string>());
  const std::string path = folder + "/" + other + ".share";
  std::ofstream(path, std::ios::app) << " ";
  EXPECT_EQ(FolderShares::DamagedIn(folder), std::vector<std::string>{path});
  std::ofstream(path, std::ios::trunc) << "";
  EXPECT_EQ(FolderShares::DamagedIn(folder), std::vector<std::string>{path});
}

TEST_F(SharesTest, WhatIsDamagedIsNotServed) {
  const std::string name = *Open().Keep(kBlue, R"({"a":1})");
  const std::string path = folder_ + "/shares/" + name + ".share";
  std::ifstream file(path, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto write = [&](std::string_view text) { std::ofstream(path, std::ios::binary) << text; };
  // Any bit of its state, of its team, of its checksum.
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] ^= 1;
    write(damaged);
    EXPECT_FALSE(Open().Find(kAll, name).ok()) << at << ": " << damaged;
  }
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write(whole.substr(0, size));
    EXPECT_FALSE(Open().Find(kAll, name).ok()) << size;
  }
  // A team that it was damaged into does not see it.
  std::string moved = whole;
  moved.replace(moved.find("blue"), 4, "red");
  write(moved);
  EXPECT_EQ(Open().Find(kRed, name).status().code(), StatusCode::kBadData);
  write(whole);
  EXPECT_EQ(*Open().Find(kBlue, name), R"({"a":1})");
  // Those of versions before had no checksum.
  write("{\"team\":\"blue\",\"token\":\"t\",\"made_s\":1}\n{\"a\":2}");
  EXPECT_EQ(*Open().Find(kBlue, name), R"({"a":2})");
}

TEST_F(SharesTest, OfWhoSeesAllTeamsItIsTheRuns) {
  FolderShares shares = Open();
  const std::string name = *shares.Keep(kAll, kOfRun);
  EXPECT_TRUE(shares.Find(kBlue, name).ok());
  EXPECT_FALSE(shares.Find(kRed, name).ok());
}

TEST_F(SharesTest, OlderOnesAreTheirRunsTeamsElseAdmins) {
  std::ofstream(folder_ + "/shares/00112233445566aa.json") << kOfRun;
  std::ofstream(folder_ + "/shares/00112233445566bb.json") << R"({"path":"/hosts"})";
  FolderShares shares = Open();
  EXPECT_EQ(*shares.Find(kBlue, "00112233445566aa"), kOfRun);
  EXPECT_FALSE(shares.Find(kRed, "00112233445566aa").ok());
  EXPECT_FALSE(shares.Find(kBlue, "00112233445566bb").ok());
  EXPECT_FALSE(shares.Find(kAllReader, "00112233445566bb").ok());
  EXPECT_TRUE(shares.Find(kAll, "00112233445566bb").ok());
}

TEST_F(SharesTest, ATokenKeepsSoManyAndATeamSoMany) {
  FolderShares shares = Open({.most_of_token = 2, .most_of_team = 3});
  EXPECT_TRUE(shares.Keep(kBlue, "{}").ok());
  EXPECT_TRUE(shares.Keep(kBlue, "{}").ok());
  EXPECT_EQ(shares.Keep(kBlue, "{}").status().code(), StatusCode::kResource);
  Principal other = kBlue;
  other.name = "cy";
  EXPECT_TRUE(shares.Keep(other, "{}").ok());
  EXPECT_EQ(shares.Keep(other, "{}").status().code(), StatusCode::kResource) << "the team's";
  EXPECT_TRUE(shares.Keep(kRed, "{}").ok());
  // And after a new start.
  EXPECT_FALSE(Open({.most_of_token = 2}).Keep(kBlue, "{}").ok());
  EXPECT_FALSE(Open({.most_bytes_of_token = 200}).Keep(kBlue, std::string(200, ' ')).ok());
}

TEST_F(SharesTest, WhatNobodyUsesGoes) {
  FolderShares shares = Open({.most_of_token = 2, .unused_s = 10 * 24 * 3600});
  const std::string used = *shares.Keep(kBlue, "{}");
  const std::string unused = *shares.Keep(kBlue, "{}");
  now_s_ += 8 * 24 * 3600;
  EXPECT_TRUE(shares.Find(kBlue, used).ok());
  now_s_ += 4 * 24 * 3600;
  shares.RemoveUnused();
  EXPECT_TRUE(shares.Find(kBlue, used).ok());
  EXPECT_FALSE(shares.Find(kBlue, unused).ok());
  EXPECT_TRUE(shares.Keep(kBlue, "{}").ok()) << "there is room again";
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ + "/shares"), {}), 2);
}

}  // namespace
}  // namespace rankscope::service
