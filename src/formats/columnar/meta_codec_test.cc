#include "formats/columnar/meta_codec.h"

#include <gtest/gtest.h>

#include <cstring>

namespace rankscope::columnar {
namespace {

RankTrace Example() {
  RankTrace trace;
  TraceMeta& meta = trace.meta;
  meta.path = "dir/trace.json";
  meta.base_ns = 1'700'000'000'000'000'000;
  meta.has_base = true;
  meta.rank = 3;
  meta.world_size = 8;
  meta.format = "a format";
  meta.backend = "nccl";
  meta.host_name = "node";
  meta.trace_id = "id";
  meta.distributed_info = "{}";
  meta.devices = {{1, "GPU", 80, 132, 9, 0, 32, 2048}, {2, "", -1, -1, -1, -1, -1, -1}};
  meta.quality = {{QualityCode::kOther, -1, 5, "what"}, {QualityCode::kTruncated, 99, 1, "cut"}};
  meta.event_count = 10;
  meta.flow_count = 11;
  meta.metadata_count = 12;
  meta.bad_event_count = 13;
  meta.text_bytes = 14;
  meta.file_bytes = 15;
  trace.categories = {0, 7};
  trace.begin_ns = -5;
  trace.finish_ns = 77;
  return trace;
}

TEST(MetaCodec, RoundTrip) {
  RankTrace read;
  ASSERT_TRUE(DecodeMeta(EncodeMeta(Example()), read));
  EXPECT_EQ(EncodeMeta(read), EncodeMeta(Example()));
  EXPECT_EQ(read.meta.path, "dir/trace.json");
  EXPECT_EQ(read.meta.base_ns, 1'700'000'000'000'000'000);
  EXPECT_TRUE(read.meta.has_base);
  EXPECT_EQ(read.meta.rank, 3);
  EXPECT_EQ(read.meta.world_size, 8);
  EXPECT_EQ(read.meta.format, "a format");
  EXPECT_EQ(read.meta.backend, "nccl");
  EXPECT_EQ(read.meta.host_name, "node");
  EXPECT_EQ(read.meta.trace_id, "id");
  EXPECT_EQ(read.meta.distributed_info, "{}");
  ASSERT_EQ(read.meta.devices.size(), 2U);
  EXPECT_EQ(read.meta.devices[0].name, "GPU");
  EXPECT_EQ(read.meta.devices[0].memory_bytes, 80);
  EXPECT_EQ(read.meta.devices[0].sm_count, 132);
  EXPECT_EQ(read.meta.devices[0].compute_major, 9);
  EXPECT_EQ(read.meta.devices[0].compute_minor, 0);
  EXPECT_EQ(read.meta.devices[0].warp_size, 32);
  EXPECT_EQ(read.meta.devices[0].max_threads_per_sm, 2048);
  EXPECT_EQ(read.meta.devices[1].id, 2);
  ASSERT_EQ(read.meta.quality.size(), 2U);
  EXPECT_EQ(read.meta.quality[0].code, QualityCode::kOther);
  EXPECT_EQ(read.meta.quality[0].byte, -1);
  EXPECT_EQ(read.meta.quality[0].count, 5);
  EXPECT_EQ(read.meta.quality[1].message, "cut");
  EXPECT_EQ(read.meta.event_count, 10U);
  EXPECT_EQ(read.meta.flow_count, 11U);
  EXPECT_EQ(read.meta.metadata_count, 12U);
  EXPECT_EQ(read.meta.bad_event_count, 13U);
  EXPECT_EQ(read.meta.text_bytes, 14U);
  EXPECT_EQ(read.meta.file_bytes, 15U);
  EXPECT_EQ(read.categories, (std::vector<StringId>{0, 7}));
  EXPECT_EQ(read.begin_ns, -5);
  EXPECT_EQ(read.finish_ns, 77);
}

TEST(MetaCodec, RefusesEveryPrefixAndAnyExtraByte) {
  const std::string bytes = EncodeMeta(Example());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    RankTrace read;
    EXPECT_FALSE(DecodeMeta(std::string_view(bytes).substr(0, size), read)) << size;
  }
  RankTrace read;
  EXPECT_FALSE(DecodeMeta(bytes + "x", read));
}

TEST(MetaCodec, RefusesAHugeCountAndAnUnknownCode) {
  RankTrace trace;
  trace.meta.quality = {{QualityCode::kOther, 1, 1, ""}};
  std::string bytes = EncodeMeta(trace);
  // From the end: bounds (16), count of categories (8), the entry (25), the count of entries (8).
  const std::size_t entry = bytes.size() - 16 - 8 - 25;
  ASSERT_EQ(bytes[entry], static_cast<char>(QualityCode::kOther));
  std::string unknown = bytes;
  unknown[entry] = static_cast<char>(static_cast<int>(QualityCode::kOther) + 1);
  RankTrace read;
  EXPECT_FALSE(DecodeMeta(unknown, read));
  const std::uint64_t huge = UINT64_MAX / 2;
  std::memcpy(bytes.data() + entry - 8, &huge, sizeof(huge));
  EXPECT_FALSE(DecodeMeta(bytes, read));
}

}  // namespace
}  // namespace rankscope::columnar
