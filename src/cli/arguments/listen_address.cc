#include "cli/arguments/listen_address.h"

namespace rankscope::cli {

Status ParseListen(const std::string& text, std::string_view option, http::ServerOptions& options) {
  const std::size_t colon = text.rfind(':');
  const auto wrong = [&] {
    return Error(StatusCode::kInvalidArgument, "{} takes ADDRESS:PORT, not '{}'", option, text);
  };
  if (colon == std::string::npos || colon == 0) return wrong();
  options.host = text.substr(0, colon);
  if (options.host.front() == '[' && options.host.back() == ']')
    options.host = options.host.substr(1, options.host.size() - 2);
  const std::string port = text.substr(colon + 1);
  if (port.empty() || port.size() > 5 ||
      port.find_first_not_of("0123456789") != std::string::npos || std::stoi(port) > 65535) {
    return wrong();
  }
  options.port = static_cast<std::uint16_t>(std::stoi(port));
  return OkStatus();
}

}  // namespace rankscope::cli
