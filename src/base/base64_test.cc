#include "base/base64.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

// RFC 4648, section 10.
TEST(Base64, PadsToFours) {
  EXPECT_EQ(ToBase64(""), "");
  EXPECT_EQ(ToBase64("f"), "Zg==");
  EXPECT_EQ(ToBase64("fo"), "Zm8=");
  EXPECT_EQ(ToBase64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(ToBase64("\x03\xec\xff\xe0\xc1"), "A+z/4ME=");
}

TEST(Base64Url, GoesBothWaysAndTakesOneSpellingAlone) {
  // RFC 7515, appendix C.
  EXPECT_EQ(ToBase64Url("\x03\xec\xff\xe0\xc1"), "A-z_4ME");
  EXPECT_EQ(FromBase64Url("A-z_4ME"), "\x03\xec\xff\xe0\xc1");
  EXPECT_EQ(FromBase64Url(""), "");
  for (const char* wrong : {"A-z_4ME=", "A+z/4ME", "A-z_4MF", "A", "A z_", "A-z_4\n"})
    EXPECT_FALSE(FromBase64Url(wrong)) << wrong;
}

}  // namespace
}  // namespace rankscope
