// The tables of `rankscope serving` (src/serving): requests of a serving program, how they spend
// their time, and results from its metrics and steps.
#pragma once

#include <string_view>

#include "table/schema.h"

namespace rankscope {

struct ServingSources : Schema<ServingSources> {
  static constexpr std::string_view kName = "serving_sources";

  StringColumn path = Text("path", "the file");
  StringColumn format = Text("format", "what it holds");
  IntColumn records = Int("records", "", "requests, scrapes, iterations or loads in it");
  IntColumn origin = Int("origin", "ns since 1970",
                         "the earliest moment of all, from which times of the other tables count; "
                         "null where no clock counts from 1970");
};
extern template const ServingSources& SchemaOf<ServingSources>();

struct ServingRequests : Schema<ServingRequests> {
  static constexpr std::string_view kName = "serving_requests";

  IntColumn request = Int("request", "", "number in the order of arrival, from 0");
  StringColumn id = Text("id", "as its record has it; null where it has none");
  StringColumn trace_id = Text("trace_id", "of W3C trace context");
  StringColumn side = Text("side", "who measured it: client, proxy or server");
  StringColumn outcome = Text("outcome", "done, failed or cancelled");
  StringColumn problem = Text("problem", "why it failed, as recorded");
  StringColumn replica = Text("replica", "that served it");
  StringColumn model = Text("model", "that was asked");
  StringColumn method = Text("method", "of a service, that was called");
  IntColumn level = Int("level", "", "of load (serving_levels) that it is of");
  IntColumn arrival_ns =
      Int("arrival_ns", "ns",
          "since the origin (serving_sources), or the first arrival of a clock of its "
          "own; null where no time was recorded");
  FlagColumn has_own_clock = Flag(
      "has_own_clock", "arrival_ns counts by a clock of its own; null where there is no arrival");
  IntColumn e2e_ns = Int("e2e_ns", "ns", "arrival to the end, as recorded");
  IntColumn first_token_ns = Int("first_token_ns", "ns", "arrival to the first token (TTFT)");
  IntColumn network_ns = Int("network_ns", "ns", "around the server: client less server");
  IntColumn frontend_ns = Int("frontend_ns", "ns", "e2e less queue, prefill and decode");
  IntColumn queue_ns =
      Int("queue_ns", "ns", "waiting for the scheduler, or for a worker of a service");
  IntColumn prefill_ns = Int("prefill_ns", "ns", "first scheduled to first token");
  IntColumn decode_ns = Int("decode_ns", "ns", "first token to last");
  IntColumn read_ns = Int("read_ns", "ns", "of a service: a worker has it until it is read");
  IntColumn lock_ns = Int("lock_ns", "ns", "of a service: its handler waits for locks");
  IntColumn handler_ns = Int("handler_ns", "ns", "of a service: its handler works, without locks");
  IntColumn send_ns = Int("send_ns", "ns", "of a service: from the handler's end to the last byte");
  IntColumn per_token_ns =
      Int("per_token_ns", "ns", "decode over output tokens less one (TPOT); null below two tokens");
  IntColumn longest_gap_ns =
      Int("longest_gap_ns", "ns", "between two outputs, as a client saw them");
  IntColumn prompt_tokens = Int("prompt_tokens", "tokens", "of the prompt");
  IntColumn output_tokens = Int("output_tokens", "tokens", "generated");
  IntColumn cached_tokens = Int("cached_tokens", "tokens", "of the prompt, found in the cache");
  StringColumn lock = Text("lock", "that its handler waited for the longest");
  IntColumn lock_held_ns = Int("lock_held_ns", "ns", "its handler holds locks");
  IntColumn batch = Int("batch", "", "that requests which were served at once have in common");
  IntColumn batch_size = Int("batch_size", "requests", "that were served at once");
  IntColumn thread = Int("thread", "", "whose handler it was");
  IntColumn connection = Int("connection", "", "over which it came");
  StringColumn source = Text("source", "the file that it was read from");
};
extern template const ServingRequests& SchemaOf<ServingRequests>();

struct ServingOverTime : Schema<ServingOverTime> {
  static constexpr std::string_view kName = "serving_over_time";

  IntColumn begin_ns =
      Int("begin_ns", "ns", "of the bin, as arrival_ns of serving_requests counts");
  IntColumn end_ns = Int("end_ns", "ns", "of the bin, no longer in it");
  IntColumn level = Int("level", "", "of load (serving_levels) that all of its requests are of");
  IntColumn requests = Int("requests", "", "that arrived in it");
  IntColumn failed = Int("failed", "", "of these, or were cancelled; in no quantile");
  RealColumn ttft_p50_ns = Real("ttft_p50_ns", "ns", "first token: median of those that tell it");
  RealColumn ttft_p90_ns = Real("ttft_p90_ns", "ns", "nine tenths are below");
  RealColumn ttft_p99_ns = Real("ttft_p99_ns", "ns", "99 of 100 are below");
  RealColumn tpot_p50_ns = Real("tpot_p50_ns", "ns", "time per output token behind the first");
  RealColumn tpot_p90_ns = Real("tpot_p90_ns", "ns", "nine tenths are below");
  RealColumn tpot_p99_ns = Real("tpot_p99_ns", "ns", "99 of 100 are below");
  RealColumn e2e_p50_ns = Real("e2e_p50_ns", "ns", "the whole request");
  RealColumn e2e_p90_ns = Real("e2e_p90_ns", "ns", "nine tenths are below");
  RealColumn e2e_p99_ns = Real("e2e_p99_ns", "ns", "99 of 100 are below");
  IntColumn slowest_request =
      Int("slowest_request", "", "request of serving_requests with the greatest e2e of the bin");
};
extern template const ServingOverTime& SchemaOf<ServingOverTime>();

struct ServingStages : Schema<ServingStages> {
  static constexpr std::string_view kName = "serving_stages";

  StringColumn stage = Text("stage",
                            "total, network, frontend, queue, prefill, first_token (queue and "
                            "prefill undivided), decode, response (undivided); of a service "
                            "queue, read, lock, handler, send");
  StringColumn from = Text("from", "requests, or metrics: of histograms and counters");
  IntColumn requests = Int("requests", "", "that tell it");
  RealColumn share_pct = Real("share_pct", "%", "of the time of all requests");
  RealColumn mean_ns = Real("mean_ns", "ns", "over all requests, 0 where a request has none of it");
  RealColumn p50_ns = Real("p50_ns", "ns", "median; null of metrics, whose buckets give bounds");
  RealColumn p90_ns = Real("p90_ns", "ns", "nine tenths are below");
  RealColumn p99_ns = Real("p99_ns", "ns", "99 of 100 are below");
  RealColumn p50_least_ns = Real("p50_least_ns", "ns", "of metrics: lower bound of the median");
  RealColumn p50_most_ns = Real("p50_most_ns", "ns", "of metrics: upper bound; null above all");
  RealColumn p99_least_ns = Real("p99_least_ns", "ns", "of metrics: lower bound of p99");
  RealColumn p99_most_ns = Real("p99_most_ns", "ns", "of metrics: upper bound; null above all");
};
extern template const ServingStages& SchemaOf<ServingStages>();

struct ServingMethods : Schema<ServingMethods> {
  static constexpr std::string_view kName = "serving_methods";

  StringColumn method = Text("method", "of a service");
  StringColumn stage = Text("stage", "total, queue, read, lock, handler or send");
  IntColumn requests = Int("requests", "", "that were done and tell their stages");
  IntColumn failed = Int("failed", "", "calls that failed or were cancelled; in no time");
  RealColumn share_pct = Real("share_pct", "%", "of the time of all methods' requests");
  RealColumn mean_ns = Real("mean_ns", "ns", "over its requests, 0 where one has none of it");
  RealColumn p50_ns = Real("p50_ns", "ns", "median");
  RealColumn p90_ns = Real("p90_ns", "ns", "nine tenths are below");
  RealColumn p99_ns = Real("p99_ns", "ns", "99 of 100 are below");
};
extern template const ServingMethods& SchemaOf<ServingMethods>();

struct ServingTail : Schema<ServingTail> {
  static constexpr std::string_view kName = "serving_tail";

  StringColumn part = Text("part",
                           "a stage, or length: longer prompts and answers; of a service method: "
                           "calls of slower methods");
  RealColumn excess_ns = Real("excess_ns", "ns", "that it adds to a request of the tail");
  RealColumn share_pct = Real("share_pct", "%", "of the tail's excess; the shares sum to 100%");
  IntColumn requests = Int("requests", "", "in the tail");
  RealColumn quantile = Real("quantile", "", "above which the tail begins");
};
extern template const ServingTail& SchemaOf<ServingTail>();

struct ServingLittle : Schema<ServingLittle> {
  static constexpr std::string_view kName = "serving_little";

  StringColumn stage = Text("stage",
                            "queue, engine (prefill and decode), of a service handler (with read "
                            "and lock), send");
  RealColumn level = Real("level", "requests", "L: mean number in it, by gauges");
  RealColumn rate_per_s = Real("rate_per_s", "1/s", "lambda: requests that entered it");
  RealColumn time_ns = Real("time_ns", "ns", "W: mean time in it");
  RealColumn difference_pct = Real("difference_pct", "%", "(L - lambda W) / the greater of both");
  StringColumn from = Text("from", "whose lambda and W: requests or metrics");
  StringColumn verdict = Text(
      "verdict", "holds, too few to tell, no steady state, lost requests, or clocks or sampling");
};
extern template const ServingLittle& SchemaOf<ServingLittle>();

struct ServingLevels : Schema<ServingLevels> {
  static constexpr std::string_view kName = "serving_levels";

  IntColumn level = Int("level", "", "its number, from 0");
  IntColumn begin_ns = Int("begin_ns", "ns", "of sending, since the origin (serving_sources)");
  StringColumn kind = Text("kind", "open (requests come by a schedule), closed (users) or replay");
  StringColumn arrivals = Text("arrivals", "of open ones: constant, poisson, gamma; the trace");
  RealColumn target_per_s = Real("target_per_s", "1/s", "the rate that was asked for");
  RealColumn end_per_s = Real("end_per_s", "1/s", "to which the rate went, of a ramp");
  IntColumn users = Int("users", "", "of closed ones");
  StringColumn state =
      Text("state",
           "steady, overload (more come than go), failing (over 5% of the requests), "
           "unsteady (output never becomes steady), too short");
  StringColumn marks = Text("marks",
                            "what the level is of all open ones, by commas: objective (the highest "
                            "rate that keeps --slo), broken (the lowest that does not), capacity "
                            "(the highest that is borne), beyond (the lowest that is not), knee");
  RealColumn headroom_pct = Real(
      "headroom_pct", "%",
      "of the rate that the server sustains (within --slo, if given), which this level leaves: "
      "1 - target_per_s / that rate; null beyond it");
  FlagColumn is_focus =
      Flag("is_focus",
           "findings, stages, tail and batches are of it: the lowest rate that breaks "
           "--slo or is not borne, else the highest");
  FlagColumn was_stopped = Flag("was_stopped", "by its user, before its time");
  StringColumn invalid = Text("invalid", "why it says nothing of the server; null: it does");
  IntColumn requests = Int("requests", "", "that were to be sent in the window");
  IntColumn failed = Int("failed", "", "of these");
  IntColumn unfinished = Int("unfinished", "", "of these, without an end when waiting ended");
  IntColumn warm_up_ns =
      Int("warm_up_ns", "ns", "before the window; null: no steady part was told apart");
  IntColumn window_ns = Int("window_ns", "ns", "that is looked at");
  RealColumn offered_per_s = Real("offered_per_s", "1/s", "requests that were to be sent");
  RealColumn served_per_s = Real("served_per_s", "1/s", "requests that ended well");
  RealColumn output_tokens_per_s = Real("output_tokens_per_s", "tokens/s", "that came");
  RealColumn inside = Real("inside", "requests", "mean of those under way");
  RealColumn ttft_p50_ns = Real("ttft_p50_ns", "ns", "first token, from when it was to be sent");
  RealColumn ttft_p90_ns = Real("ttft_p90_ns", "ns", "nine tenths are below");
  RealColumn ttft_p99_ns = Real("ttft_p99_ns", "ns", "99 of 100 are below");
  RealColumn tpot_p50_ns = Real("tpot_p50_ns", "ns", "time per output token behind the first");
  RealColumn tpot_p90_ns = Real("tpot_p90_ns", "ns", "nine tenths are below");
  RealColumn tpot_p99_ns = Real("tpot_p99_ns", "ns", "99 of 100 are below");
  RealColumn e2e_mean_ns = Real("e2e_mean_ns", "ns", "the whole request");
  RealColumn e2e_p50_ns = Real("e2e_p50_ns", "ns", "median");
  RealColumn e2e_p90_ns = Real("e2e_p90_ns", "ns", "nine tenths are below");
  RealColumn e2e_p99_ns = Real("e2e_p99_ns", "ns", "99 of 100 are below");
  RealColumn e2e_from_send_p99_ns =
      Real("e2e_from_send_p99_ns", "ns", "from when it was sent: without what it waited for that");
  RealColumn good_pct = Real("good_pct", "%", "of the requests keep --slo; what failed does not");
  RealColumn good_error_pct =
      Real("good_error_pct", "%", "half of its 95% interval, by means of 20 batches");
  RealColumn good_per_s = Real("good_per_s", "1/s", "requests that keep it (goodput)");
  IntColumn lag_p99_ns =
      Int("lag_p99_ns", "ns", "99 of 100 were begun with less delay by the generator");
  RealColumn client_busy_pct = Real("client_busy_pct", "%", "of the generator's core");
  IntColumn silence_ns =
      Int("silence_ns", "ns", "the longest time without any output, requests inside");
  IntColumn silence_at_ns = Int("silence_at_ns", "ns", "its begin, since that of the level");
  FlagColumn is_stall = Flag("is_stall", "that silence stands out: 0.5 s and ten times the usual");
  StringColumn capture_run =
      Text("capture_run",
           "what the server's processes did under the level's load, behind its time "
           "(--capture): the run at a rankscope server");
  StringColumn capture_page = Text("capture_page", "its address");
  IntColumn capture_files = Int("capture_files", "", "that it has");
  StringColumn capture_problem =
      Text("capture_problem", "why there is none though it was asked for, or what is odd");
};
extern template const ServingLevels& SchemaOf<ServingLevels>();

struct ServingBatches : Schema<ServingBatches> {
  static constexpr std::string_view kName = "serving_batches";

  StringColumn kind = Text("kind", "decode, mixed, prefill or idle");
  StringColumn from = Text("from", "log, or trace: a profiler's, by the engine's marks");
  IntColumn iterations = Int("iterations", "", "steps of the engine");
  RealColumn time_pct = Real("time_pct", "%", "of the time of all steps");
  RealColumn mean_ns = Real("mean_ns", "ns", "of a step");
  RealColumn p50_ns = Real("p50_ns", "ns", "median");
  RealColumn p99_ns = Real("p99_ns", "ns", "99 of 100 are below");
  RealColumn context_requests = Real("context_requests", "", "mean of a step");
  RealColumn context_tokens = Real("context_tokens", "tokens", "mean of a step");
  RealColumn generation_requests = Real("generation_requests", "", "mean of a step");
  RealColumn device_busy_pct =
      Real("device_busy_pct", "%", "of the devices' observed time in these steps, by a trace");
};
extern template const ServingBatches& SchemaOf<ServingBatches>();

struct ServingBatchSizes : Schema<ServingBatchSizes> {
  static constexpr std::string_view kName = "serving_batch_sizes";

  StringColumn kind = Text("kind", "decode, mixed or prefill");
  IntColumn least = Int("least", "requests", "in a step of the row: its smallest size");
  IntColumn most = Int("most", "requests", "its greatest size");
  IntColumn iterations = Int("iterations", "", "steps of the engine");
  RealColumn requests = Real("requests", "requests", "mean of these steps");
  RealColumn mean_ns = Real("mean_ns", "ns", "of a step");
  RealColumn p50_ns = Real("p50_ns", "ns", "median");
  RealColumn p99_ns = Real("p99_ns", "ns", "99 of 100 are below");
  RealColumn context_tokens = Real("context_tokens", "tokens", "of prompts, mean of a step");
  RealColumn tokens_per_s =
      Real("tokens_per_s", "tokens/s", "generated in these steps over their time; null of prefill");
};
extern template const ServingBatchSizes& SchemaOf<ServingBatchSizes>();

struct ServingIterations : Schema<ServingIterations> {
  static constexpr std::string_view kName = "serving_iterations";

  IntColumn iteration = Int("iteration", "", "its number in the engine's log");
  StringColumn kind = Text("kind", "decode, mixed, prefill or idle");
  IntColumn time_ns =
      Int("time_ns", "ns", "of its end, since the origin; null where the log has none");
  IntColumn elapsed_ns = Int("elapsed_ns", "ns", "waiting for its result, scheduling left out");
  IntColumn context_requests = Int("context_requests", "", "whose prompt was worked on");
  IntColumn context_tokens = Int("context_tokens", "tokens", "of these prompts");
  IntColumn generation_requests = Int("generation_requests", "", "that generated");
  IntColumn generation_tokens = Int("generation_tokens", "tokens", "of these");
  FlagColumn is_dummy = Flag("is_dummy", "fills up for other data-parallel ranks");
};
extern template const ServingIterations& SchemaOf<ServingIterations>();

struct ServingLoad : Schema<ServingLoad> {
  static constexpr std::string_view kName = "serving_load";

  StringColumn replica = Text("replica", "whose load it is");
  IntColumn time_ns = Int("time_ns", "ns", "since the origin; null where it is not known");
  RealColumn running = Real("running", "requests", "in the engine");
  RealColumn waiting = Real("waiting", "requests", "in its queue");
  RealColumn sending = Real("sending", "requests", "of a service: being answered");
  RealColumn waiting_capacity = Real("waiting_capacity", "requests", "for want of KV cache");
  RealColumn kv_cache_pct =
      Real("kv_cache_pct", "%", "of the KV cache in use, of the fullest engine");
  RealColumn generation_tokens_per_s =
      Real("generation_tokens_per_s", "tokens/s", "since the moment before");
};
extern template const ServingLoad& SchemaOf<ServingLoad>();

struct ServingMetrics : Schema<ServingMetrics> {
  static constexpr std::string_view kName = "serving_metrics";

  StringColumn replica = Text("replica", "whose metric it is");
  StringColumn server = Text("server", "vLLM, SGLang, ...");
  StringColumn metric = Text("metric", "what it is called here, whatever the server's name is");
  StringColumn kind = Text("kind", "gauge, counter or histogram");
  StringColumn unit = Text("unit", "of the values; 1 is a share");
  IntColumn samples = Int("samples", "", "scrapes that have it");
  RealColumn mean = Real("mean", "", "of a gauge over samples, of a histogram over observations");
  RealColumn most = Real("most", "", "the greatest value of a gauge");
  RealColumn last = Real("last", "", "the last value of a gauge");
  RealColumn gained = Real("gained", "", "by a counter, or observations of a histogram");
  RealColumn per_s = Real("per_s", "1/s", "gained per second");
  RealColumn p50_least = Real("p50_least", "", "lower bound of a histogram's median");
  RealColumn p50_most = Real("p50_most", "", "upper bound; null above all buckets");
  RealColumn p99_least = Real("p99_least", "", "lower bound of p99");
  RealColumn p99_most = Real("p99_most", "", "upper bound; null above all buckets");
};
extern template const ServingMetrics& SchemaOf<ServingMetrics>();

struct ServingFindings : Schema<ServingFindings> {
  static constexpr std::string_view kName = "serving_findings";

  StringColumn id = Text("id", "of the finding; rankscope explain ID");
  StringColumn severity = Text("severity", "high, medium or low");
  StringColumn title = Text("title", "what is wrong, in a sentence");
  StringColumn evidence = Text("evidence", "what shows it");
  StringColumn change = Text("change", "what to change");
  RealColumn lost_pct = Real("lost_pct", "%", "of requests' time that goes there; null: not known");
  RealColumn gain_pct = Real("gain_pct", "%",
                             "less mean time of a request with the change, by the model of this "
                             "server; null: no_gain says why");
  RealColumn model_error_pct =
      Real("model_error_pct", "%", "by which the model misses the recording");
  StringColumn no_gain = Text("no_gain", "why no gain is stated");
};
extern template const ServingFindings& SchemaOf<ServingFindings>();

struct ServingGoodput : Schema<ServingGoodput> {
  static constexpr std::string_view kName = "serving_goodput";

  StringColumn objective = Text("objective", "ttft, tpot, e2e, or all together");
  IntColumn limit_ns = Int("limit_ns", "ns", "of --slo; null of all together");
  IntColumn requests =
      Int("requests", "",
          "of one recorder, whose time it is known of, and those that failed; 0: nothing tells it");
  IntColumn good = Int("good", "", "that keep it; what failed keeps none; null: not known");
  RealColumn good_pct = Real("good_pct", "%", "of the requests");
  RealColumn per_s = Real("per_s", "1/s", "good requests per second of the recording");
};
extern template const ServingGoodput& SchemaOf<ServingGoodput>();

struct ServingEnergy : Schema<ServingEnergy> {
  static constexpr std::string_view kName = "serving_energy";

  StringColumn part = Text("part", "all, or a level of load: level 2");
  IntColumn begin_ns = Int("begin_ns", "ns", "since the origin");
  IntColumn duration_ns = Int("duration_ns", "ns", "of the time that is looked at");
  IntColumn devices = Int("devices", "", "whose exporters were scraped");
  RealColumn joules = Real("joules", "J", "that all devices drew");
  RealColumn watts = Real("watts", "W", "mean power of all devices");
  RealColumn output_tokens = Real("output_tokens", "tokens", "generated meanwhile");
  RealColumn joules_per_token = Real("joules_per_token", "J", "joules / output_tokens");
  RealColumn idle_pct = Real("idle_pct", "%", "of the joules: while no request ran");
};
extern template const ServingEnergy& SchemaOf<ServingEnergy>();

struct ServingTunings : Schema<ServingTunings> {
  static constexpr std::string_view kName = "serving_tunings";

  IntColumn tuning = Int("tuning", "", "its number, from 0");
  StringColumn adapter = Text("adapter", "what was tuned");
  StringColumn state = Text("state", "running, ended, or stopped by its user");
  StringColumn headline = Text("headline", "what came of it");
  IntColumn planned = Int("planned", "", "trials, the diagnosis not among them");
  IntColumn ttft_ns = Int("ttft_ns", "ns", "limit of the first token");
  IntColumn tpot_ns = Int("tpot_ns", "ns", "limit of the time per token behind it");
  IntColumn e2e_ns = Int("e2e_ns", "ns", "limit of the whole request");
  StringColumn settings_now = Text("settings_now", "with which it was begun");
  StringColumn settings = Text("settings", "that are recommended; null: not known yet");
  FlagColumn is_change = Flag("is_change", "these are others");
  RealColumn borne_per_s =
      Real("borne_per_s", "1/s", "a steady rate within the objective, with the settings of now");
  RealColumn now_per_s = Real("now_per_s", "1/s", "good requests of trials with those");
  RealColumn chosen_per_s = Real("chosen_per_s", "1/s", "of those with the recommended ones");
  RealColumn gain_pct = Real("gain_pct", "%", "more with these; null: nothing better, or not yet");
  RealColumn gain_low_pct = Real("gain_low_pct", "%", "80% sure: at least");
  RealColumn gain_high_pct = Real("gain_high_pct", "%", "at most");
  RealColumn confirmed_per_s =
      Real("confirmed_per_s", "1/s", "a steady rate that was borne with these");
  RealColumn confirmed_good_pct = Real("confirmed_good_pct", "%", "of its requests");
  StringColumn causes = Text("causes", "findings of the diagnosis, by commas");
  StringColumn command = Text("command", "that starts a server with the recommended settings");
  StringColumn applied =
      Text("applied", "not_asked, nothing_better, kept, broken or failed: to the service");
  StringColumn canary = Text("canary", "what the change of the service showed");
};
extern template const ServingTunings& SchemaOf<ServingTunings>();

struct ServingTrials : Schema<ServingTrials> {
  static constexpr std::string_view kName = "serving_trials";

  IntColumn tuning = Int("tuning", "", "of serving_tunings");
  IntColumn trial = Int("trial", "", "its number; the diagnosis is 1");
  StringColumn stage = Text("stage",
                            "baseline (settings of now), design (they fill the space), search "
                            "(where a gain is expected), final (the best and now, in turns)");
  StringColumn settings = Text("settings", "of this trial, but for what is the same in all");
  FlagColumn is_now = Flag("is_now", "those with which it was begun");
  FlagColumn is_chosen = Flag("is_chosen", "others that are recommended");
  RealColumn good_per_s =
      Real("good_per_s", "1/s", "good requests, as the load counts them; null: it did not run");
  IntColumn sent = Int("sent", "", "requests");
  IntColumn good = Int("good", "", "of these, that keep the objective");
  IntColumn failed = Int("failed", "", "of these");
  StringColumn why = Text("why", "it did not run, or died");
  StringColumn trouble = Text("trouble", "of the load generator, which makes it rough");
};
extern template const ServingTrials& SchemaOf<ServingTrials>();

struct ServingNotes : Schema<ServingNotes> {
  static constexpr std::string_view kName = "serving_notes";

  StringColumn note = Text("note", "what the inputs lack or say oddly, or what was not evaluated");
  FlagColumn is_unchecked = Flag("is_unchecked", "of a finding that could not be looked for");
  FlagColumn leads = Flag("leads", "the report begins with it: requests that failed");
};
extern template const ServingNotes& SchemaOf<ServingNotes>();

}  // namespace rankscope
