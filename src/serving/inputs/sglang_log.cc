#include <fmt/core.h>

#include <algorithm>
#include <functional>

#include "serving/base/words.h"
#include "serving/inputs/json_lines.h"
#include "serving/inputs/readers.h"

namespace rankscope::serving {
namespace {

constexpr std::size_t kBlock = 64;  // bytes of text, or of numbers of tokens
constexpr std::size_t kMostBlocks = 4096;

// Of the prompt's text: what begins alike has equal blocks at its begin. Its last, which may be no
// whole one, is among them: shares are of the whole prompt.
std::vector<std::uint64_t> BlocksOf(std::string_view text) {
  std::vector<std::uint64_t> blocks;
  std::uint64_t so_far = 0;
  for (std::size_t at = 0; at < text.size() && blocks.size() < kMostBlocks; at += kBlock) {
    so_far =
        so_far * 0x9E3779B97F4A7C15ull ^ std::hash<std::string_view>()(text.substr(at, kBlock));
    blocks.push_back(so_far);
  }
  return blocks;
}

std::string PromptOf(const json::Value& parameters) {
  if (const auto text = parameters["text"].Text()) return std::string(*text);
  std::string prompt;
  for (const json::Value& id : parameters["input_ids"].Items())
    prompt += fmt::format("{} ", id.IntegerOr(-1));
  if (!prompt.empty()) return prompt;
  return parameters["messages"].ToString();
}

}  // namespace

Status ReadSglangLog(const InputFile& file, Collection& to) {
  std::vector<Request> requests;
  const auto take = [&](const json::Value& line) {
    if (!line["request_parameters"].IsKnown() && !line["meta_info"].IsKnown()) return false;
    // The numbers stand in meta_info, or beside it.
    const auto of = [&](std::string_view name) {
      const json::Value inside = line["meta_info"][name];
      return inside.IsKnown() ? inside : line[name];
    };
    Request request;
    request.id = of("id").TextOr(of("rid").TextOr(""));
    request.arrival = MomentOfJson(of("request_received_ts"));
    const Ns sent = MomentOfJson(of("response_sent_to_client_ts"));
    request.e2e = SecondsOf(of("e2e_latency"));
    if (!request.e2e && sent && request.arrival) request.e2e = AsDuration(*sent - *request.arrival);
    request.queue = SecondsOf(of("queue_time"));
    request.prompt_tokens = CountOf(of("prompt_tokens"));
    request.output_tokens = CountOf(of("completion_tokens"));
    request.cached_tokens = CountOf(of("cached_tokens"));
    const Ns inference = SecondsOf(of("inference_time"));
    const auto rate = of("decode_throughput").Number();
    // decode_throughput is of the tokens after the first.
    if (rate && *rate > 0 && request.output_tokens && *request.output_tokens > 1)
      request.decode = static_cast<std::int64_t>(static_cast<double>(*request.output_tokens - 1) /
                                                 std::max(*rate, 1e-6) * 1e9);
    if (inference && request.decode && *inference >= *request.decode)
      request.prefill = *inference - *request.decode;
    const std::string reason = of("finish_reason")["type"].TextOr("");
    if (reason == "abort") {
      request.outcome = Outcome::kCancelled;
      request.problem = of("finish_reason")["message"].TextOr("");
    }
    if (const auto text = line["request_parameters"].Text()) {
      if (const auto parameters = json::Reader::Parse(*text); parameters.ok())
        request.prompt_blocks = BlocksOf(PromptOf(parameters->root()));
    } else {
      request.prompt_blocks = BlocksOf(PromptOf(line["request_parameters"]));
    }
    requests.push_back(std::move(request));
    return true;
  };
  RS_RETURN_IF_ERROR(ForEachDocument(file, to, "SGLang's request log", take));
  const std::uint32_t source = to.AddSource(file, "SGLang's request log");
  to.Count(source, static_cast<std::int64_t>(requests.size()));
  for (Request& request : requests) {
    request.source = source;
    to.data.requests.push_back(std::move(request));
  }
  return OkStatus();
}

}  // namespace rankscope::serving
