#include "cli/base/own_program.h"

#include <filesystem>
#include <system_error>

namespace rankscope::cli {

Result<std::string> OwnProgram() {
  std::error_code error;
  std::string program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  if (error) return Error(StatusCode::kIo, "/proc/self/exe: {}", error.message());
  return program;
}

}  // namespace rankscope::cli
