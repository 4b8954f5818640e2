// Importer: any bytes become a trace whose columns agree with each other, or one clear error.
#include "check_trace.h"
#include "formats/base/byte_source.h"
#include "formats/kineto/reader.h"
#include "input.h"

namespace rankscope::fuzz {
namespace {

// Every element of the list is a row, a flow point, a metadata record, unusable, or the end (E) of
// a row that B began.
void CheckCounts(const RankTrace& trace, bool may_have_ends) {
  const TraceMeta& meta = trace.meta;
  const std::uint64_t known =
      trace.row_count() + meta.flow_count + meta.metadata_count + meta.bad_event_count;
  FUZZ_CHECK(may_have_ends ? known <= meta.event_count : known == meta.event_count);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Input input = Split(bytes, size);
  const auto source = OpenByteSource(input.data, {.free_bytes = 1 << 20, .max_ratio = 50});
  kineto::ReadOptions options;
  options.split.chunk_bytes = 16 + std::size_t{input.first} * 8;
  options.split.max_event_bytes = 256 + std::size_t{input.second} * 256;
  const Result<RankTrace> trace = kineto::ReadTrace(*source, "input", options);
  if (!trace.ok()) {
    FUZZ_CHECK(trace.status().message().starts_with("input: "));
    return 0;
  }
  const bool is_gzip = input.data.starts_with("\x1f\x8b");
  CheckCounts(*trace, is_gzip || input.data.find("E\"") != std::string_view::npos);
  CheckTrace(*trace);
  return 0;
}

}  // namespace rankscope::fuzz
