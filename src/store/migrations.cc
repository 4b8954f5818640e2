// How folders of older formats become those of today.
#include <filesystem>

#include "base/durable.h"
#include "base/file.h"
#include "store/run.h"
#include "store/store.h"

namespace rankscope::store {
namespace {

namespace fs = std::filesystem;

// Records have the members that came with format 2. One that cannot be read stays as it is: the
// catalogue says so.
Status ToFormat2(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder + "/runs", error)) {
    const Result<std::string> record = ReadFile(entry.path().string());
    if (!record.ok()) continue;
    const Result<Run> run = FromRecord(*record, 1);
    if (!run.ok()) continue;  // damaged, or carried over before
    RS_RETURN_IF_ERROR(WriteDurably(entry.path().string(), ToRecord(*run), folder + "/temporary"));
  }
  if (error) return Error(StatusCode::kIo, "{}: cannot list: {}", folder, error.message());
  return OkStatus();
}

// Records of format 2 are read as they are: they have no checksums until they are changed or
// sealed. Giving them some here would vouch for what nobody has looked at.
Status ToFormat3(const std::string&) { return OkStatus(); }

}  // namespace

std::vector<Migration> BuiltInMigrations() { return {ToFormat2, ToFormat3}; }

}  // namespace rankscope::store
