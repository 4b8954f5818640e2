// Sign-in at a provider, as set by the options of `rankscope serve`.
#pragma once

#include <string>

#include "base/status.h"

namespace rankscope::service {

struct PeopleOptions {
  std::string issuer;  // "": there is no provider
  std::string client_id;
  std::string client_secret_file;  // "": a public client
  std::string rules_file;
  std::string name;        // of the provider, as pages show it; "": its host
  std::string ca_file;     // authorities of the provider's certificate; "": the system's
  std::string public_url;  // "https://rankscope.example.org"; "": as each request says by its Host
};

// kInvalidArgument if options that belong together are not given together.
Status CheckPeople(const PeopleOptions& options);

}  // namespace rankscope::service
