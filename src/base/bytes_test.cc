#include "base/bytes.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rankscope {
namespace {

std::string Sample() {
  ByteWriter out;
  out.Put(std::uint8_t{200});
  out.Put(std::int64_t{-5});
  out.PutString("text");
  out.Put(1.5);
  out.PutString("");
  out.Put(std::uint32_t{0xAABBCCDD});
  return out.bytes();
}

TEST(Bytes, LittleEndianWithoutPadding) {
  ByteWriter out;
  out.Put(std::uint16_t{0x0102});
  out.PutString("ab");
  EXPECT_EQ(out.bytes(), std::string("\x02\x01\x02\0\0\0\0\0\0\0ab", 12));
}

TEST(Bytes, RoundTrip) {
  const std::string bytes = Sample();
  ByteReader in(bytes);
  EXPECT_EQ(in.Get<std::uint8_t>(), 200);
  EXPECT_EQ(in.Get<std::int64_t>(), -5);
  EXPECT_EQ(in.GetString(), "text");
  EXPECT_EQ(in.Get<double>(), 1.5);
  EXPECT_EQ(in.GetString(), "");
  EXPECT_FALSE(in.at_end());
  EXPECT_EQ(in.Get<std::uint32_t>(), 0xAABBCCDD);
  EXPECT_TRUE(in.at_end());
  EXPECT_TRUE(in.ok());
}

TEST(Bytes, EveryPrefixFailsOnceAndForAll) {
  const std::string bytes = Sample();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ByteReader in(std::string_view(bytes).substr(0, size));
    in.Get<std::uint8_t>();
    in.Get<std::int64_t>();
    in.GetString();
    in.Get<double>();
    in.GetString();
    EXPECT_EQ(in.Get<std::uint32_t>(), 0U) << size;
    EXPECT_FALSE(in.ok()) << size;
    EXPECT_EQ(in.Get<std::uint8_t>(), 0) << "nothing is read after a failure";
    EXPECT_EQ(in.GetString(), "");
  }
}

TEST(Bytes, ClaimedSizesAreNotBelieved) {
  ByteWriter out;
  out.Put(UINT64_MAX);
  out.Put(std::uint64_t{0});
  ByteReader string(out.bytes());
  EXPECT_EQ(string.GetString(), "");
  EXPECT_FALSE(string.ok());
  ByteReader count(out.bytes());
  EXPECT_EQ(count.GetCount(1), 0U);
  EXPECT_FALSE(count.ok());
}

TEST(Bytes, CountsMustFitTheRest) {
  for (const std::uint64_t records : {2, 3}) {
    ByteWriter out;
    out.Put(records);
    out.PutString("1234567");  // 15 bytes: two records of 7, not three
    ByteReader in(out.bytes());
    EXPECT_EQ(in.GetCount(7), records == 2 ? 2U : 0U);
    EXPECT_EQ(in.ok(), records == 2);
  }
}

}  // namespace
}  // namespace rankscope
