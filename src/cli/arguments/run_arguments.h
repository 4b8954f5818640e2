// Options that describe a run.
#pragma once

#include <string>
#include <vector>

#include "app/run_files.h"
#include "base/status.h"
#include "contract/command.h"
#include "store/run.h"

namespace rankscope::cli {

// --name, --user, --team, --model, --product, --framework, --hardware, --tag.
class RunArguments {
 public:
  void AddTo(CommandSpec& app);
  // The run without files. Its default name is the folder that contains all `paths`.
  Result<store::Run> Read(const std::vector<std::string>& paths, app::RunKind kind) const;

 private:
  store::Run run_;
  std::vector<std::string> tags_;
};

}  // namespace rankscope::cli
