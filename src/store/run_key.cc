#include "store/run_key.h"

#include "store/sha256.h"

namespace rankscope::store {

std::string RunKey(const Run& run, const std::vector<RunFile>& files) {
  std::string text = run.name;
  for (const RunFile& file : files) text += '\n' + file.sha256 + ' ' + file.name;
  return Sha256Of(text);
}

}  // namespace rankscope::store
