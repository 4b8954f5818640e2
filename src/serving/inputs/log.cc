#include <fmt/core.h>

#include "serving/base/words.h"
#include "serving/inputs/log_lines.h"
#include "serving/inputs/readers.h"

namespace rankscope::serving {
namespace {

// What ends in these is no request for work.
bool IsAboutTheServer(std::string_view line) {
  for (const std::string_view path : {" /metrics", " /health", " /ping", " /v1/models", " /version",
                                      " /start_profile", " /stop_profile"}) {
    if (line.find(path) != std::string_view::npos) return true;
  }
  return false;
}

// The names of a line that was cut in two, or of another version.
bool LooksLikeIteration(std::string_view line) {
  return line.find("Iteration(") != std::string_view::npos;
}

// What one engine wrote.
struct EngineLog {
  const char* engine;  // as sentences name it
  std::vector<Iteration> iterations;
  std::vector<Load> loads;

  void AddTo(const InputFile& file, Collection& to) {
    if (!iterations.empty()) {
      const std::uint32_t source =
          to.AddSource(file, fmt::format("iterations of {}'s log", engine));
      to.Count(source, static_cast<std::int64_t>(iterations.size()));
      for (Iteration& iteration : iterations) iteration.source = source;
      to.data.iterations.insert(to.data.iterations.end(), iterations.begin(), iterations.end());
    }
    if (loads.empty()) return;
    const std::uint32_t source = to.AddSource(file, fmt::format("loads of {}'s log", engine));
    to.Count(source, static_cast<std::int64_t>(loads.size()));
    for (Load& load : loads) {
      load.source = source;
      to.data.loads.push_back(std::move(load));
    }
  }
};

}  // namespace

Status ReadLog(const InputFile& file, Collection& to) {
  EngineLog vllm{.engine = "vLLM"}, sglang{.engine = "SGLang"}, trt_llm{.engine = "TensorRT-LLM"};
  std::vector<Load> prefills;  // SGLang's
  std::vector<Request> requests;
  std::int64_t without_duration = 0, first_without = 0, bad_iterations = 0, first_bad = 0;
  Lines lines(file.text);
  std::string_view line;
  while (lines.Next(line)) {
    if (auto iteration = ParseIteration(line)) {
      iteration->time = TimeOfLine(line, file.modified);
      vllm.iterations.push_back(*iteration);
    } else if (LooksLikeIteration(line)) {
      if (++bad_iterations == 1) first_bad = lines.number();
    } else if (auto load = ParseLoad(line)) {
      load->time = TimeOfLine(line, file.modified);
      vllm.loads.push_back(std::move(*load));
    } else if (auto batch = ParseSglangLoad(line)) {
      batch->time = TimeOfLine(line, file.modified);
      (IsSglangPrefill(line) ? prefills : sglang.loads).push_back(std::move(*batch));
    } else if (const auto step = ParseTrtLlmIteration(line)) {
      trt_llm.iterations.push_back(*step);
    } else if (auto request = ParseAccess(line)) {
      if (IsAboutTheServer(line)) continue;
      if (!request->e2e && ++without_duration == 1) first_without = lines.number();
      requests.push_back(std::move(*request));
    }
  }
  // A batch of prefill is between two of decode, and as many run as will then; each has a line,
  // and decode every 40 steps. Servers that only prefill have no other.
  if (sglang.loads.empty()) sglang.loads = std::move(prefills);
  const bool has_engine = !vllm.iterations.empty() || !vllm.loads.empty() ||
                          !sglang.loads.empty() || !trt_llm.iterations.empty();
  if (!has_engine && requests.empty())
    return Error(StatusCode::kBadData,
                 "{}: no iteration or load of the log of vLLM, SGLang or TensorRT-LLM and no line "
                 "of an access log",
                 file.path);
  for (EngineLog* log : {&vllm, &sglang, &trt_llm}) log->AddTo(file, to);
  if (!requests.empty()) {
    const std::uint32_t source = to.AddSource(file, "access log");
    to.Count(source, static_cast<std::int64_t>(requests.size()));
    for (Request& request : requests) {
      request.source = source;
      to.data.requests.push_back(std::move(request));
    }
  }
  if (without_duration > 0)
    to.Note(
        fmt::format("{}: {} of {} requests have no duration, the first at line {}; nginx writes "
                    "$request_time and $upstream_response_time when its log_format names them",
                    file.path, without_duration, requests.size(), first_without));
  if (bad_iterations > 0)
    to.Note(fmt::format("{}: {} iterations could not be read, the first at line {}", file.path,
                        bad_iterations, first_bad));
  return OkStatus();
}

}  // namespace rankscope::serving
