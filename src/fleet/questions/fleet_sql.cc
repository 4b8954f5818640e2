#include "fleet/questions/fleet_sql.h"

namespace rankscope::fleet {

std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') quoted += '\'';
    quoted += c;
  }
  return quoted + "'";
}

}  // namespace rankscope::fleet
