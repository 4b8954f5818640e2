#include "serving/tables.h"

#include <fmt/core.h>

#include <utility>

#include "schemas/serving.h"

namespace rankscope::serving {
namespace {

template <typename T>
TableEntry Of(std::string summary, std::string definition, bool is_detail = false) {
  return {.name = std::string(T::kName),
          .summary = std::move(summary),
          .definition = std::move(definition),
          .example = fmt::format("rankscope serving logs/ --table {}", T::kName),
          .subject = Subject::kServing,
          .columns = SchemaOf<T>().columns(),
          .is_detail = is_detail};
}

}  // namespace

std::span<const TableEntry> ServingTableList() {
  static const std::vector<TableEntry> kTables = {
      Of<ServingFindings>(
          "what is wrong with the server, what shows it and what to change",
          "A row for each finding, by severity and lost time. lost_pct is the share of requests' "
          "time that goes there. gain_pct comes of replaying the recorded requests through a model "
          "that is fitted to the recorded iterations (T = floor + slope * generating requests + "
          "cost * prompt tokens), as the server is and with the change; it is stated where the "
          "model of the server as it is misses the recorded median time and tokens per second by "
          "at "
          "most 15%. Pages: rankscope explain ID."),
      Of<ServingStages>(
          "where the time of requests goes",
          "A row for each stage that is known, and their total. Stages of a request sum to its "
          "time: frontend = e2e - queue - prefill - decode; network = what a client or proxy "
          "measured beyond the server. Requests that failed, were cancelled or contradict "
          "themselves (stages over e2e by more than 1% and 1 ms) are left out. Without requests "
          "that tell a queue, means are those of histograms and counters, and quantiles are "
          "bounds: those of the bucket in which they lie, which may be wide (vLLM's first bucket "
          "of queue, prefill and decode ends at 0.3 s)."),
      Of<ServingMethods>(
          "where the time of a service's requests goes, by method",
          "A row for each method and stage that is known of it, and the method's total; methods by "
          "the time of their requests. Of services that a recorder looks at "
          "(docs/record-requests.md). The stages of a request sum to its time; what no hook saw of "
          "it is in no stage and in no total."),
      Of<ServingTail>(
          "what makes the slowest requests slow",
          "The tail are the slowest 1% of the requests, 30 of them at least and 10% at most; below "
          "300 requests there are no rows. The body of a request are those between the 40th and "
          "60th percentile of requests of its length (prompt and output tokens by powers of two; "
          "of fewer than 25 such by output alone, then all). excess of a stage = mean over the "
          "tail of "
          "its time less its mean in the body; of length = mean time of the body less that of all "
          "requests' body. They sum to the mean time of the tail less that of all requests' body."),
      Of<ServingLittle>(
          "whether gauges and requests agree (Little's law)",
          "L = lambda W for the queue and the engine, L by gauges (each value holds until the "
          "next), lambda and W by requests or by histograms. It holds within 5%; less than a tenth "
          "of a request in the stage is too few to tell; else the verdict says what the recording "
          "shows."),
      Of<ServingLevels>(
          "how a server bears rising load (rankscope load)",
          "A row for each level of load. What is counted are the requests that were to be sent "
          "between the end of the warm-up (MSER-5 over the tokens that come, at most half) and the "
          "end of sending, each to its end; times count from when a request was to be sent. "
          "overload: requests that came in the last third take 1.2 times as long as those of the "
          "first (medians, once the server has filled up), and the number inside rises by over 3% "
          "of "
          "those offered and by more than chance does (three standard deviations of a Poisson "
          "variable from begin to end, or two with a trend of p < 0.01 by Mann-Kendall over "
          "moments "
          "as far apart as a request is long). A level is invalid where the "
          "generator's core was over 80% busy, or the 99th percentile of its lag was over 5% of "
          "the tightest limit of --slo (without one: of the median first token), and over 1 ms. "
          "objective: 95% of the requests keep --slo. knee: the rate with the greatest "
          "served_per_s "
          "/ e2e_mean_ns (Kleinrock's power), of four or more."),
      Of<ServingBatches>(
          "steps of the engine by what they work on",
          "A row for each kind of step: decode (generating requests alone), prefill (prompts "
          "alone), mixed, idle, and of where it is known from. Dummy steps are left out. Times of "
          "a "
          "log are waiting for a step's result, without scheduling; of a trace, a step lasts until "
          "the next one begins."),
      Of<ServingBatchSizes>(
          "how long a step takes, and what it gives, by the size of its batch",
          "A row for each kind of step and size, by the engine's log. The size are the requests in "
          "a "
          "step, prompts and generating ones; sizes above 16 are put together, eight rows between "
          "a "
          "power of two and the next. tokens_per_s = generated tokens of these steps / the sum of "
          "their times. Of all levels of a load run together; dummy steps are left out."),
      Of<ServingOverTime>(
          "latencies of requests over time",
          "A row for each bin between the first arrival and the last, as long as each other: 1, 2 "
          "or "
          "5 times a power of ten ns, of which there are at most 100 and the last, and at most one "
          "for four requests (10 of fewer). A request is in the bin of its arrival, "
          "with the times that serving_goodput judges: the client's where it recorded them, else "
          "the proxy's, else the server's. Of several who recorded the same requests without "
          "common "
          "ids, it is of those whose first tokens and ends are known the most. Times without a "
          "request have a row without latencies. Not there below two arrivals."),
      Of<ServingLoad>("running, waiting and KV cache over time",
                      "A row for each scrape of /metrics and each line of an engine's log that "
                      "tells its load."),
      Of<ServingMetrics>(
          "what a server's metrics say, under one name for all servers",
          "A row for each replica and metric. Counters and histograms count what they gained "
          "between scrapes; one that falls was reset. Of a single scrape they count since the "
          "server began. Of tensor and pipeline ranks, which export the same, the first counts."),
      Of<ServingGoodput>(
          "requests that keep an objective (--slo)",
          "A row for each limit and one for all together. ttft is the time to the first token, "
          "tpot "
          "decode over output tokens less one (a request of one token has none and keeps it). "
          "Failed and cancelled requests keep nothing. A limit that no record tells is unknown. "
          "Times are the client's where it recorded them, else the proxy's, else the server's. Of "
          "several who recorded the same without common ids, one is judged by: who knows the most "
          "of the limits."),
      Of<ServingEnergy>(
          "energy that devices drew, per token",
          "Where exporters of devices were scraped beside the program (DCGM's, or "
          "rankscope-agent's "
          "/metrics). joules: by the devices' counters of energy, else the mean of two readings of "
          "power times the time between; both grow evenly between two readings. all: the time in "
          "which devices and program were read; output_tokens by the program's counters, each "
          "gain spread evenly over the time between its scrapes, else of requests that ended in "
          "it. level N: its window (serving_levels), output_tokens of its requests. A gauge of "
          "running requests holds until the next scrape. Time in which a counter of energy began "
          "anew has no row."),
      Of<ServingRequests>("every request with its stages",
                          "A row for each request, one that client and server recorded being one. "
                          "What its record does not tell is null.",
                          true),
      Of<ServingIterations>(
          "every step of the engine",
          "A row for each step in the engine's log "
          "(vLLM: --enable-logging-iteration-details; TensorRT-LLM: print_iter_log).",
          true),
      Of<ServingTunings>(
          "runs of rankscope tune and what came of them",
          "A row for each tune.json of rankscope tune --keep. good_per_s of trials, now_per_s and "
          "chosen_per_s count as the load of the trials does (docs/tune.md): of a rising rate R "
          "sqrt(good / sent), else good requests a second. gain_pct is of the means of the final "
          "trials, with an interval of 80%; borne_per_s and confirmed_per_s are steady rates."),
      Of<ServingTrials>("settings that rankscope tune has tried, and what they bore",
                        "A row for each trial, in their order. The same load for all of a "
                        "schedule, so that settings differ by themselves."),
      Of<ServingSources>("what was read", "A row for each file and kind of record in it."),
      Of<ServingNotes>(
          "what the recordings do not say, or say oddly",
          "A sentence for each thing that was passed over or limits the other tables, and "
          "for each finding that could not be looked for."),
  };
  return kTables;
}

}  // namespace rankscope::serving
