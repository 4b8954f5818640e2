// Patches of a user's code for the findings of a job's report (docs/fix.md).
//
// There are three steps, so that callers that apply patches elsewhere (in a copy, for example) can
// use them separately: the request from a report (RequestOf), patches of a source folder
// (fix/fix.h, fix/tree), and writing.
#pragma once

#include <string>
#include <vector>

#include "app/listener.h"
#include "app/open_job.h"
#include "base/status.h"
#include "fix/base/request.h"
#include "report/base/report.h"

namespace rankscope::app {

// The code changes requested by the findings of a report, for the job's devices. `ids`: only for
// these findings; empty: for all.
fix::Request RequestOf(const Report& report, const std::vector<std::string>& ids);

struct SourceFix {
  fix::Patches patches;
  std::string nothing;   // if there is no patch: the reason, a sentence
  bool has_git = false;  // the folder is in a working tree
};
// Patches of a folder; nothing is written. kNotFound if the folder does not exist.
Result<SourceFix> FixSource(const Report& report, const std::string& source,
                            const std::vector<std::string>& ids);

enum class FixUse : std::uint8_t { kShow, kApply };
struct SourceSpec {
  std::string path;    // a folder; with kShow also a bundle (fix/tree/source_bundle.h)
  std::string commit;  // with kShow: the folder at this commit of git; "": as it is
};
// The same for a job, which is opened first. kInvalidArgument for an unknown finding id. With
// kApply, kBadData if the folder has uncommitted changes; this is checked before traces are read.
Result<SourceFix> FixJob(const JobSpec& spec, const SourceSpec& source,
                         const std::vector<std::string>& ids, FixUse use, Listener& listener);

// Writes all files or none, as far as the file system allows. kBadData if a file changed since it
// was read, or if the folder has uncommitted changes.
Status ApplyFix(const SourceFix& made, const std::string& source);

}  // namespace rankscope::app
