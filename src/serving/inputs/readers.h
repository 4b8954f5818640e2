// The readers, one for each format; read_file.h says which is asked.
//
// Each adds what it understands and a source, or returns a sentence that names the file, the place,
// what is wrong and what to do. A record that cannot be read is counted in a note and passed over.
#pragma once

#include "serving/inputs/input_file.h"

namespace rankscope::serving {

// Scrapes of /metrics, one or many in a file. A scrape's time is, in this order: that of its lines;
// of a comment `# scraped_at 2026-11-27T02:43:00Z` (or a number since 1970), which also begins a
// scrape; of the file's name, where it has one; when the file was last written to, of its last. A
// scrape ends at `# EOF`, at the next `# scraped_at`, at a line with another time, or where a
// series stands a second time. `# instance NAME` names the replica.
Status ReadScrapes(const InputFile& file, Collection& to);

// OTLP as JSON, a document or one a line: vLLM's `llm_request`, SGLang's slices, spans of the GenAI
// conventions, old and new names. Spans of other services that contain a request, joined by W3C
// trace context, give the time around it.
Status ReadOtlp(const InputFile& file, Collection& to);

// sglang-request-metrics-*.log: a JSON object for each request.
Status ReadSglangLog(const InputFile& file, Collection& to);

// AIPerf's profile_export.jsonl.
Status ReadAiperf(const InputFile& file, Collection& to);

// `vllm bench serve --save-result --save-detailed`.
Status ReadVllmBench(const InputFile& file, Collection& to);

// GuideLLM's JSON.
Status ReadGuidellm(const InputFile& file, Collection& to);

// load.jsonl of `rankscope load`: requests, and the levels of load that they are of.
Status ReadLoadRecord(const InputFile& file, Collection& to);

// tune.json of `rankscope tune --keep`.
Status ReadTuning(const InputFile& file, Collection& to);

// The file of rankscope's own recorders for services (recorder/, python/rankscope_requests): a
// header, then requests and samples of how many wait and run (request_line.h).
Status ReadRequestRecord(const InputFile& file, Collection& to);

// Logs of lines: iterations and loads of vLLM's engine, access logs of nginx, Envoy and uvicorn,
// all of which may stand in one file.
Status ReadLog(const InputFile& file, Collection& to);

}  // namespace rankscope::serving
