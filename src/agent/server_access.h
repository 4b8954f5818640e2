// ServerAccess: the server's address, and this host's credentials.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "http/client.h"

namespace rankscope::agent {

struct ServerAccess {
  std::string url;  // empty: there is none
  std::string token;
  std::string ca_file;    // certificates to trust, beside the system's
  std::string cert_file;  // to show in place of a token; with its key
  std::string key_file;

  // kInvalidArgument for an invalid URL. Connects when something is sent.
  Result<std::unique_ptr<http::Client>> Client(std::chrono::seconds time) const;
};

}  // namespace rankscope::agent
