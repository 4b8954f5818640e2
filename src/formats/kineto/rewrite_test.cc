#include "formats/kineto/rewrite.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "formats/kineto/overlay.h"
#include "formats/kineto/reader.h"

namespace rankscope::kineto {
namespace {

class Rewrite : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Put(std::string_view text) {
    std::ofstream(in(), std::ios::binary) << text;
    return in();
  }
  std::string in() const { return folder_ + "/in.json"; }
  std::string out() const { return folder_ + "/out.json"; }
  static std::string Read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }

  std::string folder_;
};

TEST_F(Rewrite, KeepsWhatIsNotChanged) {
  Put(R"({"schemaVersion": 1, "traceEvents": [
  {"ph": "X", "name": "a \"}{\" b", "ts": 1.5, "dur": 2, "args": {"x": [1, {"args": 3}]}} ,
  {"ph":"i","name":"b"}], "traceName": "t"})");
  ASSERT_TRUE(RewriteTrace(in(), out(), {}).ok());
  EXPECT_EQ(Read(out()), R"({
  "schemaVersion": 1,
  "traceName": "t",
  "traceEvents": [
{"ph": "X", "name": "a \"}{\" b", "ts": 1.5, "dur": 2, "args": {"x": [1, {"args": 3}]}},
{"ph":"i","name":"b"}
  ]
}
)");
}

TEST_F(Rewrite, PutsArgumentsWhereTheyBelong) {
  Put(R"([{"ph":"X","args":{"args":{}}},{"ph":"X","args":{ }},{"ph":"X"},{},{"args":"text","ph":"X"}])");
  TraceEdit edit;
  edit.args = [](std::uint32_t) { return R"("c":1)"; };
  ASSERT_TRUE(RewriteTrace(in(), out(), edit).ok());
  EXPECT_EQ(Read(out()), R"({
  "traceEvents": [
{"ph":"X","args":{"c":1,"args":{}}},
{"ph":"X","args":{"c":1 }},
{"args":{"c":1},"ph":"X"},
{"args":{"c":1}},
{"args":{"c":1},"args":"text","ph":"X"}
  ]
}
)");
}

TEST_F(Rewrite, ChoosesAndAppends) {
  Put(R"({"traceEvents": [{"n":0}, 17, {"n":2}, {"broken: }, {"ph":"X","n":4}]})");
  TraceEdit edit;
  std::vector<std::uint32_t> seen;
  edit.keeps = [&](std::uint32_t event, std::string_view) {
    seen.push_back(event);
    return false;
  };
  edit.append = [](const auto& write) { return write(R"({"new":1})"); };
  ASSERT_TRUE(RewriteTrace(in(), out(), edit).ok());
  EXPECT_EQ(Read(out()), "{\n  \"traceEvents\": [\n{\"new\":1}\n  ]\n}\n");
  ASSERT_GE(seen.size(), 2U);
  EXPECT_EQ(seen[0], 0U);
  EXPECT_EQ(seen[1], 2U);
}

TEST_F(Rewrite, NeedsATrace) {
  Put("{}");
  const Status status = RewriteTrace(in(), out(), {});
  EXPECT_FALSE(status.ok());
  EXPECT_FALSE(std::filesystem::exists(out()));
}

TEST(MemberOf, IsTheEventsOwn) {
  EXPECT_EQ(MemberOf(R"({"args": {"ph": "B"}, "ph" : "X" })", "ph"), "X");
  EXPECT_EQ(MemberOf(R"({"args": {"ph": "B"}})", "ph"), "");
  EXPECT_EQ(MemberOf(R"({"ts":12.5,"dur": 3})", "ts"), "12.5");
  EXPECT_EQ(MemberOf(R"({"dur": 3})", "dur"), "3");
  EXPECT_EQ(MemberOf(R"({"dur)", "dur"), "");
  EXPECT_EQ(MemberOf(R"({"a\"ph": 1, "ph":"M"})", "ph"), "M");
}

TEST_F(Rewrite, AnOverlayLeavesTheTraceAsItWas) {
  Put(R"({"baseTimeNanoseconds": 1000, "traceEvents": [
{"ph":"X","cat":"cpu_op","name":"mm","pid":5,"tid":6,"ts":10,"dur":20,"args":{"External id":1}},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":15.5,"dur":2,"args":{"device":0,"stream":7}},
{"ph":"M","name":"process_name","pid":5,"tid":0,"ts":0,"args":{"name":"python"}}]})");
  const RankTrace before = ReadTrace(in(), ReadOptions{}).value();
  Overlay overlay;
  overlay.parts = {{10'000, 15'500, 0, "host", "mm"}, {15'500, 17'500, 1, "compute", "ge\"mm"}};
  overlay.arrows = {{before.track[0], before.track[1], 15'499, 15'500, "launch"}};
  for (const bool only : {false, true}) {
    overlay.only_path = only;
    ASSERT_TRUE(WriteOverlay(before, overlay, out()).ok());
    const RankTrace after = ReadTrace(out(), ReadOptions{}).value();
    EXPECT_EQ(after.meta.bad_event_count, 0U);
    EXPECT_EQ(after.meta.base_ns, 1000);
    for (Row row = 0; row < before.row_count(); ++row) {
      EXPECT_EQ(after.ts_ns[row], before.ts_ns[row]);
      EXPECT_EQ(after.name_of(row), before.name_of(row));
      EXPECT_EQ(after.kind[row], before.kind[row]);
    }
    EXPECT_EQ(after.begin_ns, before.begin_ns);
    EXPECT_EQ(after.finish_ns, before.finish_ns);
  }
  const std::string text = Read(out());
  EXPECT_NE(text.find(R"("args":{"critical": 1,"External id":1})"), std::string::npos);
  EXPECT_NE(text.find(R"("name": "ge\"mm")"), std::string::npos);
}

}  // namespace
}  // namespace rankscope::kineto
