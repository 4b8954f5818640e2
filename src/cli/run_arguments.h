// What is said of a run on a command line, and the files that it is made of.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
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
struct NamedFile {
  std::string name;
  std::string path;
};
Result<std::vector<NamedFile>> FindNamedFiles(const std::vector<std::string>& named);

// The same files under the same name are the same run.
std::string KeyOf(const store::Run& run, const std::vector<store::RunFile>& files);

}  // namespace rankscope::cli
