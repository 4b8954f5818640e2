// Readers of formats other than Kineto's: any bytes are a trace that holds what every trace does,
// or a sentence.
#include <string>

#include "check_trace.h"
#include "formats/nsys/reader.h"
#include "formats/rocprofv3/reader.h"
#include "formats/xplane/reader.h"
#include "input.h"

namespace rankscope::fuzz {
namespace {

constexpr const char* kPath = "fuzzed";

Result<RankTrace> ReadNsys(std::string_view data) {
  RS_ASSIGN_OR_RETURN(const nsys::Database database, nsys::Database::Open(data, kPath));
  return nsys::ReadTrace(database, kPath);
}

Result<RankTrace> ReadRocprofv3(std::string_view data) {
  const auto source = OpenByteSource(data);
  return rocprofv3::ReadTrace(*source, kPath);
}

void Check(const Result<RankTrace>& trace) {
  if (!trace.ok()) {
    FUZZ_CHECK(trace.status().code() == StatusCode::kBadData);
    FUZZ_CHECK(trace.status().message().starts_with(std::string(kPath) + ": "));
    return;
  }
  FUZZ_CHECK(trace->row_count() > 0 && trace->row_count() <= trace->meta.event_count);
  CheckTrace(*trace);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Input input = Split(bytes, size);
  switch (input.first % 3) {
    case 0:
      Check(ReadRocprofv3(input.data));
      break;
    case 1:
      Check(ReadNsys(input.data));
      break;
    default:
      Check(xplane::ReadTrace(input.data, kPath));
  }
  return 0;
}

}  // namespace rankscope::fuzz
