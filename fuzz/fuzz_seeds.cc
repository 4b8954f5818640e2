// Writes the first inputs of the fuzz targets:
//
//   fuzz_seeds TRACE_DIR OUT_DIR
//
// TRACE_DIR holds traces as tests/reference/odd_files.py writes them; OUT_DIR gets a folder per
// target. Every seed begins with the two option bytes of fuzz/input.h.
#include <fmt/core.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/status.h"
#include "formats/columnar/cache_file.h"
#include "formats/kineto/reader.h"
#include "input.h"
#include "table/codec.h"

namespace rankscope::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxSeedBytes = 16 * 1024;
constexpr char kOptions[kOptionBytes + 1] = "\x41\x40";  // odd: checksums are made right

Status WriteSeed(const fs::path& folder, const std::string& name, std::string_view data) {
  std::error_code ignored;  // the write below says what is wrong
  fs::create_directories(folder, ignored);
  return WriteFileAtomically((folder / name).string(), std::string(kOptions) + std::string(data));
}

Status WriteTraceSeeds(const fs::path& file, const fs::path& out) {
  RS_ASSIGN_OR_RETURN(const std::string text, ReadFile(file.string()));
  if (text.size() > kMaxSeedBytes) return OkStatus();
  const std::string name = file.filename().string();
  RS_RETURN_IF_ERROR(WriteSeed(out / "fuzz_importer", name, text));
  RS_RETURN_IF_ERROR(
      WriteSeed(out / (file.extension() == ".gz" ? "fuzz_gzip" : "fuzz_splitter"), name, text));

  const Result<RankTrace> trace = kineto::ReadTrace(file.string());
  if (!trace.ok()) return OkStatus();
  const fs::path cache = out / "cache_file";
  RS_RETURN_IF_ERROR(columnar::WriteCacheFile(*trace, {1, 2}, cache.string()));
  RS_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(cache.string()));
  fs::remove(cache);
  return WriteSeed(out / "fuzz_cache", name, bytes);
}

Status WriteTableSeeds(const fs::path& out) {
  Table table("steps", {{"step", ColumnType::kInt64, "", "number"},
                        {"share", ColumnType::kDouble, "%", ""},
                        {"name", ColumnType::kString, "", ""},
                        {"complete", ColumnType::kBool, "", ""}});
  RS_RETURN_IF_ERROR(WriteSeed(out / "fuzz_table", "no_rows", EncodeTables(std::vector{table})));
  for (int i = 0; i < 20; ++i) {
    const std::string name = fmt::format("step {}", i);
    table.AddRow({std::int64_t{i} * 1000, i / 3.0, std::string_view(name), i % 2 == 0});
  }
  table.AddRow({kNull, kNull, kNull, kNull});
  RS_RETURN_IF_ERROR(WriteSeed(out / "fuzz_table", "one", EncodeTables(std::vector{table})));
  RS_RETURN_IF_ERROR(
      WriteSeed(out / "fuzz_table", "two", EncodeTables(std::vector{table, Table("none", {})})));
  return WriteSeed(out / "fuzz_table", "empty", EncodeTables({}));
}

// Any bytes are traces there (damaged_trace.h); these are as good as others.
Status WriteRandomSeeds(const fs::path& out) {
  std::mt19937 random(1);
  for (std::size_t size = 64; size <= 4096; size *= 2) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    RS_RETURN_IF_ERROR(WriteSeed(out / "fuzz_damaged_cache", fmt::format("{}", size), bytes));
  }
  return OkStatus();
}

Status WriteAll(const fs::path& traces, const fs::path& out) {
  for (const fs::directory_entry& entry : fs::directory_iterator(traces)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".expect.json")) continue;
    RS_RETURN_IF_ERROR(WriteTraceSeeds(entry.path(), out));
  }
  RS_RETURN_IF_ERROR(WriteRandomSeeds(out));
  return WriteTableSeeds(out);
}

}  // namespace
}  // namespace rankscope::fuzz

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: fuzz_seeds TRACE_DIR OUT_DIR\n");
    return 2;
  }
  const rankscope::Status status = rankscope::fuzz::WriteAll(argv[1], argv[2]);
  if (!status.ok()) fmt::print(stderr, "{}\n", status.message());
  return status.ok() ? 0 : 1;
}
