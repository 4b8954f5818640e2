// The readers, one for each format; read_file.h selects one.
//
// Each adds the data that it understands and a source, or returns a sentence with the file, the
// place, the problem and the remedy. A record that cannot be read is counted in a note and skipped.
#pragma once

#include "serving/inputs/input_file.h"

namespace rankscope::serving {

// Scrapes of /metrics, one or many in a file. A scrape's time is the first of these: that of its
// lines; that of a comment `# scraped_at 2026-11-27T02:43:00Z` (or a number since 1970), which also
// begins a scrape; that of the file's name, if it has one; for the file's last scrape, the time
// when the file was last written to. A scrape ends at `# EOF`, at the next `# scraped_at`, at a
// line with another time, or at the second line of a series. `# instance NAME` names the replica.
Status ReadScrapes(const InputFile& file, Collection& to);

// OTLP as JSON, a document or one a line: vLLM's `llm_request`, SGLang's slices, spans of the GenAI
// conventions, old and new names. Spans of other services that contain a request, joined by W3C
// trace context, give the time around it; those of other files through Collection::span_paths.
inline constexpr std::string_view kSpansFormat = "OTLP spans";
Status ReadOtlp(const InputFile& file, Collection& to);

// sglang-request-metrics-*.log: a JSON object for each request.
Status ReadSglangLog(const InputFile& file, Collection& to);

// AIPerf's profile_export.jsonl.
Status ReadAiperf(const InputFile& file, Collection& to);

// `vllm bench serve --save-result --save-detailed`.
Status ReadVllmBench(const InputFile& file, Collection& to);

// GuideLLM's JSON.
Status ReadGuidellm(const InputFile& file, Collection& to);

// load.jsonl of `rankscope load`: requests, and their levels of load.
Status ReadLoadRecord(const InputFile& file, Collection& to);

// tune.json of `rankscope tune --keep`.
Status ReadTuning(const InputFile& file, Collection& to);

// The file of rankscope's own recorders for services (recorder/, python/rankscope_requests): a
// header, then requests and samples of the numbers waiting and running (request_line.h).
Status ReadRequestRecord(const InputFile& file, Collection& to);

// Logs of lines: iterations and loads of vLLM's engine, access logs of nginx, Envoy and uvicorn,
// all of which may stand in one file.
Status ReadLog(const InputFile& file, Collection& to);

}  // namespace rankscope::serving
