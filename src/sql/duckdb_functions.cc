#include "sql/duckdb_functions.h"

#include <dlfcn.h>

#include <type_traits>

namespace rankscope::sql {

#define RANKSCOPE_DEFINE(name) DuckFunction<decltype(::name)> name;
RANKSCOPE_DUCKDB_FUNCTIONS(RANKSCOPE_DEFINE)
#undef RANKSCOPE_DEFINE

Status LoadDuckDb() {
  static const Status kLoaded = []() -> Status {
    // The program's own RPATH is looked at first. It is never closed: DuckDB has threads.
    void* const library = dlopen("libduckdb.so", RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr)
      return Error(StatusCode::kResource, "SQL needs libduckdb.so beside the program: {}",
                   dlerror());
    const auto find = [&](const char* name, auto& function) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      return function != nullptr;
    };
#define RANKSCOPE_FIND(name)        \
  if (!find(#name, name.function_)) \
    return Error(StatusCode::kInternal, "libduckdb.so is of another version: it has no {}", #name);
    RANKSCOPE_DUCKDB_FUNCTIONS(RANKSCOPE_FIND)
#undef RANKSCOPE_FIND
    return OkStatus();
  }();
  return kLoaded;
}

}  // namespace rankscope::sql
