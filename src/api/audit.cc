#include "api/audit.h"

#include "json/fields.h"

namespace rankscope::json {

using api::AuditEntry;
using api::AuditPage;

template <>
const Fields<AuditEntry>& FieldsOf() {
  using T = AuditEntry;
  static const Fields<T> fields =
      Fields<T>("AuditEntry", "something that somebody did, or was refused", Use::kRecord)
          .Add<&T::number>({.name = "number", .doc = "1 and on, without gaps"})
          .Add<&T::time>({.name = "time", .doc = "UTC"})
          .Add<&T::who>({.name = "who", .doc = "name of the token, certificate or person"})
          .Add<&T::role>({.name = "role", .doc = "role of who did it: none, read, upload or admin"})
          .Add<&T::team>({.name = "team", .doc = "that who has"})
          .Add<&T::from>({.name = "from", .doc = "address of the other end"})
          .Add<&T::act>({.name = "act", .doc = "what it was: run.remove, session.begin, ..."})
          .Add<&T::run>({.name = "run", .doc = "to which run"})
          .Add<&T::target>({.name = "target", .doc = "to what else: a note, a capture, a path"})
          .Add<&T::outcome>({.name = "outcome", .doc = "ok, refused or failed"})
          .Add<&T::status>({.name = "status", .doc = "of HTTP; 0: of no request"})
          .Add<&T::detail>({.name = "detail", .doc = "more, in words"})
          .Add<&T::before>({.name = "before", .doc = "hash of the line before"})
          .Add<&T::hash>({.name = "hash", .doc = "SHA-256 of the line up to here"});
  return fields;
}

template <>
const Fields<AuditPage>& FieldsOf() {
  using T = AuditPage;
  static const Fields<T> fields =
      Fields<T>("AuditPage", "entries of the audit log, the newest first", Use::kReport)
          .Add<&T::entries>({.name = "entries", .doc = "the newest first", .most_items = 1000})
          .Add<&T::cursor>({.name = "cursor", .doc = "for older ones; empty: there are none"});
  return fields;
}

}  // namespace rankscope::json
