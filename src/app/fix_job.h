// Patches of a user's code for what the report of a job found (docs/fix.md).
//
// Three steps, so that who applies patches elsewhere (in a copy, say) takes those he needs: what a
// report asks of code (RequestOf), patches of a source folder (fix/fix.h, fix/tree), and writing.
#pragma once

#include <string>
#include <vector>

#include "app/listener.h"
#include "app/open_job.h"
#include "base/status.h"
#include "fix/base/request.h"
#include "report/report.h"

namespace rankscope::app {

// What the findings of a report ask of code, on the job's devices. `ids`: of these findings alone;
// none: of all.
fix::Request RequestOf(const Report& report, const std::vector<std::string>& ids);

struct SourceFix {
  fix::Patches patches;
  std::string nothing;   // where there is no patch: why, a sentence
  bool has_git = false;  // the folder is in a working tree
};
// Patches of a folder; nothing is written. kNotFound where there is no such folder.
Result<SourceFix> FixSource(const Report& report, const std::string& source,
                            const std::vector<std::string>& ids);

enum class FixUse : std::uint8_t { kShow, kApply };
struct SourceSpec {
  std::string path;    // a folder; with kShow also a bundle (fix/tree/source_bundle.h)
  std::string commit;  // with kShow: as this commit of git has the folder; "": as it is
};
// The same of a job that is opened for that. kInvalidArgument for an id that is no finding. With
// kApply kBadData, before traces are read, where the folder has changes that are not committed.
Result<SourceFix> FixJob(const JobSpec& spec, const SourceSpec& source,
                         const std::vector<std::string>& ids, FixUse use, Listener& listener);

// Writes them: all files or none, as far as the file system lets it. kBadData where a file changed
// since it was read, or the folder has changes that are not committed.
Status ApplyFix(const SourceFix& made, const std::string& source);

}  // namespace rankscope::app
