// A handler's information on an act beyond its request, for the audit log. No secrets.
#pragma once

#include <string>

namespace rankscope::service {

struct ActedOn {
  std::string run, target, detail;
  std::string who;          // where the request did not say it: of a session that begins
  bool is_nothing = false;  // nothing was done, so nothing is told
};

}  // namespace rankscope::service
