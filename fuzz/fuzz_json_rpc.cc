// Any bytes, in any pieces, as lines of JSON-RPC: each line is messages or a sentence, whatever the
// pieces, and each message can be answered.
#include <algorithm>
#include <string>
#include <vector>

#include "input.h"
#include "json_rpc/line_splitter.h"
#include "json_rpc/message.h"

namespace rankscope::fuzz {
namespace {

constexpr std::size_t kMostLineBytes = 4096;
constexpr std::string_view kTooLong = "\n";  // no line is that

std::vector<std::string> LinesOf(std::string_view bytes, std::size_t piece) {
  std::vector<std::string> lines;
  json_rpc::LineSplitter splitter(kMostLineBytes);
  const auto take = [&](const json_rpc::Line& line) {
    FUZZ_CHECK(line.text.size() <= kMostLineBytes);
    FUZZ_CHECK(line.text.find('\n') == std::string_view::npos);
    lines.emplace_back(line.is_too_long ? kTooLong : line.text);
  };
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size())))
    splitter.Add(bytes.substr(0, piece), take);
  splitter.Finish(take);
  return lines;
}

void CheckAnswer(const json_rpc::Message& message) {
  const auto reply =
      json_rpc::Reply::Failure(json_rpc::ErrorCode::kNoRequest, message.problem + message.method);
  const auto answer = json::Reader::Parse(reply.For(message.id));
  FUZZ_CHECK(answer.ok());
  FUZZ_CHECK(answer->root()["id"].ToString() == message.id);
}

void CheckLine(const std::string& line) {
  const auto messages = json_rpc::ParseMessages(line);
  if (!messages.ok()) {
    FUZZ_CHECK(!messages.status().message().empty());
    return;
  }
  FUZZ_CHECK(!messages->all.empty() && messages->all.size() <= json_rpc::kMostInBatch);
  for (const json_rpc::Message& message : messages->all) {
    const bool is_wrong = message.kind == json_rpc::Message::Kind::kWrong;
    FUZZ_CHECK(is_wrong == !message.problem.empty());
    FUZZ_CHECK(is_wrong || message.params.IsAbsent() || message.params.IsObject());
    CheckAnswer(message);
  }
}

}  // namespace
}  // namespace rankscope::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace rankscope::fuzz;
  const Input input = Split(bytes, size);
  const std::vector<std::string> lines = LinesOf(input.data, input.data.size() + 1);
  FUZZ_CHECK(lines == LinesOf(input.data, std::size_t{input.first} + 1));
  for (const std::string& line : lines) CheckLine(line);
  return 0;
}
