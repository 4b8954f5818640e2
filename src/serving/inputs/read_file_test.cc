// Every format by a small input, as its tool writes it, and what is wrong with those that are not.
#include "serving/inputs/read_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/units_for_test.h"
#include "serving/base/metric_names.h"
#include "serving/base/moment_for_test.h"

namespace rankscope::serving {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ServingData ReadReadFile(std::string_view text, const std::string& path = "file") {
  Collection collection;
  const Status status = ReadServingFile({.path = path, .text = text, .modified = 5}, collection);
  EXPECT_TRUE(status.ok()) << status.message();
  return std::move(collection.data);
}

std::string ErrorOf(std::string_view text) {
  Collection collection;
  const Status status = ReadServingFile({.path = "file", .text = text}, collection);
  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(status.message().starts_with("file: ")) << status.message();
  return status.message();
}

TEST(ReadServingFile, SpansOfVllm) {
  const ServingData data = ReadReadFile(
      R"({"resourceSpans":[{"resource":{"attributes":[{"key":"service.instance.id","value":{"stringValue":"a"}}]},"scopeSpans":[{"spans":[
{"traceId":"01","spanId":"0a","name":"gateway","startTimeUnixNano":"1764000000000000000","endTimeUnixNano":"1764000002500000000"},
{"traceId":"01","spanId":"0b","parentSpanId":"0a","name":"llm_request","startTimeUnixNano":"1764000000100000000","endTimeUnixNano":"1764000002100000000",
"attributes":[{"key":"gen_ai.request.id","value":{"stringValue":"cmpl-7"}},{"key":"gen_ai.usage.prompt_tokens","value":{"intValue":"12"}},
{"key":"gen_ai.usage.completion_tokens","value":{"intValue":3}},{"key":"gen_ai.latency.e2e","value":{"doubleValue":2.0}},
{"key":"gen_ai.latency.time_in_queue","value":{"doubleValue":0.5}},{"key":"gen_ai.latency.time_in_model_prefill","value":{"doubleValue":0.25}},
{"key":"gen_ai.latency.time_in_model_inference","value":{"doubleValue":1.25}}]}]}]}]})");
  ASSERT_EQ(data.requests.size(), 1u);
  const Request& one = data.requests[0];
  EXPECT_EQ(one.id, "cmpl-7");
  EXPECT_EQ(one.replica, "a");
  EXPECT_EQ(one.e2e, 2000 * kMs);
  EXPECT_EQ(one.queue, 500 * kMs);
  EXPECT_EQ(one.prefill, 250 * kMs);
  EXPECT_EQ(one.decode, 1000 * kMs);
  EXPECT_EQ(one.around, 500 * kMs);
  EXPECT_EQ(one.prompt_tokens, 12);
  EXPECT_EQ(one.output_tokens, 3);
  EXPECT_EQ(one.arrival, kBegin + 100 * kMs);
}

// The gateway and the engine export their spans each, by clocks a day apart: 2.5 s, 0.4 s more in
// the router, and 2 s in the engine. The agent called twice.
constexpr std::string_view kSpansOfServices =
    R"({"resourceSpans":[{"scopeSpans":[{"spans":[
{"traceId":"01","spanId":"0a","name":"gateway","startTimeUnixNano":"1764086400000000000","endTimeUnixNano":"1764086402500000000"},
{"traceId":"02","spanId":"0a","name":"agent","startTimeUnixNano":"1764086400000000000","endTimeUnixNano":"1764086409000000000"}]}]},
{"scopeSpans":[{"spans":[
{"traceId":"01","spanId":"0r","parentSpanId":"0a","name":"router","startTimeUnixNano":"1764000000000000000","endTimeUnixNano":"1764000002400000000"}]}]}]})";
constexpr std::string_view kSpansOfEngine =
    R"({"resourceSpans":[{"scopeSpans":[{"spans":[
{"traceId":"01","spanId":"0b","parentSpanId":"0r","name":"llm_request","startTimeUnixNano":"1764000000100000000","endTimeUnixNano":"1764000002100000000"},
{"traceId":"02","spanId":"0b","parentSpanId":"0a","name":"llm_request","startTimeUnixNano":"1764000000100000000","endTimeUnixNano":"1764000002100000000"},
{"traceId":"02","spanId":"0c","parentSpanId":"0a","name":"llm_request","startTimeUnixNano":"1764000003100000000","endTimeUnixNano":"1764000005100000000"},
{"traceId":"03","spanId":"0b","parentSpanId":"0z","name":"llm_request","startTimeUnixNano":"1764000000100000000","endTimeUnixNano":"1764000002100000000"}]}]}]})";

TEST(ReadServingFile, SpansOfServicesInOtherFiles) {
  for (const bool is_engine_first : {false, true}) {
    Collection collection;
    for (const bool is_engine : {is_engine_first, !is_engine_first}) {
      const Status read = ReadServingFile({.path = is_engine ? "engine" : "services",
                                           .text = is_engine ? kSpansOfEngine : kSpansOfServices},
                                          collection);
      ASSERT_TRUE(read.ok()) << read.message();
    }
    EXPECT_EQ(collection.span_paths.TellAround(collection.data.requests), 1);
    ASSERT_EQ(collection.data.requests.size(), 4u);
    EXPECT_EQ(collection.data.requests[0].around, 500 * kMs);
    for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(collection.data.requests[i].around, std::nullopt);
    EXPECT_THAT(
        collection.data.notes,
        testing::ElementsAre(testing::HasSubstr("services: 3 spans, none of them a request")));
  }
}

// A chunk lies in the prefill; what waited before and between counts once.
TEST(ReadServingFile, SlicesOfSglang) {
  const ServingData data = ReadReadFile(
      R"({"resourceSpans":[{"scopeSpans":[{"spans":[
{"traceId":"1","spanId":"r","name":"Req 1","startTimeUnixNano":"1000","endTimeUnixNano":"2000","attributes":[{"key":"rid","value":{"stringValue":"x"}}]},
{"traceId":"1","spanId":"t","parentSpanId":"r","name":"scheduler","startTimeUnixNano":"1000","endTimeUnixNano":"2000"},
{"traceId":"1","spanId":"a","parentSpanId":"t","name":"prefill_waiting","startTimeUnixNano":"1000","endTimeUnixNano":"1300"},
{"traceId":"1","spanId":"b","parentSpanId":"t","name":"prefill_forward","startTimeUnixNano":"1300","endTimeUnixNano":"1500"},
{"traceId":"1","spanId":"c","parentSpanId":"b","name":"chunked_prefill","startTimeUnixNano":"1300","endTimeUnixNano":"1400"},
{"traceId":"1","spanId":"d","parentSpanId":"t","name":"decode_forward","startTimeUnixNano":"1500","endTimeUnixNano":"1900"}]}]}]})");
  ASSERT_EQ(data.requests.size(), 1u);
  const Request& one = data.requests[0];
  EXPECT_EQ(one.id, "x");
  EXPECT_EQ(one.e2e, 1000);
  EXPECT_EQ(one.queue, 300);
  EXPECT_EQ(one.prefill, 200);
  EXPECT_EQ(one.decode, 400);
  EXPECT_EQ(one.ttft, 500);
}

// Where its slices are not recorded: the attribute of the prefill contains the queue.
TEST(ReadServingFile, TheQueueIsNoPartOfSglangsPrefill) {
  const ServingData data = ReadReadFile(
      R"({"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"sglang"}}]},"scopeSpans":[{"spans":[
{"traceId":"1","spanId":"a","name":"Req 1","startTimeUnixNano":"1000","endTimeUnixNano":"3000000000",
"attributes":[{"key":"gen_ai.latency.time_in_queue","value":{"doubleValue":1.0}},{"key":"gen_ai.latency.time_in_model_prefill","value":{"doubleValue":1.5}}]}]}]}]})");
  ASSERT_EQ(data.requests.size(), 1u);
  EXPECT_EQ(data.requests[0].queue, 1000 * kMs);
  EXPECT_EQ(data.requests[0].prefill, 500 * kMs);
}

TEST(ReadServingFile, SpansOfClientsByOldAndNewNames) {
  const ServingData data = ReadReadFile(
      R"({"resourceSpans":[{"scopeSpans":[{"spans":[
{"traceId":"1","spanId":"a","name":"chat m","kind":3,"startTimeUnixNano":"1000","endTimeUnixNano":"3000","status":{"code":2},
"attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.usage.input_tokens","value":{"intValue":"5"}}]},
{"traceId":"2","spanId":"b","name":"x","startTimeUnixNano":"9","endTimeUnixNano":"3"}]}]}]})");
  ASSERT_EQ(data.requests.size(), 1u);
  EXPECT_EQ(data.requests[0].side, Side::kClient);
  EXPECT_EQ(data.requests[0].outcome, Outcome::kFailed);
  EXPECT_EQ(data.requests[0].prompt_tokens, 5);
  EXPECT_THAT(data.notes, ElementsAre(HasSubstr("1 spans end before they begin")));
}

TEST(ReadServingFile, SpansThatAllEndBeforeTheyBeginAreCalledSo) {
  EXPECT_THAT(
      ErrorOf(
          R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"llm_request","startTimeUnixNano":"9","endTimeUnixNano":"1"},{"name":"x","startTimeUnixNano":"9","endTimeUnixNano":"2"}]}]}]})"),
      HasSubstr("2 spans, all of which end before they begin"));
}

// A copy that was cut off has good lines, too: they are read, and it is said.
TEST(ReadServingFile, WhatCouldNotBeUnpackedIsSaid) {
  Collection collection;
  const InputFile file{.path = "m.gz",
                       .text = "vllm:num_requests_waiting 3\nvllm:num_reque",
                       .modified = 5,
                       .problem = "the file was cut off"};
  EXPECT_TRUE(ReadServingFile(file, collection).ok());
  EXPECT_EQ(collection.data.scrapes.size(), 1u);
  EXPECT_THAT(collection.data.notes.front(), "m.gz: the file was cut off");
  const Status status =
      ReadServingFile({.path = "x.gz", .text = "", .problem = "the file was cut off"}, collection);
  EXPECT_THAT(status.message(), HasSubstr("x.gz: the file is empty: the file was cut off"));
}

TEST(Collection, NotesOfManyFilesAreOne) {
  EXPECT_THAT(NotesByKind({"a: 3 lines are bad", "b: no clock", "c: 3 lines are bad", "x: y",
                           "d: 3 lines are bad", "e: no clock"},
                          {"a", "b", "c", "d", "e"}),
              ElementsAre("a: 3 lines are bad (and 2 files more)", "b: no clock (and 1 file more)",
                          "x: y"));
  EXPECT_THAT(NotesByKind({"a1: 3 bad", "a2: 14 bad"}, {"a1", "a2"}),
              ElementsAre("a1: 3 bad (and 1 file more, by other numbers)"));
}

TEST(ReadServingFile, SglangsRequestLog) {
  const ServingData data = ReadReadFile(
      R"({"request_parameters":"{\"text\":\"hello\"}","meta_info":{"id":"q","prompt_tokens":10,"completion_tokens":11,"cached_tokens":4,"request_received_ts":1764000000.0,"response_sent_to_client_ts":1764000002.0,"inference_time":1.5,"decode_throughput":10.0,"queue_time":0.25}}
not json
)");
  ASSERT_EQ(data.requests.size(), 1u);
  const Request& one = data.requests[0];
  EXPECT_EQ(one.e2e, 2000 * kMs);
  EXPECT_EQ(one.queue, 250 * kMs);
  EXPECT_EQ(one.decode, 1000 * kMs);
  EXPECT_EQ(one.prefill, 500 * kMs);
  EXPECT_EQ(one.cached_tokens, 4);
  EXPECT_THAT(data.notes,
              ElementsAre(HasSubstr("1 of 2 lines could not be used, the first at line 2")));
}

// 100 bytes are a block of 64 and the rest: what is no whole block counts, too.
TEST(ReadServingFile, TheEndOfAPromptIsABlock) {
  const auto blocks = [](const std::string& prompt) {
    return ReadReadFile(R"({"request_parameters":"{\"text\":\")" + prompt +
                        R"(\"}","id":"q","request_received_ts":1764000000.0,"e2e_latency":1})")
        .requests[0]
        .prompt_blocks;
  };
  const std::string shared(64, 'a');
  const auto one = blocks(shared + std::string(36, 'b')), other = blocks(shared + "c");
  ASSERT_EQ(one.size(), 2u);
  ASSERT_EQ(other.size(), 2u);
  EXPECT_EQ(one[0], other[0]);
  EXPECT_NE(one[1], other[1]);
  EXPECT_EQ(blocks(shared).size(), 1u);
  EXPECT_EQ(blocks("short").size(), 1u);
}

constexpr std::string_view kRecorderHeader =
    R"({"rankscope_requests":1,"unit":"ns","clock":"CLOCK_MONOTONIC","monotonic":5000,"wall_clock":"CLOCK_REALTIME","wall":1764000000000000000,"host":"h","pid":7,"service":"ranker","version":"1","recorder":"C++ 1","dropped":2})"
    "\n";

TEST(ReadServingFile, RequestsOfAService) {
  const ServingData data =
      ReadReadFile(std::string(kRecorderHeader) +
                   R"({"sample":6000,"queued":3,"running":2,"sending":0,"dropped":5}
{"id":"a","method":"rank","arrival":6000,"dequeue":6100,"begin":6150,"end":6950,"sent":7000,"lock_wait":300,"lock_held":20,"lock":"index","batch":4,"batch_size":8,"status":"done","thread":70,"connection":3}
{"id":"b","method":"rank","seen":7000,"begin":7100,"end":7200,"status":"failed","code":13}
)");
  ASSERT_EQ(data.requests.size(), 2u);
  const Request& one = data.requests[0];
  EXPECT_EQ(one.replica, "ranker h 7");
  EXPECT_EQ(one.method, "rank");
  EXPECT_EQ(one.arrival, kBegin + 1000);
  EXPECT_EQ(one.e2e, 1000);
  EXPECT_EQ(one.queue, 100);
  EXPECT_EQ(one.read, 50);
  EXPECT_EQ(one.handler, 800);
  EXPECT_EQ(one.lock, 300);
  EXPECT_EQ(one.held, 20);
  EXPECT_EQ(one.send, 50);
  EXPECT_EQ(one.lock_name, "index");
  EXPECT_EQ(one.batch_size, 8);
  EXPECT_EQ(one.thread, 70);
  const Request& other = data.requests[1];
  EXPECT_EQ(other.arrival, kBegin + 2000);
  EXPECT_EQ(other.queue, std::nullopt);
  EXPECT_EQ(other.e2e, std::nullopt);
  EXPECT_EQ(other.lock, std::nullopt);
  EXPECT_EQ(other.send, std::nullopt);
  EXPECT_EQ(other.outcome, Outcome::kFailed);
  EXPECT_EQ(other.problem, "code 13");
  ASSERT_EQ(data.loads.size(), 1u);
  EXPECT_EQ(data.loads[0].time, kBegin + 1000);
  EXPECT_EQ(data.loads[0].waiting, 3);
  EXPECT_EQ(data.loads[0].running, 2);
  // Those before this file are not its.
  EXPECT_THAT(data.notes, ElementsAre(HasSubstr("file: 3 requests were not recorded")));
}

TEST(ReadServingFile, RequestsThatContradictThemselvesAreCounted) {
  const ServingData data =
      ReadReadFile(std::string(kRecorderHeader) +
                   R"({"id":"a","method":"m","arrival":6000,"begin":5900,"end":7000}
{"id":"b","method":"m"}
{"id":"c","method":"m","begin":5900,"end":7000,"status":"done"}
{"id":"d","method":"m","begin":59)");
  ASSERT_EQ(data.requests.size(), 1u);
  EXPECT_EQ(data.requests[0].id, "c");
  EXPECT_THAT(data.notes,
              ElementsAre(HasSubstr("3 of 5 lines could not be used, the first at line 2")));
}

TEST(ReadServingFile, RequestsWithoutAClockAreRefused) {
  EXPECT_THAT(ErrorOf(R"({"rankscope_requests":1,"unit":"s"}
{"id":"c","method":"m","begin":5900,"end":7000,"status":"done"}
)"),
              HasSubstr("requests of a service"));
}

TEST(ReadServingFile, AiperfsRecords) {
  const ServingData data = ReadReadFile(
      R"({"metadata":{"x_request_id":"a","request_start_ns":1764000000000000000,"benchmark_phase":"profiling","was_cancelled":false},"metrics":{"time_to_first_token":{"value":12.5,"unit":"ms"},"request_latency":{"value":100,"unit":"ms"},"inter_chunk_latency":{"value":[10,20],"unit":"ms"},"output_sequence_length":{"value":3,"unit":"tokens"}},"error":null}
{"metadata":{"request_start_ns":1764000000000000001,"benchmark_phase":"warmup"},"metrics":{}}
{"metadata":{"request_start_ns":1764000000000000002},"metrics":{},"error":{"message":"timed out"}}
)");
  ASSERT_EQ(data.requests.size(), 2u);
  EXPECT_EQ(data.requests[0].ttft, 12'500'000);
  EXPECT_EQ(data.requests[0].e2e, 100 * kMs);
  EXPECT_THAT(data.requests[0].gaps, ElementsAre(10 * kMs, 20 * kMs));
  EXPECT_EQ(data.requests[1].outcome, Outcome::kFailed);
  EXPECT_EQ(data.requests[1].problem, "timed out");
  EXPECT_FALSE(data.requests[1].e2e);
  EXPECT_THAT(data.notes, ElementsAre(HasSubstr("1 requests of the warm-up")));
}

TEST(ReadServingFile, ResultsOfVllmBench) {
  const ServingData data = ReadReadFile(
      R"({"model_id":"m","request_throughput":2.0,"input_lens":[5,6],"output_lens":[3,0],"ttfts":[0.5,0.0],"itls":[[0.25,0.25],[]],"errors":["","refused"],"start_times":[10.0,11.0]})");
  ASSERT_EQ(data.requests.size(), 2u);
  EXPECT_EQ(data.requests[0].e2e, 1000 * kMs);
  EXPECT_FALSE(data.requests[0].has_wall_clock);
  EXPECT_EQ(data.requests[1].outcome, Outcome::kFailed);
  EXPECT_FALSE(data.requests[1].ttft);  // not 0
  EXPECT_THAT(ErrorOf(R"({"request_throughput":2.0,"duration":1})"), HasSubstr("--save-detailed"));
  EXPECT_THAT(ErrorOf(R"({"ttfts":[1,2],"itls":[[1]]})"), HasSubstr("it is not whole"));
}

// Without the gaps of a request that has some, its end is unknown; of one token there are none.
TEST(ReadServingFile, ResultsOfVllmBenchWithoutGaps) {
  const ServingData data =
      ReadReadFile(R"({"output_lens":[9,1],"ttfts":[0.5,0.5],"itls":[[],[]],"errors":["",""]})");
  ASSERT_EQ(data.requests.size(), 2u);
  EXPECT_EQ(data.requests[0].ttft, 500 * kMs);
  EXPECT_FALSE(data.requests[0].e2e);
  EXPECT_FALSE(data.requests[0].decode);
  EXPECT_EQ(data.requests[1].e2e, 500 * kMs);
  EXPECT_EQ(data.requests[1].decode, 0);
  EXPECT_FALSE(ReadReadFile(R"({"ttfts":[0.5],"itls":[[]]})").requests[0].decode);
}

TEST(ReadServingFile, ReportsOfGuidellm) {
  const ServingData data = ReadReadFile(
      R"({"benchmarks":[{"requests":{"successful":[{"request_id":"a","request_start_time":1764000000.0,"request_end_time":1764000001.0,"time_to_first_token_ms":100.0,"prompt_tokens":4,"output_tokens":9}],"errored":[{"start_time":1764000000.5,"error":"x"}]}}]})");
  ASSERT_EQ(data.requests.size(), 2u);
  EXPECT_EQ(data.requests[0].e2e, 1000 * kMs);
  EXPECT_EQ(data.requests[0].ttft, 100 * kMs);
  EXPECT_EQ(data.requests[1].outcome, Outcome::kFailed);
}

// Each benchmark of a sweep is a level: three requests a second apart last three seconds.
TEST(ReadServingFile, BenchmarksOfGuidellmAreLevels) {
  const auto benchmark = [](std::string_view strategy, int begin) {
    std::string text =
        R"({"config":{"strategy":)" + std::string(strategy) + R"(},"requests":{"successful":[)";
    for (int i = 0; i < 3; ++i)
      text += std::string(i == 0 ? "" : ",") + R"({"request_start_time":)" +
              std::to_string(1'764'000'000 + begin + i) + R"(.0,"request_latency":0.5})";
    return text + "]}}";
  };
  const ServingData data =
      ReadReadFile(R"({"benchmarks":[)" + benchmark(R"({"type_":"constant","rate":1})", 0) + "," +
                   benchmark(R"({"type_":"concurrent","streams":8})", 10) + "," +
                   benchmark(R"({"type_":"throughput"})", 20) + "]}");
  ASSERT_EQ(data.levels.size(), 3u);
  EXPECT_EQ(data.levels[0].kind, LoadKind::kOpen);
  EXPECT_EQ(data.levels[0].target_per_s, 1);
  EXPECT_EQ(data.levels[0].arrivals, "constant");
  EXPECT_EQ(data.levels[0].begin, 1'764'000'000 * kS);
  EXPECT_EQ(data.levels[0].sending, 3 * kS);
  EXPECT_EQ(data.levels[1].kind, LoadKind::kClosed);
  EXPECT_EQ(data.levels[1].users, 8);
  EXPECT_EQ(data.levels[2].arrivals, "full throughput");
  EXPECT_EQ(data.requests[0].level, 0);
  EXPECT_EQ(data.requests[8].level, 2);
}

// By a clock that counts from anywhere; all at once is no level.
TEST(ReadServingFile, RunsOfVllmBenchAreLevels) {
  const auto run = [](std::string_view how) {
    return R"({"ttfts":[0.5,0.5,0.5],"itls":[[0.1],[0.1],[0.1]],"output_lens":[2,2,2],)"
           R"("start_times":[1000.0,1001.0,1002.0],)" +
           std::string(how) + "}";
  };
  ServingData data = ReadReadFile(run(R"("request_rate":1.0,"burstiness":4.0)"));
  ASSERT_EQ(data.levels.size(), 1u);
  EXPECT_EQ(data.levels[0].target_per_s, 1);
  EXPECT_EQ(data.levels[0].arrivals, "gamma (CV 0.5)");
  EXPECT_EQ(data.levels[0].sending, 3 * kS);
  EXPECT_FALSE(data.levels[0].has_wall_clock);
  EXPECT_EQ(data.requests[2].level, 0);
  data = ReadReadFile(run(R"("request_rate":"inf","max_concurrency":16)"));
  EXPECT_EQ(data.levels[0].users, 16);
  data = ReadReadFile(run(R"("request_rate":"inf","max_concurrency":null)"));
  EXPECT_EQ(data.levels.size(), 0u);
  EXPECT_EQ(data.requests[0].level, -1);
}

TEST(ReadServingFile, LogsOfSeveralKinds) {
  const ServingData data = ReadReadFile(
      "INFO 01-01 00:00:00 Iteration(1): 0 context requests, 0 context tokens, 1 generation "
      "requests, "
      "1 generation tokens, iteration elapsed time: 1.00 ms\n"
      "INFO Iteration(2): 0 context requ\n"
      "INFO:  1.1.1.1:1 - \"POST /v1/completions HTTP/1.1\" 200 OK\n"
      "INFO:  1.1.1.1:1 - \"GET /metrics HTTP/1.1\" 200 OK\n");
  EXPECT_EQ(data.iterations.size(), 1u);
  EXPECT_EQ(data.requests.size(), 1u);
  EXPECT_THAT(data.notes,
              ElementsAre(HasSubstr("1 of 1 requests have no duration, the first at line 3"),
                          HasSubstr("1 iterations could not be read, the first at line 2")));
}

TEST(ReadServingFile, LogsOfSglang) {
  const ServingData data = ReadReadFile(
      "[2025-11-24 16:00:00] server_args=ServerArgs(...)\n"
      "[2025-11-24 16:00:00 TP0] Prefill batch. #new-seq: 2, #new-token: 300, #cached-token: 100, "
      "token usage: 0.1, #running-req: 0, #queue-req: 0\n"
      "[2025-11-24 16:00:01 TP0] Decode batch. #running-req: 2, #token: 400, token usage: 0.10, "
      "gen throughput (token/s): 80.0, #queue-req: 0\n");
  ASSERT_EQ(data.loads.size(), 1u);
  EXPECT_EQ(data.loads[0].time, kBegin + kS);
  EXPECT_EQ(data.sources[0].format, "loads of SGLang's log");
  EXPECT_EQ(data.sources[0].records, 1);
  // A server that only prefills.
  const ServingData prefill = ReadReadFile(
      "[2025-11-24 16:00:00] Prefill batch. #new-seq: 2, #new-token: 300, #cached-token: 100, "
      "token usage: 0.1, #running-req: 0, #queue-req: 4\n");
  ASSERT_EQ(prefill.loads.size(), 1u);
  EXPECT_EQ(prefill.loads[0].waiting, 4);
}

TEST(ReadServingFile, ScrapesAreCutByCommentsTimesAndEnds) {
  const char* const kTwo =
      "# scraped_at 2025-11-24T16:00:00Z\r\nvllm:num_requests_waiting 3\r\n"
      "# scraped_at 1764000001\r\nvllm:num_requests_waiting 4\r\n";
  ServingData data = ReadReadFile(kTwo);
  ASSERT_EQ(data.scrapes.size(), 2u);
  EXPECT_EQ(data.scrapes[0].time, kBegin);
  EXPECT_EQ(data.scrapes[1].time, kBegin + 1000 * kMs);
  EXPECT_EQ(data.scrapes[1].points[0].value, 4);

  data = ReadReadFile(
      "vllm:num_requests_waiting 3 1764000000000\nvllm:num_requests_waiting 4 1764000001000\n");
  EXPECT_EQ(data.scrapes.size(), 2u);

  // As curl >> FILE leaves them: the last is as old as the file.
  data = ReadReadFile("vllm:num_requests_waiting 3\nvllm:num_requests_waiting 4\n");
  ASSERT_EQ(data.scrapes.size(), 2u);
  EXPECT_FALSE(data.scrapes[0].time);
  EXPECT_EQ(data.scrapes[1].time, 5);
  EXPECT_THAT(data.notes, ElementsAre(HasSubstr("1 scrapes have no time")));

  // The name of the file, then when it was written.
  EXPECT_EQ(ReadReadFile("vllm:num_requests_waiting 3\n", "a/m-1764000000.prom").scrapes[0].time,
            kBegin);
  EXPECT_EQ(ReadReadFile("vllm:num_requests_waiting 3\n").scrapes[0].time, 5);
}

// All of one scrape have its time, of a name as of a comment.
TEST(ReadServingFile, InstancesOfOneScrapeHaveTheTimeOfTheName) {
  const ServingData data = ReadReadFile(
      "vllm:num_requests_waiting{instance=\"a\"} 3\nvllm:num_requests_waiting{instance=\"b\"} 4\n"
      "vllm:num_requests_running{pod=\"c\"} 5\nvllm:num_requests_running{pod=\"d\"} 6\n",
      "m-1764000000.prom");
  ASSERT_EQ(data.scrapes.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(data.scrapes[i].replica, std::string(1, "abcd"[i]));
    EXPECT_EQ(data.scrapes[i].time, kBegin);
  }
  EXPECT_THAT(data.notes, ElementsAre());
}

TEST(ReadServingFile, ModelsOfOneEndpointAreSeriesOfOneScrape) {
  const ServingData data = ReadReadFile(
      "vllm:num_requests_waiting{model_name=\"a\"} 3\n"
      "vllm:num_requests_waiting{model_name=\"b\"} 4\n");
  ASSERT_EQ(data.scrapes.size(), 1u);
  EXPECT_EQ(data.scrapes[0].points.size(), 2u);
  EXPECT_NE(data.scrapes[0].points[0].labels, data.scrapes[0].points[1].labels);
}

TEST(ReadServingFile, NumbersThatCannotBeAreUnknown) {
  const ServingData data = ReadReadFile(
      "vllm:num_requests_waiting -5\nvllm:num_requests_running +Inf\nvllm:kv_cache_usage_perc "
      "0.5\n");
  ASSERT_EQ(data.scrapes.size(), 1u);
  EXPECT_EQ(data.scrapes[0].points.size(), 1u);
  EXPECT_THAT(data.notes, ElementsAre(HasSubstr("1 values are below 0")));
  EXPECT_THAT(
      ErrorOf(
          R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"llm_request","startTimeUnixNano":"1","endTimeUnixNano":"9223372036854775807"}]}]}]})"),
      HasSubstr("none with a time that can be"));
}

TEST(ReadServingFile, MoreThanAllOfTheCacheIsUnknown) {
  const ServingData data =
      ReadReadFile("vllm:num_requests_waiting 1\nvllm:kv_cache_usage_perc 7.5\n");
  EXPECT_EQ(data.scrapes[0].points.size(), 1u);
  EXPECT_THAT(data.notes, ElementsAre(HasSubstr("1 values of the KV cache's usage are over 1")));
  EXPECT_THAT(ErrorOf("vllm:kv_cache_usage_perc 7.5\n"), HasSubstr("all of them NaN"));
  EXPECT_THAT(ErrorOf("vllm:generation_tokens_total NaN\n"), HasSubstr("all of them NaN"));
}

TEST(ReadServingFile, NamesOfMetricsAreWhole) {
  const ServingData data = ReadReadFile(
      "vllm:num_requests_waiting 3\nvllm:num_requests_waiting_by_reason{reason=\"capacity\"} 2\n"
      "vllm:num_requests_waitin 9\nvllm:kv_cache_usage_perc NaN\nvllm:num_preemptions_total 1\n"
      "vllm:num_preemptions_created 1.7e9\n");
  ASSERT_EQ(data.scrapes.size(), 1u);
  std::vector<std::string_view> names;
  for (const Point& point : data.scrapes[0].points)
    names.push_back(KnownMetrics()[point.metric].name);
  EXPECT_THAT(names, ElementsAre("vllm:num_requests_waiting", "vllm:num_requests_waiting_by_reason",
                                 "vllm:num_preemptions"));
}

TEST(ReadServingFile, WhatIsWrongIsSaid) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("empty"));
  EXPECT_THAT(ErrorOf("hello world\n"), HasSubstr("nothing of a serving program"));
  EXPECT_THAT(ErrorOf("# TYPE go_goroutines gauge\ngo_goroutines 7\n"),
              HasSubstr("none that rankscope knows"));
  EXPECT_THAT(ErrorOf("# TYPE a gauge\n<html>\n"), HasSubstr("line 2 is no metric"));
  EXPECT_THAT(ErrorOf(R"({"resourceSpans":[{"scopeSpans":[)"), HasSubstr("is it whole?"));
  EXPECT_THAT(ErrorOf(R"({"resourceSpans":[]})"), HasSubstr("no request"));
  EXPECT_THAT(ErrorOf(R"({"traceEvents":[]})"), HasSubstr("rankscope analyze"));
}

}  // namespace
}  // namespace rankscope::serving
