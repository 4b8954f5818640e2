// Tables from bytes: any bytes are refused with a sentence or are tables that encode again. An odd
// first option byte makes header and checksum right before, so that the fuzzer gets behind them.
#include <cstring>
#include <string>

#include "base/hash.h"
#include "input.h"
#include "table/codec.h"

namespace rankscope::fuzz {
namespace {

constexpr std::size_t kHeaderBytes = 8;   // "RSTB", version: codec.h
constexpr std::size_t kTrailerBytes = 8;  // checksum

void MakeHeaderRight(std::string& bytes) {
  if (bytes.size() < kHeaderBytes + kTrailerBytes) return;
  const std::uint32_t version = 2;
  const std::size_t end = bytes.size() - kTrailerBytes;
  const std::uint64_t checksum = Checksum64(bytes.data() + kHeaderBytes, end - kHeaderBytes);
  std::memcpy(bytes.data(), "RSTB", 4);
  std::memcpy(bytes.data() + 4, &version, sizeof(version));
  std::memcpy(bytes.data() + end, &checksum, sizeof(checksum));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Input input = Split(bytes, size);
  std::string content(input.data);
  if (input.first % 2 == 1) MakeHeaderRight(content);
  const Result<std::vector<Table>> tables = DecodeTables(content);
  if (!tables.ok()) {
    FUZZ_CHECK(tables.status().code() == StatusCode::kBadData);
    FUZZ_CHECK(!tables.status().message().empty());
    return 0;
  }
  // Equal tables give equal bytes, so one more round changes nothing.
  const std::string again = EncodeTables(*tables);
  const Result<std::vector<Table>> second = DecodeTables(again);
  FUZZ_CHECK(second.ok() && EncodeTables(*second) == again);
  return 0;
}

}  // namespace rankscope::fuzz
