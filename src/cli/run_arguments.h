// What is said of a run on a command line, and the files that it is made of.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "client/push_run.h"
#include "contract/command.h"
#include "store/run.h"

namespace rankscope::cli {

// --name, --user, --team, --model, --product, --framework, --hardware, --tag.
class RunArguments {
 public:
  void AddTo(CommandSpec& app);
  // The run without files; its name is that of the folder above all `paths` where none was given.
  Result<store::Run> Read(const std::vector<std::string>& paths) const;

 private:
  store::Run run_;
  std::vector<std::string> tags_;
};

// The trace files of these paths, and telemetry and memory snapshots beside them, under names
// relative to the folder above all, by name. What could not be listed is said.
Result<std::vector<client::LocalFile>> FindRunFiles(const std::vector<std::string>& named);

}  // namespace rankscope::cli
