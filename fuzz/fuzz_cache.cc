// Columnar cache: any bytes are refused or are a trace that can be walked. An odd first option byte
// makes every checksum right before, so that the fuzzer gets behind them.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "formats/columnar/cache_file.h"
#include "formats/columnar/layout.h"
#include "input.h"

namespace rankscope::fuzz {
namespace {

using columnar::Header;
using columnar::Section;

constexpr Hash128 kKey{1, 2};

void MakeChecksumsRight(std::string& file) {
  Header header;
  if (file.size() < sizeof(header)) return;
  std::memcpy(&header, file.data(), sizeof(header));
  std::memcpy(header.magic, columnar::kMagic, sizeof(header.magic));
  header.version = columnar::kCacheVersion;
  header.key = kKey;
  header.file_bytes = file.size();
  header.section_count = std::min(header.section_count, columnar::kMaxSections);
  const std::size_t directory_bytes = header.section_count * sizeof(Section);
  if (directory_bytes > file.size() - sizeof(header)) return;
  for (std::size_t i = 0; i < header.section_count; ++i) {
    char* const place = file.data() + sizeof(header) + i * sizeof(Section);
    Section section;
    std::memcpy(&section, place, sizeof(section));
    section.offset = section.offset / columnar::kAlignment * columnar::kAlignment;
    if (section.offset > file.size()) continue;
    section.bytes = std::min<std::uint64_t>(section.bytes, file.size() - section.offset);
    section.checksum = Checksum64(file.data() + section.offset, section.bytes);
    std::memcpy(place, &section, sizeof(section));
  }
  header.directory_checksum = Checksum64(file.data() + sizeof(header), directory_bytes);
  std::memcpy(file.data(), &header, sizeof(header));
}

// A file that lives in memory. It has a path of its own: links are not followed.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content) {
    const int descriptor = mkstemp(path_.data());
    RS_CHECK(descriptor >= 0, "no memory file");
    const ssize_t written = write(descriptor, content.data(), content.size());
    close(descriptor);
    RS_CHECK(written == static_cast<ssize_t>(content.size()), "the memory file is full");
  }
  ~MemoryFile() { unlink(path_.c_str()); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/dev/shm/fuzz_cache_XXXXXX";
};

// Reads through every index as the analyses do; what it adds up keeps the reads in the program.
std::size_t Walk(const RankTrace& trace) {
  std::size_t sum = 0;
  for (Row row = 0; row < trace.row_count(); ++row) {
    sum += trace.name_of(row).size() + static_cast<std::size_t>(trace.track_of(row).domain);
    sum += trace.strings.Get(trace.categories[trace.category[row]]).size();
    sum += ToString(trace.kind[row]).size() + trace.KernelsOf(row).size();
    for (Row up = trace.parent[row]; up != kNoRow; up = trace.parent[up]) ++sum;
    if (trace.aux[row] != kNoAux && trace.kind[row] == EventKind::kKernel) {
      const std::uint32_t collective = trace.kernels[trace.aux[row]].collective;
      if (collective != kNoAux) sum += trace.strings.Get(trace.collectives[collective].name).size();
    }
  }
  for (const RowPair pair : trace.forward_backward)
    sum += trace.name[pair.from] + trace.name[pair.to];
  for (const RowPair pair : trace.record_wait) sum += trace.name[pair.from] + trace.name[pair.to];
  for (const Step& step : trace.steps) sum += static_cast<std::size_t>(trace.StepAt(step.begin_ns));
  for (const QualityEntry& entry : trace.meta.quality) sum += ToString(entry.code).size();
  return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Input input = Split(bytes, size);
  std::string content(input.data);
  if (input.first % 2 == 1) MakeChecksumsRight(content);
  const MemoryFile file(content);
  const Result<RankTrace> trace = columnar::ReadCacheFile(file.path(), kKey);
  if (trace.ok()) {
    [[maybe_unused]] static volatile std::size_t keep;
    keep = Walk(*trace);
  } else {
    FUZZ_CHECK(trace.status().code() == StatusCode::kBadData);
  }
  return 0;
}

}  // namespace rankscope::fuzz
