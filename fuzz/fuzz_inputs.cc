// Writes inputs that are the same on every machine:
//
//   fuzz_inputs SEED_DIR COUNT OUT_DIR
//
// COUNT files, OUT_DIR/00000 and so on: the seeds of one target, each once, then changed ones. All
// follows from the seeds' names and bytes: mt19937 gives the same numbers by the standard, and no
// distribution of the library, which may differ, is used.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/status.h"
#include "input.h"

namespace rankscope::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxInputBytes = 16 * 1024;

class Changer {
 public:
  explicit Changer(std::vector<std::string> seeds) : seeds_(std::move(seeds)) {}

  std::string Next() {
    if (next_ < seeds_.size()) return seeds_[next_++];
    std::string bytes = Any();
    for (std::size_t change = 1 + Below(8); change > 0; --change) Change(bytes);
    bytes.resize(std::min(bytes.size(), kMaxInputBytes));
    return bytes;
  }

 private:
  std::size_t Below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }
  char Byte() { return static_cast<char>(random_()); }
  const std::string& Any() { return seeds_[Below(seeds_.size())]; }
  // Short ranges mostly.
  std::size_t Length(std::size_t limit) { return std::min(limit, std::size_t{1} << Below(10)); }

  void Change(std::string& bytes) {
    const std::size_t at = Below(bytes.size());
    switch (Below(7)) {
      case 0:  // a bit
        if (!bytes.empty()) bytes[at] ^= static_cast<char>(1 << Below(8));
        break;
      case 1:  // a byte
        if (!bytes.empty()) bytes[at] = Byte();
        break;
      case 2:  // an option
        if (!bytes.empty()) bytes[Below(std::min(bytes.size(), kOptionBytes))] = Byte();
        break;
      case 3:  // without a range
        bytes.erase(at, Length(bytes.size()));
        break;
      case 4:  // a range once more
        bytes.insert(at, bytes.substr(Below(bytes.size()), Length(bytes.size())));
        break;
      case 5: {  // a range of another
        const std::string& other = Any();
        bytes.insert(at, other.substr(Below(other.size()), Length(other.size())));
        break;
      }
      default:  // cut short
        bytes.resize(bytes.size() - Below(bytes.size()));
    }
  }

  std::vector<std::string> seeds_;
  std::size_t next_ = 0;
  std::mt19937 random_{1};
};

Result<std::vector<std::string>> ReadSeeds(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    paths.push_back(entry->path());
  if (error || paths.empty())
    return Error(StatusCode::kIo, "there are no seeds in '{}'", folder.string());
  std::ranges::sort(paths);
  std::vector<std::string> seeds;
  for (const fs::path& path : paths) {
    RS_ASSIGN_OR_RETURN(seeds.emplace_back(), ReadFile(path.string()));
  }
  return seeds;
}

Status Write(const fs::path& seeds, std::size_t count, const fs::path& out) {
  RS_ASSIGN_OR_RETURN(std::vector<std::string> read, ReadSeeds(seeds));
  Changer changer(std::move(read));
  std::error_code ignored;  // the write below says what is wrong
  fs::create_directories(out, ignored);
  for (std::size_t i = 0; i < count; ++i) {
    RS_RETURN_IF_ERROR(
        WriteFileAtomically((out / fmt::format("{:05}", i)).string(), changer.Next()));
  }
  return OkStatus();
}

}  // namespace
}  // namespace rankscope::fuzz

int main(int argc, char** argv) {
  std::size_t count = 0;
  const std::string_view number = argc == 4 ? argv[2] : "";
  if (std::from_chars(number.begin(), number.end(), count).ptr != number.end() || count == 0) {
    fmt::print(stderr, "usage: fuzz_inputs SEED_DIR COUNT OUT_DIR\n");
    return 2;
  }
  const rankscope::Status status = rankscope::fuzz::Write(argv[1], count, argv[3]);
  if (!status.ok()) fmt::print(stderr, "{}\n", status.message());
  return status.ok() ? 0 : 1;
}
