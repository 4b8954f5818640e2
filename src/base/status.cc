#include "base/status.h"

namespace rankscope {

Status FormatError(StatusCode code, fmt::string_view format, fmt::format_args args) {
  return {code, fmt::vformat(format, args)};
}

void DieOfError(const Status& status) {
  RS_CHECK(status.ok(), "{}", status.message());
  std::abort();  // an error is never OK
}

}  // namespace rankscope
