// Acting as others takes root; who is none acts as himself.
#include "agent/base/acting_as.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>

namespace rankscope::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uid_t kActingAsNobody = 65534;

bool CanRead(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file >= 0) close(file);
  return file >= 0;
}

TEST(FileRights, AreThoseOfTheKernelsText) {
  const std::string status =
      "Name:\tpython\nUid:\t1000\t0\t0\t0\nGid:\t100\t42\t42\t42\nGroups:\t7 100 \nCapEff:\tff\n";
  const Result<FileRights> rights = FileRightsIn(status, 1000);
  ASSERT_TRUE(rights.ok()) << rights.status().message();
  // What a privileged program runs as is not its user's.
  EXPECT_EQ(rights->gid, 100U);
  EXPECT_THAT(rights->groups, ElementsAre(7U, 100U));
  EXPECT_EQ(rights->capabilities, 0U) << "of a user namespace, perhaps";
  EXPECT_THAT(FileRightsIn(status, 1001).status().message(), HasSubstr("user 1000 now"));
  EXPECT_FALSE(FileRightsIn("Uid:\t1000\n", 1000).ok());
  EXPECT_FALSE(FileRightsIn("", 0).ok());
  EXPECT_EQ(FileRightsIn("Uid: 0\nGid: 0\nGroups:\nCapEff: 3\n", 0)->capabilities, 3U);
}

class ActingAsTest : public ::testing::Test {
 protected:
  ActingAsTest() : folder_(testing::TempDir() + "/acting" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_);
    chmod(folder_.c_str(), 0711);
    std::ofstream(folder_ + "/mine") << "secret";
    chmod((folder_ + "/mine").c_str(), 0600);
  }
  ~ActingAsTest() override { std::filesystem::remove_all(folder_); }
  const std::string folder_;
};

TEST_F(ActingAsTest, NobodyDoesNotReadWhatIsRoots) {
  if (geteuid() != 0) GTEST_SKIP() << "takes root";
  // Another thread goes on as it is.
  std::promise<void> go;
  std::future<bool> other = std::async(std::launch::async, [&] {
    go.get_future().wait();
    return CanRead(folder_ + "/mine");
  });
  {
    const ActingAs nobody({.uid = kActingAsNobody, .gid = kActingAsNobody});
    EXPECT_TRUE(nobody.is_them());
    EXPECT_FALSE(CanRead(folder_ + "/mine"));
    go.set_value();
    EXPECT_TRUE(other.get());
  }
  EXPECT_TRUE(CanRead(folder_ + "/mine"));
}

TEST_F(ActingAsTest, RootOfAContainerHasNoMoreThanItsCapabilities) {
  if (geteuid() != 0) GTEST_SKIP() << "takes root";
  ASSERT_EQ(chown((folder_ + "/mine").c_str(), kActingAsNobody, kActingAsNobody), 0);
  {
    const ActingAs root({.uid = 0, .gid = 0, .groups = {}, .capabilities = 0});
    EXPECT_TRUE(root.is_them());
    EXPECT_FALSE(CanRead(folder_ + "/mine"));
  }
  EXPECT_TRUE(CanRead(folder_ + "/mine"));
  const ActingAs root({.uid = 0, .gid = 0, .groups = {}, .capabilities = ~0ULL});
  EXPECT_TRUE(CanRead(folder_ + "/mine"));
}

TEST_F(ActingAsTest, WhoIsNoRootActsAsHimself) {
  if (geteuid() == 0) GTEST_SKIP() << "is root";
  const ActingAs other({.uid = getuid() + 1, .gid = getgid()});
  EXPECT_FALSE(other.is_them());
  EXPECT_TRUE(CanRead(folder_ + "/mine"));
}

}  // namespace
}  // namespace rankscope::agent
