// The output of a load run, which `rankscope serving` reads: requests and levels as lines of JSON.
//
// load.jsonl, one line per finished level, after the lines of its requests:
//   {"load_request":17,"level":0,"id":"..","begin_ns":(since 1970, when it was meant to be sent),
//    "lag_ns":..,"sent_ns":..,"first_token_ns":..,"end_ns":..  (since begin_ns),
//    "gaps_ns":[..],"prompt_tokens":..,"output_tokens":..,"cached_tokens":..,
//    "outcome":"done","problem":null}
//   {"load_level":0,"kind":"open","arrivals":"poisson","target_per_s":4,"end_per_s":null,
//    "users":null,"begin_ns":..,"sending_ns":..,"client_busy_pct":..,"stopped":false,"url":"..",
//    "model":"..","seed":1,"slo":{"ttft_ns":..,"tpot_ns":..,"e2e_ns":..}} (what --slo limits)
//   {"load_capture":0,"run":"..","page":"http://..","begin_ns":..,"files":8,"problem":null}
//   follows its level if the server's processes were to be recorded
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "base/status.h"
#include "load/base/spec.h"
#include "serving/base/data.h"

namespace rankscope::load {

class Recorder {
 public:
  static Result<std::unique_ptr<Recorder>> Create(const std::string& path);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void Add(const serving::Request& request, std::int64_t number);
  void Add(const serving::LoadLevel& level, const Target& target, std::uint64_t seed);
  void Add(std::int32_t level, const serving::LevelCapture& capture);
  // kIo if anything could not be written.
  Status Flush();

 private:
  Recorder(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}
  void Write();

  const std::string path_;
  std::FILE* file_;
  std::string line_;
  int error_ = 0;
};

}  // namespace rankscope::load
