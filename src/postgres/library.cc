#include "postgres/library.h"

#include <dlfcn.h>

#include <mutex>

namespace rankscope::postgres {
namespace {

// Its ABI: `.5` has been the number since 2006, and functions were only added.
constexpr const char* kFile = "libpq.so.5";
// conninfo, tcp_user_timeout and target_session_attrs as they are used here.
constexpr int kOldestVersion = 120000;

template <typename Function>
bool Find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

Status Missing(std::string_view why) {
  return Error(StatusCode::kNotFound,
               "a catalogue in PostgreSQL needs libpq.so.5, PostgreSQL's client library, which "
               "cannot be loaded ({}): install it (Debian and Ubuntu: apt-get install libpq5)",
               why);
}

Status Load(Library& into) {
  void* library = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = dlerror();
    return Missing(why == nullptr ? kFile : why);
  }
  const bool has_all =
      Find(library, "PQlibVersion", into.lib_version) &&
      Find(library, "PQisthreadsafe", into.is_thread_safe) &&
      Find(library, "PQconnectdbParams", into.connect_params) &&
      Find(library, "PQstatus", into.status) &&
      Find(library, "PQerrorMessage", into.error_message) &&
      Find(library, "PQserverVersion", into.server_version) &&
      Find(library, "PQsocket", into.socket) && Find(library, "PQfinish", into.finish) &&
      Find(library, "PQsetNoticeProcessor", into.set_notice_processor) &&
      Find(library, "PQexec", into.execute) && Find(library, "PQexecParams", into.execute_params) &&
      Find(library, "PQresultStatus", into.result_status) &&
      Find(library, "PQresultErrorField", into.result_field) &&
      Find(library, "PQresultErrorMessage", into.result_message) &&
      Find(library, "PQntuples", into.rows) && Find(library, "PQgetvalue", into.value) &&
      Find(library, "PQgetisnull", into.is_null) && Find(library, "PQgetlength", into.length) &&
      Find(library, "PQcmdStatus", into.command_tag) &&
      Find(library, "PQcmdTuples", into.affected) && Find(library, "PQclear", into.clear) &&
      Find(library, "PQconsumeInput", into.consume_input) &&
      Find(library, "PQnotifies", into.notification) &&
      Find(library, "PQfreemem", into.free_memory) &&
      Find(library, "PQconninfoParse", into.parse_address) &&
      Find(library, "PQconninfoFree", into.free_options);
  if (!has_all) return Missing("it lacks a function");
  if (into.lib_version() < kOldestVersion || into.is_thread_safe() == 0)
    return Missing(fmt::format("it is version {}, older than 12", into.lib_version() / 10000));
  return OkStatus();
}

}  // namespace

Result<const Library*> LoadLibrary() {
  static std::mutex mutex;
  static Library library{};
  static bool is_loaded = false;
  const std::scoped_lock lock(mutex);
  if (!is_loaded) {
    RS_RETURN_IF_ERROR(Load(library));
    is_loaded = true;
  }
  return static_cast<const Library*>(&library);
}

}  // namespace rankscope::postgres
