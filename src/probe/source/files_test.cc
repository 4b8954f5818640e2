#include "probe/source/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "probe/source/fake_reader_for_test.h"
#include "probe/source/paths.h"

namespace rankscope::probe {
namespace {

namespace fs = std::filesystem;

class FilesTest : public ::testing::Test {
 protected:
  FilesTest() {
    std::string name = (fs::temp_directory_path() / "probe_files_XXXXXX").string();
    root_ = mkdtemp(name.data());
    fs::create_directories(root_ + "/sys/dev");
    fs::create_directories(root_ + "/etc");
  }
  ~FilesTest() override { fs::remove_all(root_); }

  void Write(const std::string& path, const std::string& text) {
    std::ofstream(root_ + path) << text;
  }
  Reading Read(const std::string& what) {
    const Spec spec = SpecOf("    vendor_x = " + what + "\n");
    return Files(root_).Read(spec.devices[0].sources[0], {});
  }
  std::string Value(const std::string& what) { return ValueText(Read(what).value); }

  std::string root_;
};

TEST_F(FilesTest, TextsBecomeValuesOfTheirType) {
  Write("/sys/dev/n", " 42\n");
  Write("/sys/dev/hex", "0x1f\n");
  Write("/sys/dev/negative", "-7");
  Write("/sys/dev/real", "1.5e3\n");
  Write("/sys/dev/name", "Accel  One\n");
  Write("/sys/dev/top", "4294967295\n");
  EXPECT_EQ(Value("gauge(file(\"/sys/dev/n\", i64), unit=none)"), "42");
  EXPECT_EQ(Value("gauge(file(\"/sys/dev/hex\", u8), unit=none)"), "31");
  EXPECT_EQ(Value("gauge(file(\"/sys/dev/negative\", i8), unit=none)"), "-7");
  EXPECT_EQ(Value("gauge(file(\"/sys/dev/real\", f64), unit=none)"), "1500");
  EXPECT_EQ(Value("text(\"/sys/dev/name\")"), "'Accel  One'");
  EXPECT_EQ(Value("gauge(file(\"/sys/dev/top\", u32), unit=none)"), "4294967295");
  EXPECT_EQ(Value("gauge(file(\"/sys/dev/top\", u32, na=0xFFFFFFFF), unit=none)"), "absent");
  EXPECT_EQ(Value("gauge(file(\"/sys/dev/top\", i32), unit=none)"), "absent");
  EXPECT_EQ(Value("gauge(file(\"/sys/dev/negative\", u32), unit=none)"), "absent");
}

TEST_F(FilesTest, KeysFindTheirWord) {
  Write("/sys/dev/stat", "cpu  10 20 30\ncpu0 1 2 3\nMemFree:   99 kB\n");
  EXPECT_EQ(Value("gauge(file(\"/sys/dev/stat\", u64, key=\"cpu\", column=3), unit=none)"), "30");
  EXPECT_EQ(Value("gauge(file(\"/sys/dev/stat\", u64, key=\"MemFree:\"), unit=none)"), "99");
  EXPECT_EQ(Value("gauge(file(\"/sys/dev/stat\", u64, key=\"cpu\", column=4), unit=none)"),
            "absent");
  EXPECT_EQ(Value("gauge(file(\"/sys/dev/stat\", u64, key=\"cp\"), unit=none)"), "absent");
}

TEST_F(FilesTest, EveryFaultHasItsKind) {
  Write("/sys/dev/words", "no number\n");
  Write("/sys/dev/empty", "");
  Write("/sys/dev/bytes", "\xff\xfe");
  Write("/etc/secret", "1\n");
  fs::create_directory(root_ + "/sys/dev/folder");
  fs::create_symlink("../../etc/secret", root_ + "/sys/dev/out");
  ASSERT_EQ(mkfifo((root_ + "/sys/dev/fifo").c_str(), 0600), 0);
  const auto fault = [&](const std::string& name) {
    return Read("gauge(file(\"/sys/dev/" + name + "\", i64), unit=none)").fault;
  };
  EXPECT_EQ(fault("none"), ReadFault::kMissing);
  EXPECT_EQ(fault("words"), ReadFault::kUnreadable);
  EXPECT_EQ(fault("empty"), ReadFault::kUnreadable);
  EXPECT_EQ(fault("folder"), ReadFault::kUnreadable);
  EXPECT_EQ(fault("fifo"), ReadFault::kUnreadable);
  EXPECT_EQ(fault("out"), ReadFault::kRefused);
  EXPECT_EQ(Read("text(\"/sys/dev/bytes\")").fault, ReadFault::kUnreadable);
  EXPECT_EQ(
      Read("gauge(file(\"/sys/dev/words\", i64), unit=none)").why,
      "/sys/dev/words: 'no number' is no number of its type; take a wider type or str, or one "
      "word of it by key=");
}

TEST_F(FilesTest, AFileThatIsReplacedIsOpenedAgain) {
  const Spec spec = SpecOf("    vendor_x = gauge(file(\"/sys/dev/n\", i64), unit=none)\n");
  const Source& source = spec.devices[0].sources[0];
  Files files(root_);
  Write("/sys/dev/n", "1\n");
  EXPECT_EQ(ValueText(files.Read(source, {}).value), "1");
  Write("/sys/dev/n", "2\n");  // in place, as a driver does
  EXPECT_EQ(ValueText(files.Read(source, {}).value), "2");
  Write("/sys/dev/new", "3\n");
  fs::rename(root_ + "/sys/dev/new", root_ + "/sys/dev/n");
  EXPECT_EQ(ValueText(files.Read(source, {}).value), "3");
  fs::remove(root_ + "/sys/dev/n");
  EXPECT_EQ(files.Read(source, {}).fault, ReadFault::kMissing);
  Write("/sys/dev/n", "4\n");
  EXPECT_EQ(ValueText(files.Read(source, {}).value), "4");
}

TEST_F(FilesTest, PatternsMeetInNaturalOrder) {
  for (const char* name : {"accel10", "accel2", "accel1", "other"})
    fs::create_directories(root_ + "/sys/class/" + name + "/hwmon/hwmon3");
  const std::vector<std::string> expected = {"/sys/class/accel1", "/sys/class/accel2",
                                             "/sys/class/accel10"};
  EXPECT_EQ(Matches(root_, "/sys/class/accel*"), expected);
  EXPECT_EQ(Matches(root_, "/sys/class/accel2/hwmon/hwmon*"),
            std::vector<std::string>{"/sys/class/accel2/hwmon/hwmon3"});
  EXPECT_TRUE(Matches(root_, "/sys/none/*").empty());
  EXPECT_EQ(NameOfMatch("/sys/class/drm/card0/device", "/sys/class/drm/card*/device"), "card0");
  Write("/sys/class/accel2/hwmon/hwmon3/temp1_input", "41000\n");
  const Spec spec = SpecOf(
      "    instances = glob(\"/sys/class/accel*\")\n"
      "    vendor_x = gauge(file(\"hwmon/hwmon*/temp1_input\", i64), unit=none)\n");
  Files files(root_);
  const Source& source = spec.devices[0].sources[0];
  EXPECT_EQ(ValueText(files.Read(source, {.folder = "/sys/class/accel2"}).value), "41000");
  EXPECT_EQ(files.Read(source, {.folder = "/sys/class/accel1"}).fault, ReadFault::kMissing);
}

}  // namespace
}  // namespace rankscope::probe
