#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "json/reader.h"
#include "load/requests/answer.h"
#include "load/requests/body.h"
#include "load/requests/event_stream.h"
#include "load/requests/prompt.h"
#include "load/requests/target_url.h"

namespace rankscope::load {
namespace {

std::vector<std::string> EventsOf(std::string_view text, std::size_t piece) {
  EventStream stream;
  std::vector<std::string> events;
  for (std::size_t at = 0; at < text.size(); at += piece)
    stream.Take(text.substr(at, piece), [&](std::string_view data) { events.emplace_back(data); });
  return events;
}

TEST(EventStream, FindsEventsWhereverPiecesEnd) {
  const std::string text =
      ": hello\r\ndata: one\r\n\r\nevent: x\ndata:two\ndata: three\n\nid: 1\n\ndata: cut off";
  for (std::size_t piece = 1; piece <= text.size(); ++piece)
    EXPECT_EQ(EventsOf(text, piece), (std::vector<std::string>{"one", "two\nthree"})) << piece;
}

serving::Request Finished(Answer& answer) {
  serving::Request request;
  answer.Finish(request);
  return request;
}

TEST(Answer, OfAStreamHasItsTokensAndGaps) {
  Answer answer(Endpoint::kCompletions, true);
  answer.SetStatus(200);
  answer.Take(10, "data: {\"choices\":[{\"text\":\"\"}]}\n\n");  // no token yet
  answer.Take(50, "data: {\"choices\":[{\"text\":\" a\"}]}\n\n");
  answer.Take(70, "data: {\"choices\":[{\"text\":\" b\",\"finish_reason\":\"length\"}]}\n\n");
  answer.Take(71,
              "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":4,"
              "\"prompt_tokens_details\":{\"cached_tokens\":8}}}\n\ndata: [DONE]\n\n");
  const serving::Request request = Finished(answer);
  EXPECT_EQ(request.outcome, serving::Outcome::kDone);
  EXPECT_EQ(request.ttft, 50);
  EXPECT_EQ(request.gaps, (std::vector<std::int64_t>{20}));
  // By usage, not by pieces: a piece may hold several.
  EXPECT_EQ(request.output_tokens, 4);
  EXPECT_EQ(request.prompt_tokens, 9);
  EXPECT_EQ(request.cached_tokens, 8);
  EXPECT_EQ(answer.text(), " a b");
}

TEST(Answer, OfAChatTakesReasoningAsTokens) {
  Answer answer(Endpoint::kChat, true);
  answer.SetStatus(200);
  answer.Take(1, "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n");
  answer.Take(5, "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"hm\"}}]}\n\n");
  answer.Take(9, "data: [DONE]\n\n");
  EXPECT_EQ(Finished(answer).ttft, 5);
}

TEST(Answer, WithoutUsageTokensAreUnknown) {
  Answer answer(Endpoint::kCompletions, true);
  answer.SetStatus(200);
  answer.Take(5, "data: {\"choices\":[{\"text\":\"a\"}]}\n\ndata: [DONE]\n\n");
  EXPECT_EQ(Finished(answer).output_tokens, std::nullopt);
}

TEST(Answer, ThatEndsEarlyOrWithAnErrorFailed) {
  Answer cut(Endpoint::kCompletions, true);
  cut.SetStatus(200);
  cut.Take(5, "data: {\"choices\":[{\"text\":\"a\"}]}\n\n");
  EXPECT_EQ(Finished(cut).problem, "the answer ended before it was whole");
  Answer error(Endpoint::kCompletions, true);
  error.SetStatus(200);
  error.Take(5, "data: {\"error\":{\"message\":\"out of memory\"}}\n\n");
  const serving::Request failed = Finished(error);
  EXPECT_EQ(failed.outcome, serving::Outcome::kFailed);
  EXPECT_EQ(failed.problem, "out of memory");
  Answer refused(Endpoint::kChat, true);
  refused.SetStatus(503);
  refused.Take(5, "{\"error\":{\"message\":\"full\"}}");
  EXPECT_EQ(Finished(refused).problem, "503: full");
  Answer odd(Endpoint::kChat, false);
  odd.SetStatus(200);
  odd.Take(5, "<html>");
  EXPECT_EQ(Finished(odd).problem, "a part of the answer is no JSON");
}

TEST(Answer, OfAPlainEndpointIsItsBody) {
  Answer answer(Endpoint::kPlain, true);
  answer.SetStatus(204);
  const serving::Request request = Finished(answer);
  EXPECT_EQ(request.outcome, serving::Outcome::kDone);
  EXPECT_EQ(request.ttft, std::nullopt);
}

TEST(Body, HoldsWhatTheEndpointTakes) {
  Target target{.endpoint = Endpoint::kChat, .model = "m", .extra = "{\"temperature\": 0}"};
  const http::LoopRequest request = RequestFor(target, "id-1", "new", {"asked", "said"}, 7);
  EXPECT_EQ(request.target, "/v1/chat/completions");
  const auto reader = json::Reader::Parse(request.body);
  ASSERT_TRUE(reader.ok()) << request.body;
  const json::Value root = reader->root();
  EXPECT_EQ(root["messages"].Items().size(), 3U);
  EXPECT_EQ(root["messages"].At(1)["role"].TextOr(""), "assistant");
  EXPECT_EQ(root["messages"].At(2)["content"].TextOr(""), "new");
  EXPECT_EQ(root["max_tokens"].IntegerOr(0), 7);
  EXPECT_EQ(root["temperature"].IntegerOr(-1), 0);
  EXPECT_EQ(root["ignore_eos"].Flag(), true);
  EXPECT_EQ(root["stream_options"]["include_usage"].Flag(), true);
  EXPECT_EQ(CheckExtra("[1]").code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(CheckExtra("").ok());
}

std::string ContentTypeOf(const Target& target) {
  for (const auto& [name, value] : RequestFor(target, "id", "", {}, 1).fields)
    if (name == "Content-Type") return value;
  return "";
}

TEST(Body, IsJsonUnlessToldOtherwise) {
  Target target{.endpoint = Endpoint::kPlain, .body = "{}"};
  EXPECT_EQ(ContentTypeOf(target), "application/json");
  target.client.fields = {{"content-type", "text/plain"}};
  EXPECT_EQ(ContentTypeOf(target), "") << "the client's own goes along";
  EXPECT_EQ(ContentTypeOf({.endpoint = Endpoint::kPlain}), "") << "without a body";
}

TEST(TargetUrl, HasThePathOfRequests) {
  const auto path_of = [](std::string_view url, Endpoint endpoint) {
    Target target{.endpoint = endpoint};
    const Status status = TakeUrl(url, target);
    return status.ok() ? target.address.Text() + " " + target.path : std::string(status.message());
  };
  EXPECT_EQ(path_of("http://h:8000/", Endpoint::kPlain), "http://h:8000 ");
  EXPECT_EQ(path_of("http://h:8000/v2/models/m/infer?x=1", Endpoint::kPlain),
            "http://h:8000 /v2/models/m/infer?x=1");
  EXPECT_EQ(path_of("https://[::1]?x", Endpoint::kPlain), "https://[::1]:443 /?x");
  EXPECT_EQ(path_of("http://h:8000/v1/", Endpoint::kChat), "http://h:8000 /v1/chat/completions");
  EXPECT_EQ(path_of("http://h:8000/llm/v1", Endpoint::kCompletions),
            "http://h:8000 /llm/v1/completions");
  EXPECT_EQ(path_of("http://h:8000/v1", Endpoint::kPlain), "http://h:8000 /v1");
  EXPECT_NE(path_of("grpc://h:8001", Endpoint::kPlain).find("not gRPC"), std::string::npos);
  EXPECT_NE(path_of("h:8000", Endpoint::kPlain).find("http://127.0.0.1:8000"), std::string::npos);
  Target target{.endpoint = Endpoint::kPlain, .path = "/a"};
  EXPECT_EQ(TakeUrl("http://h:1/b", target).code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(TakeUrl("http://h:1", target).ok());
  EXPECT_EQ(target.path, "/a");
}

std::int64_t Words(const std::string& text) {
  return text.empty() ? 0 : std::ranges::count(text, ' ') + 1;
}

TEST(Prompt, SharesWhatItIsToShare) {
  const std::string a = PromptText(100, 1, 40, 9, {}), b = PromptText(100, 2, 40, 9, {});
  EXPECT_EQ(Words(a), 100);
  std::string shared;
  AppendWords(shared, 40, 9);
  EXPECT_TRUE(a.starts_with(shared + " "));
  EXPECT_TRUE(b.starts_with(shared + " "));
  EXPECT_NE(a, b);
  EXPECT_EQ(a, PromptText(100, 1, 40, 9, {}));
  // Equal blocks are equal words, as far as the prompt reaches.
  const std::vector<std::uint64_t> one = {5}, two = {5, 6};
  const std::string c = PromptText(600, 1, 0, 9, one), d = PromptText(700, 2, 0, 9, two);
  EXPECT_EQ(Words(d), 700);
  const std::size_t end = PromptText(512, 3, 0, 9, one).size();
  EXPECT_EQ(c.substr(0, end), d.substr(0, end));
  EXPECT_NE(c.substr(0, end + 200), d.substr(0, end + 200));
}

}  // namespace
}  // namespace rankscope::load
