#include "formats/kineto/by_process/legacy_autograd.h"

#include <gtest/gtest.h>

#include <string>

#include "formats/columnar/check.h"
#include "formats/kineto/reader.h"

namespace rankscope::kineto {
namespace {

RankTrace MustRead(std::string_view events) {
  const std::string text = "[" + std::string(events) + "]";
  const auto source = OpenByteSource(std::string_view(text));
  auto trace = ReadTrace(*source, "file");
  EXPECT_TRUE(trace.ok()) << trace.status().message();
  EXPECT_TRUE(columnar::IsSound(*trace));
  return std::move(trace).value();
}

// An op in another one that begins with it; the arrow leaves the inner one.
TEST(LegacyAutograd, OpsAndTheirWork) {
  const RankTrace trace = MustRead(R"(
    {"name":"linear","ph":"X","ts":100.0,"dur":250,"tid":1,"pid":"CPU functions","args":{}},
    {"name":"mm","ph":"X","ts":100.0,"dur":200,"tid":1,"pid":"CPU functions","args":{}},
    {"name":"mm","ph":"s","ts":100.0,"tid":1,"pid":"CPU functions","id":0,"cat":"cpu_to_cuda"},
    {"name":"mm","ph":"f","ts":400.0,"tid":3,"pid":"CUDA functions","id":0,"cat":"cpu_to_cuda"},
    {"name":"mm on CUDA","ph":"X","ts":400.0,"dur":500,"tid":3,"pid":"CUDA functions"},
    {"name":"alone","ph":"X","ts":950.0,"dur":5,"tid":3,"pid":"CUDA functions"})");
  ASSERT_EQ(trace.row_count(), 4U);
  EXPECT_EQ(trace.name_of(0), "linear");
  EXPECT_EQ(trace.name_of(1), "mm");
  EXPECT_EQ(trace.kind[1], EventKind::kCpuOp);
  EXPECT_EQ(trace.track_of(1).domain, Domain::kHost);
  EXPECT_EQ(trace.parent[1], 0U);
  EXPECT_EQ(trace.kind[2], EventKind::kKernel);
  EXPECT_EQ(trace.track_of(2).domain, Domain::kDevice);
  EXPECT_EQ(trace.track_of(2).first, 3);
  EXPECT_EQ(trace.dur_ns[2], 500'000);
  EXPECT_EQ(trace.link[2], 1U);
  EXPECT_EQ(trace.link[3], kNoRow);
}

TEST(LegacyAutograd, AnArrowToNowhereLinksNothing) {
  const RankTrace trace = MustRead(R"(
    {"name":"mm","ph":"X","ts":100,"dur":200,"tid":1,"pid":"CPU functions"},
    {"name":"mm","ph":"s","ts":500,"tid":1,"pid":"CPU functions","id":0,"cat":"cpu_to_cuda"},
    {"name":"mm","ph":"f","ts":400,"tid":0,"pid":"CUDA functions","id":0,"cat":"cpu_to_cuda"},
    {"name":"mm","ph":"f","ts":400,"tid":0,"pid":"CUDA functions","id":9,"cat":"cpu_to_cuda"},
    {"name":"mm","ph":"X","ts":400,"dur":500,"tid":0,"pid":"CUDA functions"})");
  ASSERT_EQ(trace.row_count(), 2U);
  EXPECT_EQ(trace.link[1], kNoRow);
}

}  // namespace
}  // namespace rankscope::kineto
