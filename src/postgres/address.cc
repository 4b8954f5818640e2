#include "postgres/address.h"

#include <memory>

#include "postgres/library.h"

namespace rankscope::postgres {

bool IsAddress(std::string_view text) {
  return text.starts_with("postgresql://") || text.starts_with("postgres://");
}

Result<std::string> ShownAddress(const std::string& address) {
  const auto wrong = [] {
    return Error(StatusCode::kInvalidArgument,
                 "--catalogue takes an address such as postgresql://USER@HOST:5432/DATABASE; what "
                 "was given is none (it is not repeated here, since it may hold a password)");
  };
  if (!IsAddress(address)) return wrong();
  RS_ASSIGN_OR_RETURN(const Library* const library, LoadLibrary());
  char* error = nullptr;
  const std::unique_ptr<PgOption, void (*)(PgOption*)> options(
      library->parse_address(address.c_str(), &error), library->free_options);
  if (error != nullptr) library->free_memory(error);
  if (options == nullptr) return wrong();
  std::string hosts, ports, database;
  for (const PgOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->value == nullptr) continue;
    const std::string_view name = option->keyword;
    if (name == "host" || (name == "hostaddr" && hosts.empty())) hosts = option->value;
    if (name == "port") ports = option->value;
    if (name == "dbname") database = option->value;
  }
  std::string shown = "postgresql://" + hosts;
  // Of several hosts without ports commas are left.
  if (ports.find_first_not_of(',') != std::string::npos) shown += ":" + ports;
  return shown + "/" + database;
}

}  // namespace rankscope::postgres
