// ModelServer: a server of a language model without the model: OpenAI's API over real sockets, and
// the times of a simulated engine.
//
//   POST /v1/completions, /v1/chat/completions   whole, or with "stream" as events
//   GET  /v1/models, /metrics (vLLM's names), /health (503 until it has started)
//
// X-Request-Id of a request comes back in the id of its answer ("cmpl-ID", "chatcmpl-ID"). An
// answer has max_tokens tokens with ignore_eos; without, it ends by itself at a length drawn around
// `answer_tokens`, a lognormal draw of the seed and the number of the request, if that comes first.
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
  std::string model;                 // its name
  std::int64_t answer_tokens = 128;  // mean
  std::int64_t chunk_tokens = 1;     // that a chunk of a stream has
  int busy_status = 503;             // of a request for which the queue has no place
  std::string iteration_log;         // a file; "": none
  std::function<void()> on_death;    // LiveEngine's
};

class ModelServer {
 public:
  // Listens, also while the engine starts. kInvalidArgument for settings with which no engine
  // starts, kIo for an address or a file that cannot be had.
  static Result<std::unique_ptr<ModelServer>> Start(ModelServerOptions options);
  // Cuts off what is on its way.
  virtual ~ModelServer() = default;

  virtual std::string address() const = 0;  // "http://127.0.0.1:8000"
  virtual EngineGauges gauges() const = 0;
};

}  // namespace rankscope::sim
