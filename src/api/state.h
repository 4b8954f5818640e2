// State of a server or an agent.
#pragma once

#include <string>

#include "json/type.h"

namespace rankscope::api {

// State of a healthy one; others answer with an error.
struct Health {
  std::string status = "ok";
};

struct Version {
  std::string version;
};

}  // namespace rankscope::api

namespace rankscope::json {

template <>
const Fields<api::Health>& FieldsOf();
template <>
const Fields<api::Version>& FieldsOf();

}  // namespace rankscope::json
