// What is generated of a specification: tests/golden/probe/Chip.h.txt and Chip.cc.txt, which
// RANKSCOPE_UPDATE_GOLDEN=1 writes anew. tests/probe_compile_test.py builds and runs such code.
#include "probe/compile/generate.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/file.h"
#include "probe/compile/cpp.h"
#include "probe/source/fake_reader_for_test.h"

namespace rankscope::probe {
namespace {

TEST(Generate, WritesWhatItAlwaysWrote) {
  const Spec spec = SpecOf(
      "    instances = glob(\"/sys/class/accel/accel*\", where=text(\"vendor\") == \"0x1234\")\n"
      "    drv = library(\"libchip.so\", codes=enum(i32, TIMEOUT=10))\n"
      "    st_t = struct(version=u32, busy_ns=array(u64, 4), state=enum(u32, IDLE=0, RUN=1))\n"
      "    handle = drv.call(\"chip_open\", index, out(ptr), cache=forever)\n"
      "    st = drv.call(\"chip_stats\", handle, out(st_t, version=2), every=ms(500))\n"
      "    busy = [delta(st.busy_ns[i], wrap=48) for i in range(4)]\n"
      "    unused = file(\"unused\", u64)\n"
      "    device_utilization = gauge(max(busy) / delta(monotonic_ns()), unit=ratio, lo=0, hi=1)\n"
      "    vendor_state = st.state\n"
      "    health = \"ok\" if st.state == RUN else absent\n");
  const char* const root = std::getenv("RANKSCOPE_SOURCE_DIR");
  ASSERT_NE(root, nullptr) << "ctest sets RANKSCOPE_SOURCE_DIR";
  const std::vector<GeneratedFile> files = Generate(spec, "rankscope");
  ASSERT_EQ(files.size(), 2u);
  for (const GeneratedFile& file : files) {
    const std::string path = std::string(root) + "/tests/golden/probe/" + file.name + ".txt";
    if (std::getenv("RANKSCOPE_UPDATE_GOLDEN") != nullptr) {
      ASSERT_TRUE(WriteFileAtomically(path, file.text).ok());
    }
    const auto golden = ReadFile(path);
    ASSERT_TRUE(golden.ok()) << path;
    EXPECT_EQ(file.text, *golden);
  }
}

TEST(Generate, TextsStayTexts) {
  EXPECT_EQ(Quoted("a\"b\\c\n1"), "\"a\\042b\\134c\\0121\"");
  EXPECT_EQ(LiteralOf({std::int64_t{INT64_MIN}}), "std::numeric_limits<std::int64_t>::min()");
  EXPECT_EQ(LiteralOf({0.1}), "double{0x1.999999999999ap-4}");
}

}  // namespace
}  // namespace rankscope::probe
