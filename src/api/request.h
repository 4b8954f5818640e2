// Requests to a server besides runs and captures: notes on a run, saved queries, SQL, what-ifs,
// shared states of pages, sessions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json/type.h"

namespace rankscope::api {

struct NewNote {
  std::string text, user;
  std::optional<std::int64_t> rank, time_ns, end_ns;
};
struct Note {
  std::int64_t id = 0;
  std::string made, user, text;
  std::optional<std::int64_t> rank, time_ns, end_ns;
};
struct NoteList {
  std::vector<Note> notes;
};

struct NewQuery {
  std::string name, sql;
};
struct SavedQuery {
  std::int64_t id = 0;
  std::string name, sql;
};
struct SavedQueryList {
  std::vector<SavedQuery> queries;
};

struct SqlRequest {
  std::string sql, file;
};
struct WhatIfRequest {
  std::vector<std::string> changes;
};

struct Explanation {
  std::string id, markdown;
};

struct NewShare {
  json::RawJson state;
};
struct Share {
  std::string hash, url;
};

struct NewSession {
  std::string token;
};
struct Session {
  std::string name, role, team;
  bool needs_token = false;
};
struct SignInProvider {
  std::string name, url;
};
struct SignInWays {
  std::optional<SignInProvider> provider;
  bool token = false;
  std::optional<std::string> name;
};

}  // namespace rankscope::api

namespace rankscope::json {

template <>
const Fields<api::NewNote>& FieldsOf();
template <>
const Fields<api::Note>& FieldsOf();
template <>
const Fields<api::NoteList>& FieldsOf();
template <>
const Fields<api::NewQuery>& FieldsOf();
template <>
const Fields<api::SavedQuery>& FieldsOf();
template <>
const Fields<api::SavedQueryList>& FieldsOf();
template <>
const Fields<api::SqlRequest>& FieldsOf();
template <>
const Fields<api::WhatIfRequest>& FieldsOf();
template <>
const Fields<api::Explanation>& FieldsOf();
template <>
const Fields<api::NewShare>& FieldsOf();
template <>
const Fields<api::Share>& FieldsOf();
template <>
const Fields<api::NewSession>& FieldsOf();
template <>
const Fields<api::Session>& FieldsOf();
template <>
const Fields<api::SignInProvider>& FieldsOf();
template <>
const Fields<api::SignInWays>& FieldsOf();

}  // namespace rankscope::json
