// What a load generator reads: recorded traces of requests, and the answers of any server, which
// come in pieces of any size.
#include <algorithm>
#include <string>

#include "base/status.h"
#include "input.h"
#include "load/requests/answer.h"
#include "load/schedule/replay_file.h"

namespace rankscope::fuzz {
namespace {

void CheckTrace(std::string_view text) {
  const auto trace = load::ParseTrace(text, "a file");
  if (!trace.ok()) {
    FUZZ_CHECK(trace.status().code() == StatusCode::kBadData);
    FUZZ_CHECK(trace.status().message().starts_with("a file: "));
    return;
  }
  FUZZ_CHECK(!trace->requests.empty());
  FUZZ_CHECK(trace->requests.front().at == 0);
  FUZZ_CHECK(std::ranges::is_sorted(trace->requests, {}, &load::RecordedRequest::at));
  for (const load::RecordedRequest& request : trace->requests)
    FUZZ_CHECK(request.prompt_tokens > 0 && request.output_tokens > 0);
}

serving::Request AnswerOf(std::string_view text, load::Endpoint endpoint, bool is_streamed,
                          std::size_t piece) {
  load::Answer answer(endpoint, is_streamed);
  answer.SetStatus(200);
  for (std::size_t at = 0; at < text.size(); at += piece) answer.Take(7, text.substr(at, piece));
  serving::Request request;
  answer.Finish(request);
  return request;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Input input = Split(bytes, size);
  if (input.first % 4 == 0) {
    CheckTrace(input.data);
    return 0;
  }
  const auto endpoint = static_cast<load::Endpoint>(input.first % 3);
  const bool is_streamed = input.first % 2 == 0;
  const serving::Request whole =
      AnswerOf(input.data, endpoint, is_streamed, std::max<std::size_t>(input.data.size(), 1));
  // Where pieces end changes nothing.
  const serving::Request pieces =
      AnswerOf(input.data, endpoint, is_streamed, input.second % 16 + std::size_t{1});
  FUZZ_CHECK(whole.outcome == pieces.outcome && whole.problem == pieces.problem);
  FUZZ_CHECK(whole.output_tokens == pieces.output_tokens && whole.gaps == pieces.gaps);
  FUZZ_CHECK(whole.outcome != serving::Outcome::kDone || whole.problem.empty());
  return 0;
}

}  // namespace rankscope::fuzz
