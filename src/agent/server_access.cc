#include "agent/server_access.h"

namespace rankscope::agent {

Result<std::unique_ptr<http::Client>> ServerAccess::Client(std::chrono::seconds time) const {
  RS_ASSIGN_OR_RETURN(const http::Address address, http::ParseAddress(url));
  http::ClientOptions options{
      .ca_file = ca_file, .certificate_file = cert_file, .key_file = key_file, .time = time};
  if (!token.empty()) options.fields.emplace_back("Authorization", "Bearer " + token);
  return http::MakeClient(address, options);
}

}  // namespace rankscope::agent
