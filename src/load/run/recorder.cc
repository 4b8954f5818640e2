#include "load/run/recorder.h"

#include <cerrno>
#include <cstring>

#include "json/writer.h"

namespace rankscope::load {

Result<std::unique_ptr<Recorder>> Recorder::Create(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "we");
  if (file == nullptr)
    return Error(StatusCode::kIo, "{}: cannot write it: {}", path, std::strerror(errno));
  return std::unique_ptr<Recorder>(new Recorder(path, file));
}

Recorder::~Recorder() { std::fclose(file_); }

void Recorder::Write() {
  line_ += '\n';
  if (std::fwrite(line_.data(), 1, line_.size(), file_) != line_.size() && error_ == 0)
    error_ = errno;
  line_.clear();
}

void Recorder::Add(const serving::Request& request, std::int64_t number) {
  json::Writer writer(line_);
  writer.BeginObject()
      .Member("load_request", number)
      .Member("level", request.level)
      .Member("id", request.id)
      .Member("begin_ns", request.arrival)
      .Member("lag_ns", request.lag)
      .Member("sent_ns", request.sent)
      .Member("first_token_ns", request.ttft)
      .Member("end_ns", request.e2e);
  if (!request.gaps.empty()) writer.Member("gaps_ns", request.gaps);
  writer.Member("prompt_tokens", request.prompt_tokens)
      .Member("output_tokens", request.output_tokens);
  if (request.cached_tokens) writer.Member("cached_tokens", request.cached_tokens);
  writer.Member("outcome", ToString(request.outcome));
  if (!request.problem.empty()) writer.Member("problem", request.problem);
  writer.EndObject();
  Write();
}

void Recorder::Add(const serving::LoadLevel& level, const Target& target, std::uint64_t seed) {
  json::Writer writer(line_);
  writer.BeginObject()
      .Member("load_level", level.number)
      .Member("kind", ToString(level.kind))
      .TextMember("arrivals", level.arrivals)
      .Member("target_per_s", level.target_per_s)
      .Member("end_per_s", level.end_per_s)
      .Member("users", level.users)
      .Member("begin_ns", level.begin)
      .Member("sending_ns", level.sending)
      .Member("client_busy_pct", level.client_busy_pct)
      .Member("stopped", level.was_stopped)
      .Member("url", target.address.Text())
      .TextMember("model", target.model)
      .Member("seed", seed);
  if (const serving::Objective& slo = level.objective; slo.has_any()) {
    writer.Key("slo").BeginObject();
    if (slo.ttft) writer.Member("ttft_ns", slo.ttft);
    if (slo.tpot) writer.Member("tpot_ns", slo.tpot);
    if (slo.e2e) writer.Member("e2e_ns", slo.e2e);
    writer.EndObject();
  }
  writer.EndObject();
  Write();
}

void Recorder::Add(std::int32_t level, const serving::LevelCapture& capture) {
  json::Writer writer(line_);
  writer.BeginObject()
      .Member("load_capture", level)
      .TextMember("run", capture.run)
      .TextMember("page", capture.page)
      .Member("begin_ns", capture.begin)
      .Member("files", capture.files)
      .TextMember("problem", capture.problem)
      .EndObject();
  Write();
}

Status Recorder::Flush() {
  if (std::fflush(file_) != 0 && error_ == 0) error_ = errno;
  if (error_ == 0) return OkStatus();
  return Error(StatusCode::kIo, "{}: cannot write it: {}", path_, std::strerror(error_));
}

}  // namespace rankscope::load
