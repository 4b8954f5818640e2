#include "api/request.h"

#include "json/fields.h"

namespace rankscope::json {

using api::Explanation;
using api::NewNote;
using api::NewQuery;
using api::NewSession;
using api::NewShare;
using api::Note;
using api::NoteList;
using api::SavedQuery;
using api::SavedQueryList;
using api::Session;
using api::Share;
using api::SignInProvider;
using api::SignInWays;
using api::SqlRequest;
using api::WhatIfRequest;

namespace {

constexpr std::size_t kMostName = 200;
constexpr std::size_t kMostNote = 4000;
constexpr std::size_t kMostSavedSql = 20'000;
constexpr std::size_t kMostSql = 100'000;
constexpr std::size_t kMostChange = 10'000;
constexpr std::size_t kMostPage = 100'000;
constexpr std::size_t kMostKept = 100'000;  // of a run, whatever a server lets it have

const Field kRank = {.name = "rank", .doc = "that it is about; null: none"};
const Field kTime = {
    .name = "time_ns", .doc = "that it is about, from the job's origin", .unit = "ns"};
const Field kEnd = {.name = "end_ns",
                    .doc = "where it ends that is about a stretch of time; null: at an instant",
                    .unit = "ns"};

}  // namespace

template <>
const Fields<NewNote>& FieldsOf() {
  using T = NewNote;
  static const Fields<T> fields =
      Fields<T>("NewNote", "a note on a run", Use::kRequest)
          .Add<&T::text>(
              {.name = "text", .doc = "the note", .most_bytes = kMostNote, .is_required = true})
          .Add<&T::user>({.name = "user",
                          .doc = "who says it; of a token with a name that name",
                          .most_bytes = kMostName})
          .Add<&T::rank>(kRank)
          .Add<&T::time_ns>(kTime)
          .Add<&T::end_ns>(kEnd);
  return fields;
}

template <>
const Fields<Note>& FieldsOf() {
  using T = Note;
  static const Fields<T> fields =
      Fields<T>("Note", "a note on a run", Use::kReport)
          .Add<&T::id>({.name = "id", .doc = "among the notes of its run"})
          .Add<&T::made>({.name = "made", .doc = "ISO 8601, UTC"})
          .Add<&T::user>({.name = "user", .doc = "who said it", .most_bytes = kMostName})
          .Add<&T::text>({.name = "text", .doc = "the note", .most_bytes = kMostNote})
          .Add<&T::rank>(kRank)
          .Add<&T::time_ns>(kTime)
          .Add<&T::end_ns>(kEnd);
  return fields;
}

template <>
const Fields<NoteList>& FieldsOf() {
  using T = NoteList;
  static const Fields<T> fields =
      Fields<T>("NoteList", "the notes on a run", Use::kReport)
          .Add<&T::notes>({.name = "notes", .doc = "the oldest first", .most_items = kMostKept});
  return fields;
}

template <>
const Fields<NewQuery>& FieldsOf() {
  using T = NewQuery;
  static const Fields<T> fields = Fields<T>("NewQuery", "SQL to keep with a run", Use::kRequest)
                                      .Add<&T::name>({.name = "name",
                                                      .doc = "name of the query",
                                                      .most_bytes = kMostName,
                                                      .is_required = true})
                                      .Add<&T::sql>({.name = "sql",
                                                     .doc = "one SELECT or EXPLAIN",
                                                     .most_bytes = kMostSavedSql,
                                                     .is_required = true});
  return fields;
}

template <>
const Fields<SavedQuery>& FieldsOf() {
  using T = SavedQuery;
  static const Fields<T> fields =
      Fields<T>("SavedQuery", "SQL that is kept with a run", Use::kReport)
          .Add<&T::id>({.name = "id", .doc = "among the queries of its run"})
          .Add<&T::name>({.name = "name", .doc = "name of the query", .most_bytes = kMostName})
          .Add<&T::sql>({.name = "sql", .doc = "as it was saved", .most_bytes = kMostSavedSql});
  return fields;
}

template <>
const Fields<SavedQueryList>& FieldsOf() {
  using T = SavedQueryList;
  static const Fields<T> fields =
      Fields<T>("SavedQueryList", "the saved queries of a run", Use::kReport)
          .Add<&T::queries>(
              {.name = "queries", .doc = "the oldest first", .most_items = kMostKept});
  return fields;
}

template <>
const Fields<SqlRequest>& FieldsOf() {
  using T = SqlRequest;
  static const Fields<T> fields =
      Fields<T>("SqlRequest", "a question to a run", Use::kRequest)
          .Add<&T::sql>({.name = "sql",
                         .doc = "one SELECT or EXPLAIN",
                         .most_bytes = kMostSql,
                         .is_required = true})
          .Add<&T::file>({.name = "file", .doc = "of the run alone; without, all of its files"});
  return fields;
}

template <>
const Fields<WhatIfRequest>& FieldsOf() {
  using T = WhatIfRequest;
  static const Fields<T> fields = Fields<T>("WhatIfRequest", "changes of a job", Use::kRequest)
                                      .Add<&T::changes>({.name = "changes",
                                                         .doc = "such as idealise:rank=3",
                                                         .most_bytes = kMostChange,
                                                         .is_required = true});
  return fields;
}

template <>
const Fields<Explanation>& FieldsOf() {
  using T = Explanation;
  static const Fields<T> fields =
      Fields<T>("Explanation", "what a finding or a verdict means", Use::kReport)
          .Add<&T::id>({.name = "id", .doc = "of the finding or verdict"})
          .Add<&T::markdown>({.name = "markdown", .doc = "its page", .most_bytes = kMostPage});
  return fields;
}

template <>
const Fields<NewShare>& FieldsOf() {
  using T = NewShare;
  static const Fields<T> fields =
      Fields<T>("NewShare", "a state of the pages", Use::kRequest)
          .Add<&T::state>({.name = "state", .doc = "kept as it stands", .is_required = true});
  return fields;
}

template <>
const Fields<Share>& FieldsOf() {
  using T = Share;
  static const Fields<T> fields =
      Fields<T>("Share", "a state of the pages that is kept", Use::kReport)
          .Add<&T::hash>({.name = "hash", .doc = "16 hexadecimal digits"})
          .Add<&T::url>({.name = "url", .doc = "of the pages in this state"});
  return fields;
}

template <>
const Fields<NewSession>& FieldsOf() {
  using T = NewSession;
  static const Fields<T> fields =
      Fields<T>("NewSession", "a token in exchange for a cookie", Use::kRequest)
          .Add<&T::token>({.name = "token", .doc = "a token of the server"});
  return fields;
}

template <>
const Fields<Session>& FieldsOf() {
  using T = Session;
  static const Fields<T> fields =
      Fields<T>("Session", "who asks", Use::kReport)
          .Add<&T::name>({.name = "name", .doc = "of the token"})
          .Add<&T::role>({.name = "role", .doc = "none, read, upload or admin"})
          .Add<&T::team>({.name = "team", .doc = "whose runs are seen"})
          .Add<&T::needs_token>({.name = "needs_token", .doc = "nobody is let in without"});
  return fields;
}

template <>
const Fields<SignInProvider>& FieldsOf() {
  using T = SignInProvider;
  static const Fields<T> fields =
      Fields<T>("SignInProvider", "where people sign in", Use::kReport)
          .Add<&T::name>({.name = "name", .doc = "as pages show it"})
          .Add<&T::url>({.name = "url",
                         .doc = "where a browser begins; ?to= names the page it comes back to"});
  return fields;
}

template <>
const Fields<SignInWays>& FieldsOf() {
  using T = SignInWays;
  static const Fields<T> fields =
      Fields<T>("SignInWays", "how a browser may be let in", Use::kReport)
          .Add<&T::provider>({.name = "provider", .doc = "null: none"})
          .Add<&T::token>({.name = "token", .doc = "by a token (POST /api/v1/session)"})
          .Add<&T::name>(
              {.name = "name", .doc = "of whose session the caller has; null: of nobody's"});
  return fields;
}

}  // namespace rankscope::json
