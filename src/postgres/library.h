// libpq, PostgreSQL's client library, loaded when a catalogue in a database is opened. Most users
// do not have it, and none of our packages depends on it. The functions that we call are declared
// here as PostgreSQL documents them; they have not changed since version 9.
#pragma once

#include <string>

#include "base/status.h"

namespace rankscope::postgres {

// A connection, a result and an address option: opaque types of libpq.
struct PgConnection;
struct PgAnswer;

struct PgNotification {
  char* channel;
  int process;
  char* payload;
  PgNotification* next;
};

struct PgOption {
  char* keyword;
  char* environment_variable;
  char* compiled_default;
  char* value;
  char* label;
  char* display;
  int display_size;
};

// Values of its enumerations.
inline constexpr int kConnectionOk = 0;       // CONNECTION_OK
inline constexpr int kCommandOk = 1;          // PGRES_COMMAND_OK
inline constexpr int kTuplesOk = 2;           // PGRES_TUPLES_OK
inline constexpr int kFieldOfSqlState = 'C';  // PG_DIAG_SQLSTATE
inline constexpr int kFieldOfSentence = 'M';  // PG_DIAG_MESSAGE_PRIMARY

struct Library {
  int (*lib_version)();
  int (*is_thread_safe)();
  PgConnection* (*connect_params)(const char* const* keywords, const char* const* values,
                                  int expand_dbname);
  int (*status)(const PgConnection* connection);
  char* (*error_message)(const PgConnection* connection);
  int (*server_version)(const PgConnection* connection);
  int (*socket)(const PgConnection* connection);
  void (*finish)(PgConnection* connection);
  void (*(*set_notice_processor)(PgConnection* connection, void (*take)(void*, const char*),
                                 void* argument))(void*, const char*);
  PgAnswer* (*execute)(PgConnection* connection, const char* script);
  PgAnswer* (*execute_params)(PgConnection* connection, const char* statement, int count,
                              const unsigned* types, const char* const* values, const int* lengths,
                              const int* formats, int result_format);
  int (*result_status)(const PgAnswer* answer);
  char* (*result_field)(const PgAnswer* answer, int code);
  char* (*result_message)(const PgAnswer* answer);
  int (*rows)(const PgAnswer* answer);
  char* (*value)(const PgAnswer* answer, int row, int column);
  int (*is_null)(const PgAnswer* answer, int row, int column);
  int (*length)(const PgAnswer* answer, int row, int column);
  char* (*command_tag)(PgAnswer* answer);
  char* (*affected)(PgAnswer* answer);
  void (*clear)(PgAnswer* answer);
  int (*consume_input)(PgConnection* connection);
  PgNotification* (*notification)(PgConnection* connection);
  void (*free_memory)(void* memory);
  PgOption* (*parse_address)(const char* address, char** error);
  void (*free_options)(PgOption* options);
};

// Thread-safe; free after the first call. kNotFound, with the package to install, if it is
// missing.
Result<const Library*> LoadLibrary();

}  // namespace rankscope::postgres
