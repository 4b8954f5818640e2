#include "tools/scrub/scrub.h"

#include <gmock/gmock.h>

#include "tools/scrub/json_scrubber.h"
#include "tools/tools_for_test.h"

namespace rankscope::tools {
namespace {

using testing::HasSubstr;
using testing::Not;

// The reference vector of the authors: key 00..0f, text 00..0e.
TEST(SipHash, IsTheOneThatWasPublished) {
  std::string text;
  for (char c = 0; c < 15; ++c) text += c;
  EXPECT_EQ(SipHash({0x0706050403020100U, 0x0f0e0d0c0b0a0908U}, text), 0xa129ca6149be45e5U);
}

class NamesTest : public testing::Test {
 protected:
  // The text with each replacement written as <word>.
  std::string Scrub(std::string_view text, NameKind kind) {
    std::string scrubbed = names_.Scrub(text, kind);
    for (const char* word : {"alice", "acme", "secret", "frobnicate", "10.1.2.3", "zürich",
                             "mygemmthing", "frobber", "prod7x"}) {
      const std::string token = [&] {
        NameScrubber one(key_, nullptr);
        const std::string host = one.Scrub(word, NameKind::kHost);
        return host.substr(5);
      }();
      for (std::size_t at = 0; (at = scrubbed.find(token, at)) != std::string::npos;)
        scrubbed.replace(at, token.size(), "<" + std::string(word) + ">");
    }
    return scrubbed;
  }
  SipKey key_{1, 2};
  NameScrubber names_{key_, nullptr};
};

TEST_F(NamesTest, CodeKeepsWhatIsPublic) {
  for (const char* name :
       {"aten::addmm", "void at::native::(anonymous namespace)::softmax_kernel<float, 4>(int)",
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "cudaLaunchKernel", "Memcpy HtoD (Pageable -> Device)", "AddmmBackward0",
        "triton_poi_fused_add_mul_0", "c10::BFloat16"})
    EXPECT_EQ(Scrub(name, NameKind::kCode), name);
  EXPECT_EQ(Scrub("acme_flash_attention_fwd<Alice>", NameKind::kCode),
            "<acme>_flash_attention_fwd<<alice>>");
  EXPECT_EQ(Scrub("mygemmthing", NameKind::kCode), "<mygemmthing>gemm") << "its class stays";
  EXPECT_EQ(Scrub("acme::frobnicate", NameKind::kCode), "<acme>::<frobnicate>");
}

TEST_F(NamesTest, OtherTextsKeepGenericWords) {
  EXPECT_EQ(Scrub("ProfilerStep#12", NameKind::kGeneric), "ProfilerStep#12");
  EXPECT_EQ(Scrub("/home/alice/acme/train.py", NameKind::kGeneric),
            "/home/<alice>/<acme>/train.py");
  EXPECT_EQ(Scrub("10.1.2.3:80", NameKind::kGeneric), "<10.1.2.3>:80");
  EXPECT_EQ(Scrub("ZÜRICH", NameKind::kGeneric).substr(0, 1), "x");
  EXPECT_EQ(Scrub("prod7x", NameKind::kGeneric), "<prod7x>");
  EXPECT_EQ(Scrub("", NameKind::kHost), "");
}

TEST_F(NamesTest, PythonKeepsPublicPackages) {
  EXPECT_EQ(Scrub("/home/alice/env/lib/python3.10/site-packages/torch/nn/modules/linear.py(114): "
                  "forward;acme/frobber.py(3): secret",
                  NameKind::kPython),
            Scrub("/home/alice/env/lib/python3.10/site-packages/", NameKind::kPython) +
                "torch/nn/modules/linear.py(114): forward;<acme>/<frobber>.py(3): <secret>");
  EXPECT_EQ(Scrub("nn.Module: Linear_0", NameKind::kPython), "nn.Module: Linear_0");
  EXPECT_EQ(Scrub("nn.Module: AcmeLinear_3", NameKind::kPython), "nn.Module: <acme>Linear_3");
}

TEST(JsonScrubber, NumbersAndWhatIsKnownStay) {
  JsonScrubber json({3, 4}, nullptr);
  const auto scrub = [&](std::string_view text) {
    std::string out;
    EXPECT_TRUE(json.Append(text, JsonRole::kEvent, NameKind::kCode, out));
    return out;
  };
  for (const char* broken :
       {R"({"pid": alice})", R"({"pid": \"42, "a": "b"})", R"({"a": 1)", R"({"a": "b)"}) {
    std::string out = "x";
    EXPECT_FALSE(json.Append(broken, JsonRole::kEvent, NameKind::kCode, out)) << broken;
    EXPECT_EQ(out, "x");
  }
  const std::string_view kept =
      R"({"ph": "X", "cat": "kernel", "name": "sgemm", "pid": 0, "tid": 7, "ts": 1.50, "id": "0x1f", "args": {"stream": 7, "grid": [1, 2, 3], "External id": 18446744073709551615, "Input type": ["float", "Scalar"]}})";
  EXPECT_EQ(scrub(kept), kept);
  const std::string changed = scrub(
      R"({"cat": "acme", "pid": "alice\n", "id": "bob", "args": {"acme key": {"deep": ["al\u0069ce", 5]}}, "secretkey": null})");
  for (const char* word : {"acme", "alice", "bob", "secretkey", "deep", "al\\u0069ce"})
    EXPECT_THAT(changed, Not(HasSubstr(word)));
  EXPECT_THAT(changed, HasSubstr(" 5]"));
  EXPECT_THAT(changed, HasSubstr(": null}"));
}

class ScrubTest : public ToolsTest {};

TEST_F(ScrubTest, OneKeyGivesOneNameAndAMapTellsIt) {
  const std::string text =
      R"({"host_name": "box17.acme.com", "traceName": "/tmp/alice/t.json", "acme": {"acme": "frob"},
"traceEvents": [{"ph":"X","cat":"user_annotation","name":"alice forward","pid":1,"tid":1,"ts":1,"dur":2}]})";
  const std::string in = Write("in.json", text);
  const auto key = KeyOf("0123456789abcdef");
  ASSERT_TRUE(key.ok());
  ReplacementLog log;
  ASSERT_TRUE(ScrubTrace(in, Path("a.json"), *key, &log, 2).ok());
  ASSERT_TRUE(ScrubTrace(in, Path("b.json"), *key, nullptr, 1).ok());
  ASSERT_TRUE(ScrubTrace(in, Path("c.json"), *KeyOf("another key, longer"), nullptr, 1).ok());
  const std::string a = TextOf(Path("a.json"));
  EXPECT_EQ(a, TextOf(Path("b.json")));
  EXPECT_NE(a, TextOf(Path("c.json")));
  EXPECT_NE(KeyOf("")->low, KeyOf("")->low);
  for (const char* word : {"alice", "acme", "box17", "frob"}) EXPECT_THAT(a, Not(HasSubstr(word)));
  EXPECT_THAT(a, HasSubstr("forward"));
  EXPECT_THAT(log.Json(), HasSubstr("\"alice\":\"x"));
  EXPECT_THAT(log.Json(), HasSubstr("\"box17.acme.com\":\"x"));
}

}  // namespace
}  // namespace rankscope::tools
