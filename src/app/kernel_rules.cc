#include "app/kernel_rules.h"

#include "base/file.h"

namespace rankscope::app {

Result<KernelRules> ReadKernelRules(const std::string& path) {
  if (path.empty()) return KernelRules();
  RS_ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
  return KernelRules::Parse(file->text(), path);
}

}  // namespace rankscope::app
