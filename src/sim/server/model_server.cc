#include "sim/server/model_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <utility>

#include "json/writer.h"
#include "sim/server/answer_text.h"
#include "sim/server/completion_request.h"
#include "sim/server/iteration_log.h"
#include "sim/server/live_answer.h"
#include "sim/server/server_metrics.h"
#include "sim/serving/draw.h"

namespace rankscope::sim {
namespace {

constexpr std::uint64_t kMostBody = 64 << 20;
constexpr std::size_t kMostConnections = 32'768;
constexpr std::size_t kMostId = 200;
constexpr double kLengthSigma = 0.6;         // of the logarithm of an answer's length
constexpr std::int64_t kDefaultTokens = 16;  // of a text completion that does not say
constexpr std::string_view kText = "text/plain; version=0.0.4; charset=utf-8";

double SecondsSince1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// In the form of vLLM's errors.
http::Reply ErrorReply(int status, std::string_view sentence) {
  std::string json;
  json::Writer writer(json);
  writer.BeginObject().Key("error").BeginObject().Member("message", sentence);
  writer.Member("type", status == 404   ? "NotFoundError"
                        : status < 500  ? "BadRequestError"
                        : status == 503 ? "ServiceUnavailableError"
                                        : "InternalServerError");
  writer.Key("param").Null().Member("code", status).EndObject().EndObject();
  return JsonReply(status, std::move(json));
}

// An id as it may stand in JSON and logs; "" for none.
std::string GivenId(const http::Head& head) {
  const auto field = http::Find(head.fields, "x-request-id");
  return field ? std::string(field->substr(0, kMostId)) : "";
}

class Running final : public ModelServer, private http::Handler {
 public:
  explicit Running(ModelServerOptions options)
      : options_(std::move(options)),
        metrics_(options_.model, options_.settings.ModelLen(options_.shape),
                 options_.live.time_scale, SecondsSince1970()) {}
  ~Running() override {
    // Replies on their way refer to the engine.
    http_.reset();
    engine_.reset();
  }

  Status Begin() {
    if (!options_.iteration_log.empty()) {
      RS_ASSIGN_OR_RETURN(log_,
                          IterationLog::Open(options_.iteration_log, options_.live.time_scale));
    }
    EngineHooks hooks;
    hooks.on_step = [this](const Step& step, const StepResult& result) {
      metrics_.OnStep(step, result);
      if (log_) log_->Write(step);
    };
    hooks.on_abort = [this](const RequestRecord& record) { metrics_.OnAbort(record); };
    hooks.on_death = options_.on_death;
    RS_ASSIGN_OR_RETURN(
        engine_, LiveEngine::Start(options_.shape, options_.settings, options_.noise, options_.live,
                                   std::move(hooks)));
    options_.http.most_connections = kMostConnections;
    RS_ASSIGN_OR_RETURN(http_, http::Server::Start(options_.http, *this));
    return OkStatus();
  }

  std::string address() const override {
    const std::string host = http_->host();
    const bool is_v6 = host.find(':') != std::string::npos;
    return fmt::format("http://{}:{}", is_v6 ? fmt::format("[{}]", host) : host, http_->port());
  }
  EngineGauges gauges() const override { return engine_->gauges(); }

 private:
  class Completion;

  std::variant<http::Reply, std::unique_ptr<http::Exchange>> Begin(const http::Head& head) override;
  http::Reply Refuse(int status, std::string_view sentence) override {
    return ErrorReply(status, sentence);
  }
  void OnServed(const http::Served&) override {}

  http::Reply Get(std::string_view path) const;
  http::Reply Models() const;
  http::Reply Complete(CompletionKind kind, std::string_view body, std::string id);
  http::Reply Answer(const CompletionRequest& request, RequestSpec spec, AnswerFacts facts);
  http::Reply AnswerAtOnce(const CompletionRequest& request, const RequestSpec& spec,
                           AnswerText text);
  RequestSpec SpecOf(CompletionRequest& request) const;
  void EndByItself(RequestSpec& spec, std::uint64_t number) const;

  ModelServerOptions options_;
  ServerMetrics metrics_;
  std::unique_ptr<IterationLog> log_;
  std::unique_ptr<LiveEngine> engine_;
  std::unique_ptr<http::Server> http_;
  std::atomic<std::uint64_t> requests_ = 0;
};

// The body of a request, as it comes.
class Running::Completion final : public http::Exchange {
 public:
  Completion(Running& server, CompletionKind kind, std::string id)
      : server_(server), kind_(kind), id_(std::move(id)) {}
  std::uint64_t MostBytes() const override { return kMostBody; }
  Status Take(std::string_view piece) override {
    body_ += piece;
    return OkStatus();
  }
  http::Reply Finish(bool is_whole) override {
    if (!is_whole) return ErrorReply(400, "the request broke off");
    return server_.Complete(kind_, body_, std::move(id_));
  }

 private:
  Running& server_;
  const CompletionKind kind_;
  std::string id_;
  std::string body_;
};

std::variant<http::Reply, std::unique_ptr<http::Exchange>> Running::Begin(const http::Head& head) {
  const bool is_chat = head.path == "/v1/chat/completions";
  if (is_chat || head.path == "/v1/completions") {
    if (head.method != "POST") return ErrorReply(405, "completions are asked for by POST");
    if (!engine_->is_ready()) return ErrorReply(503, "the server is starting");
    return std::make_unique<Completion>(
        *this, is_chat ? CompletionKind::kChat : CompletionKind::kText, GivenId(head));
  }
  if (head.method != "GET" && head.method != "HEAD")
    return ErrorReply(405, "there is nothing here but to GET");
  return Get(head.path);
}

http::Reply Running::Get(std::string_view path) const {
  if (path == "/health") {
    return engine_->is_ready() ? http::Reply{} : ErrorReply(503, "the server is starting");
  }
  if (path == "/v1/models") return Models();
  if (path == "/metrics") {
    return {.fields = {{"Content-Type", std::string(kText)}},
            .body = metrics_.Text(engine_->gauges(), engine_->kv_blocks(), options_.settings)};
  }
  return ErrorReply(404,
                    "there is /v1/completions, /v1/chat/completions, /v1/models, /metrics and "
                    "/health here");
}

http::Reply Running::Models() const {
  std::string json;
  json::Writer writer(json);
  writer.BeginObject().Member("object", "list").Key("data").BeginArray();
  writer.BeginObject().Member("id", options_.model).Member("object", "model");
  writer.Member("owned_by", "rankscope").Member("root", options_.shape.name);
  writer.Member("max_model_len", options_.settings.ModelLen(options_.shape)).EndObject();
  writer.EndArray().EndObject();
  return JsonReply(200, std::move(json));
}

http::Reply Running::Complete(CompletionKind kind, std::string_view body, std::string id) {
  auto parsed = ParseCompletion(body, kind);
  if (!parsed.ok()) return ErrorReply(400, parsed.status().message());
  CompletionRequest& request = *parsed;
  if (!request.model.empty() && request.model != options_.model) {
    return ErrorReply(404, fmt::format("there is no model '{}' here; there is '{}'", request.model,
                                       options_.model));
  }
  const std::uint64_t number = requests_++;
  if (id.empty()) id = fmt::format("{:016x}", MixAll(options_.noise.seed, number, 1));
  RequestSpec spec = SpecOf(request);
  if (const Status checked = engine_->Check(spec); !checked.ok())
    return ErrorReply(400, checked.message());
  if (!request.ignores_eos) EndByItself(spec, number);
  AnswerFacts facts{
      .id = (kind == CompletionKind::kChat ? "chatcmpl-" : "cmpl-") + id,
      .model = options_.model,
      .kind = kind,
      .created_s = static_cast<std::int64_t>(SecondsSince1970()),
      .output_tokens = spec.output_tokens,
      .ends_by_itself = spec.ends_by_itself,
      .tells_usage = request.tells_usage,
      .chunk_tokens = options_.chunk_tokens,
      .words_key = MixAll(options_.noise.seed, number, 2),
  };
  return Answer(request, std::move(spec), std::move(facts));
}

// As long as it may be.
RequestSpec Running::SpecOf(CompletionRequest& request) const {
  const std::int64_t room = options_.settings.ModelLen(options_.shape) - request.prompt_tokens;
  const std::int64_t unsaid = request.kind == CompletionKind::kText ? kDefaultTokens : room;
  return {.prompt_tokens = request.prompt_tokens,
          .output_tokens = request.max_tokens.value_or(unsaid),
          .block_hashes = std::move(request.block_hashes)};
}

void Running::EndByItself(RequestSpec& spec, std::uint64_t number) const {
  const double spread = kLengthSigma * Normal(MixAll(options_.noise.seed, number, 3)) -
                        kLengthSigma * kLengthSigma / 2;
  const double drawn = std::exp(spread) * static_cast<double>(options_.answer_tokens);
  const auto own = std::max<std::int64_t>(1, std::llround(drawn));
  if (own >= spec.output_tokens) return;
  spec.ends_by_itself = true;
  spec.output_tokens = own;
}

http::Reply Running::Answer(const CompletionRequest& request, RequestSpec spec, AnswerFacts facts) {
  AnswerText text(std::move(facts));
  if (options_.shape.is_null()) return AnswerAtOnce(request, spec, std::move(text));
  auto reply = request.streams ? StreamFrom(*engine_, std::move(spec), std::move(text))
                               : WholeFrom(*engine_, std::move(spec), std::move(text));
  if (reply.ok()) return std::move(*reply);
  const bool is_busy = reply.status().code() == StatusCode::kResource;
  http::Reply refused = ErrorReply(is_busy ? options_.busy_status : 400, reply.status().message());
  if (is_busy) refused.fields.emplace_back("Retry-After", "1");
  return refused;
}

http::Reply Running::AnswerAtOnce(const CompletionRequest& request, const RequestSpec& spec,
                                  AnswerText text) {
  const RequestRecord record{.prompt_tokens = spec.prompt_tokens,
                             .output_tokens = spec.output_tokens,
                             .ended_by_itself = spec.ends_by_itself,
                             .scheduled_ns = 0,
                             .first_token_ns = 0};
  StepResult result{.ended = {record}};
  result.tokens.assign(static_cast<std::size_t>(spec.output_tokens), {});
  result.tokens.front() = {.is_first = true, .prompt_tokens = spec.prompt_tokens};
  metrics_.OnStep({}, result);
  if (!request.streams) return JsonReply(200, text.Whole(record));
  std::string events;
  for (std::int64_t i = 0; i < spec.output_tokens; ++i) text.AddToken(events);
  text.End(record, events);
  return EventsReply(std::move(events));
}

}  // namespace

Result<std::unique_ptr<ModelServer>> ModelServer::Start(ModelServerOptions options) {
  auto server = std::make_unique<Running>(std::move(options));
  RS_RETURN_IF_ERROR(server->Begin());
  return std::unique_ptr<ModelServer>(std::move(server));
}

}  // namespace rankscope::sim
