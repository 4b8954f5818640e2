// The data of a serving program, from any source: requests, scrapes of metrics, iterations of the
// engine, and log lines about its load. All readers fill these types, and all computations start
// from them.
//
// Times are int64 ns: durations, and moments since 1970 by the writer's clock. Unknown values are
// nullopt, never 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::serving {

using Ns = std::optional<std::int64_t>;
using Count = std::optional<std::int64_t>;

// Limits of --slo.
struct Objective {
  Ns ttft, tpot, e2e;

  bool has_any() const { return ttft || tpot || e2e; }
};

// The side that measured a request: its client, a proxy before the server, or the server.
enum class Side : std::uint8_t { kClient, kProxy, kServer };
std::string_view ToString(Side side);
enum class Outcome : std::uint8_t { kDone, kFailed, kCancelled };
std::string_view ToString(Outcome outcome);

struct Request {
  std::uint32_t source = 0;  // index of ServingData::sources
  Side side = Side::kServer;
  Outcome outcome = Outcome::kDone;
  bool has_wall_clock = true;  // arrival counts from 1970; false: from some begin of its file
  std::string id;              // "" unknown, as all texts
  std::string trace_id;
  std::string model;
  std::string replica;
  std::string problem;  // of one that failed
  Ns arrival;
  Ns e2e;
  Ns ttft;      // from arrival
  Ns queue;     // waiting for the engine's scheduler
  Ns prefill;   // first scheduled to first token, the queue never in it
  Ns decode;    // first to last token
  Ns upstream;  // of a proxy: what the server behind it took
  Ns around;    // of spans: what services before the server took besides
  // For a service with its own recorder; `queue` is then the wait for a worker.
  std::string method;
  Ns read;                // from the worker to the handler, which has its arguments then
  Ns handler;             // all of it
  Ns lock;                // within the handler, waiting for locks
  Ns held;                // within the handler, holding them
  Ns send;                // from the handler's end to the last byte of the answer
  std::string lock_name;  // of the lock that was waited for the longest
  std::int64_t thread = 0, connection = 0;  // 0: not known
  Count batch, batch_size;                  // requests that were served at once
  Count prompt_tokens, output_tokens, cached_tokens;
  std::int32_t level = -1;         // of a load generator's run: LoadLevel::number
  Ns lag;                          // of a load generator: begun, less when it was meant to be
  Ns sent;                         // from arrival to the first byte on a connection
  std::vector<std::int64_t> gaps;  // between outputs, as a client saw them
  std::vector<std::uint64_t> prompt_blocks;  // hashes of the prompt's beginning by equal blocks
};

// A load that a generator puts on a server for a while: `rankscope load` (src/load).
enum class LoadKind : std::uint8_t {
  kOpen,    // requests come when they come, whatever the server does
  kClosed,  // so many users, each with one request after the other
  kReplay,  // as a recorded trace has them
};
std::string_view ToString(LoadKind kind);

// A capture of the server's processes, recorded after a level's time, under its load.
struct LevelCapture {
  std::string run;      // its id at a rankscope server; "": there is none
  std::string page;     // its address
  Ns begin;             // when it was asked for
  Count files;          // that the run has
  std::string problem;  // why there is none, or what is odd; "" nothing
};

struct LoadLevel {
  std::uint32_t source = 0;
  std::int32_t number = 0;
  LoadKind kind = LoadKind::kOpen;
  std::string arrivals;                   // "poisson", "gamma (CV 2)", ...; "" of closed loops
  std::optional<double> target_per_s;     // of open ones: requests
  std::optional<double> end_per_s;        // where the rate rises to that
  Count users;                            // of closed ones
  Ns begin;                               // of sending
  bool has_wall_clock = true;             // begin counts from 1970; false: from any moment
  Ns sending;                             // how long requests were begun
  std::optional<double> client_busy_pct;  // of the generator's core, while it sent
  bool was_stopped = false;               // by its user, before its time
  Objective objective;                    // that its user asked for
  std::optional<LevelCapture> capture;    // that its user asked for
};

// A step of the engine, from its log.
struct Iteration {
  std::uint32_t source = 0;
  Ns time;  // of its end
  std::int64_t number = 0;
  std::int64_t context_requests = 0, context_tokens = 0;
  std::int64_t generation_requests = 0, generation_tokens = 0;
  std::int64_t elapsed_ns = 0;
  bool is_dummy = false;  // fills up for other data-parallel ranks
};

// The engine's load at a moment, from a log or from the gauges of a scrape.
struct Load {
  std::uint32_t source = 0;
  std::string replica;
  bool is_named =
      false;          // `replica` is the server's own name, and not that of an engine in its file
  std::string model;  // that it serves, "a, b" of several; "" unknown
  std::string role;   // "prefill" or "decode" where servers divide these; "" does both
  Ns time;
  std::optional<double> running, waiting;
  std::optional<double> sending;           // of a service: answers on their way
  std::optional<double> waiting_capacity;  // of those, for want of KV cache
  std::optional<double> kv_usage;          // 0 to 1
  std::optional<double> prefix_hit_rate;   // 0 to 1, as a log tells it
  std::optional<double> generation_tokens_per_s;
};

// One number of a scrape whose name is known (metric_names.h).
enum class Part : std::uint8_t { kValue, kSum, kCount, kBucket };
struct Point {
  std::uint16_t metric = 0;  // index of KnownMetrics()
  Part part = Part::kValue;
  std::uint32_t labels = 0;  // index of ServingData::labels
  double bound = 0;          // upper bound of a bucket, in the metric's own unit
  double value = 0;
};

struct Scrape {
  std::uint32_t source = 0;
  std::string replica;
  Ns time;
  std::vector<Point> points;
};

// The power drawn by a device, from an exporter (DCGM's, or rankscope-agent's /metrics).
struct PowerReading {
  std::uint32_t source = 0;
  bool is_of_agent = false;  // of rankscope-agent's page, not of DCGM's exporter
  std::string device;        // its exporter and its own name
  Ns time;
  std::optional<double> watts;   // at that moment
  std::optional<double> joules;  // since its driver was loaded
};

// Steps of one kind in a profiler's trace of an engine, from its marks.
struct TracePhase {
  std::string phase;  // "decode", "mixed", "prefill"
  std::int64_t steps = 0;
  double mean_ns = 0, median_ns = 0;
  double time_pct = 0;
  std::optional<double> busy_pct;  // of the devices' observed time in these steps
  std::optional<double> works;     // kernels and copies that a step launches
};

// A trial of `rankscope tune`: the server with other settings, under the same load.
struct TuningTrial {
  std::int32_t number = 0;           // the diagnosis is 1
  std::string stage;                 // baseline, design, search, final
  std::string settings;              // "max_num_seqs=32, chunk=2048"
  std::optional<double> good_per_s;  // nullopt: it did not run, or died
  Count sent, good, failed;
  std::string why;      // it did not run
  std::string trouble;  // of the load generator
};

// A run of `rankscope tune`, up to its present state.
struct Tuning {
  std::uint32_t source = 0;
  std::string adapter, headline;
  bool is_running = false, was_stopped = false, is_change = false;
  Count planned;  // trials, the diagnosis not among them
  Objective objective;
  std::string settings_now, settings;  // as TuningTrial::settings; those that are recommended
  std::optional<double> now_per_s, chosen_per_s;
  std::optional<double> gain, gain_low, gain_high;  // factors
  std::optional<double> borne_per_s;                // with the settings of now, by the diagnosis
  std::optional<double> confirmed_per_s, confirmed_good_pct;
  std::string causes;   // of the diagnosis, by commas
  std::string command;  // that starts a server with the settings
  std::string applied, canary;
  std::vector<TuningTrial> trials;
};

struct Source {
  std::string path;
  std::string format;  // "metrics of vLLM", "OTLP spans"
  std::int64_t records = 0;
};

struct ServingData {
  std::vector<Source> sources;
  std::vector<Request> requests;
  std::vector<LoadLevel> levels;
  std::vector<Iteration> iterations;
  std::vector<TracePhase> trace_phases;
  std::vector<Load> loads;
  std::vector<Scrape> scrapes;
  std::vector<PowerReading> power;
  std::vector<Tuning> tunings;
  // Each once: "name=value" joined by a zero byte, sorted by name, without the labels that identify
  // the replica, `le` and `quantile`.
  std::vector<std::string> labels;
  std::vector<std::string> notes;  // what the inputs lack or say oddly, a sentence each

  // Whether it has data of a serving program, not only of its tuning.
  bool HasRecords() const {
    return !requests.empty() || !iterations.empty() || !trace_phases.empty() || !loads.empty() ||
           !scrapes.empty();
  }
};

}  // namespace rankscope::serving
