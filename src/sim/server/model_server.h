// ModelServer: a language-model server without the model. It serves OpenAI's API over real sockets,
// with the timing of a simulated engine.
//
//   POST /v1/completions, /v1/chat/completions   whole, or as events with "stream"
//   GET  /v1/models, /metrics (vLLM's names), /health (503 until it has started)
//
// The answer's id contains the X-Request-Id of the request ("cmpl-ID", "chatcmpl-ID"). With
// ignore_eos an answer has max_tokens tokens. Otherwise it may end earlier, at a length drawn from
// a lognormal distribution with mean `answer_tokens`, seeded by the seed and the request's number.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "http/server.h"
#include "sim/server/live_engine.h"
#include "sim/serving/cost_shape.h"
#include "sim/serving/engine.h"

namespace rankscope::sim {

struct ModelServerOptions {
  http::ServerOptions http;
  CostShape shape;
  EngineSettings settings;
  EngineNoise noise;
  LiveOptions live;
  std::string model;                 // the model's name
  std::int64_t answer_tokens = 128;  // mean
  std::int64_t chunk_tokens = 1;     // tokens per chunk of a stream
  int busy_status = 503;             // HTTP status when the queue is full
  std::string iteration_log;         // file name; "": none
  std::function<void()> on_death;    // as in LiveEngine
};

class ModelServer {
 public:
  // Listens from the start, also while the engine starts. kInvalidArgument for invalid engine
  // settings, kIo for an address or a file that cannot be used.
  static Result<std::unique_ptr<ModelServer>> Start(ModelServerOptions options);
  // Cuts off open requests.
  virtual ~ModelServer() = default;

  virtual std::string address() const = 0;  // "http://127.0.0.1:8000"
  virtual EngineGauges gauges() const = 0;
};

}  // namespace rankscope::sim
