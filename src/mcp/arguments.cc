#include "mcp/arguments.h"

namespace rankscope::json {

using mcp::DiffArguments;
using mcp::ExplainArguments;
using mcp::FindingsArguments;
using mcp::FixArguments;
using mcp::kMostRows;
using mcp::QueryArguments;
using mcp::TableArguments;
using mcp::WhatIfArguments;

namespace {

constexpr std::size_t kMostSql = 100'000;
constexpr std::size_t kMostPath = 4096;

constexpr Field kLimit = {.name = "limit",
                          .doc = "at most so many rows; the answer says how many there are",
                          .least = 1,
                          .most = kMostRows};

}  // namespace

template <>
const Fields<FindingsArguments>& FieldsOf() {
  static const Fields<FindingsArguments> fields =
      Fields<FindingsArguments>("FindingsArguments", "nothing", Use::kRequest);
  return fields;
}

template <>
const Fields<ExplainArguments>& FieldsOf() {
  using T = ExplainArguments;
  static const Fields<T> fields =
      Fields<T>("ExplainArguments", "what is to be explained", Use::kRequest)
          .Add<&T::id>({.name = "id",
                        .doc = "a finding (host-sync), a verdict on the recording "
                               "(profiler-overhead) or a table (kernels_by_name); without: a line "
                               "for each there is"});
  return fields;
}

template <>
const Fields<TableArguments>& FieldsOf() {
  using T = TableArguments;
  static const Fields<T> fields =
      Fields<T>("TableArguments", "a table, and which rows of it", Use::kRequest)
          .Add<&T::name>({.name = "name",
                          .doc = "such as kernels_by_name; explain without id lists all",
                          .is_required = true})
          .Add<&T::filter>({.name = "filter",
                            .doc =
                                "conditions that all hold: a column, one of = != < <= > >= ~ "
                                "(contains), a value, such as \"rank=3\", \"name~gemm\"; nothing "
                                "behind = or != is unknown"})
          .Add<&T::sort>(
              {.name = "sort",
               .doc = "columns, the first one first; \"-total_ns\" has the largest first"})
          .Add<&T::columns>({.name = "columns", .doc = "these alone, in this order"})
          .Add<&T::limit>(kLimit)
          .Add<&T::set>({.name = "set",
                         .doc = "options of the table, which explain lists, such as "
                                "{\"top\": \"20\"}"});
  return fields;
}

template <>
const Fields<QueryArguments>& FieldsOf() {
  using T = QueryArguments;
  static const Fields<T> fields =
      Fields<T>("QueryArguments", "a question in SQL", Use::kRequest)
          .Add<&T::sql>({.name = "sql",
                         .doc = "one SELECT or EXPLAIN in DuckDB's dialect",
                         .most_bytes = kMostSql,
                         .is_required = true})
          .Add<&T::limit>(kLimit);
  return fields;
}

template <>
const Fields<WhatIfArguments>& FieldsOf() {
  using T = WhatIfArguments;
  static const Fields<T> fields =
      Fields<T>("WhatIfArguments", "what is otherwise, all at once", Use::kRequest)
          .Add<&T::changes>({.name = "changes",
                             .doc = "such as \"idealise:rank=3\", "
                                    "\"scale:kind=communication,factor=0.5\"",
                             .is_required = true});
  return fields;
}

template <>
const Fields<DiffArguments>& FieldsOf() {
  using T = DiffArguments;
  static const Fields<T> fields =
      Fields<T>("DiffArguments", "two jobs, or parts of one", Use::kRequest)
          .Add<&T::base>({.name = "base",
                          .doc =
                              "the job before: the path of a trace file or a folder, of a server "
                              "the id of a run; without, the job that is served",
                          .most_bytes = kMostPath})
          .Add<&T::test>({.name = "test",
                          .doc = "the job after, as base; without, the job that is served",
                          .most_bytes = kMostPath})
          .Add<&T::base_ranks>(
              {.name = "base_ranks", .doc = "only these ranks of base, such as \"0,4-7\""})
          .Add<&T::test_ranks>({.name = "test_ranks", .doc = "only these ranks of test"})
          .Add<&T::table>({.name = "table",
                           .doc = "rows of this table of the comparison, too, such as diff_ops or "
                                  "diff_kernels"})
          .Add<&T::limit>({.name = "limit",
                           .doc = "at most so many rows of it",
                           .least = 1,
                           .most = kMostRows});
  return fields;
}

template <>
const Fields<FixArguments>& FieldsOf() {
  using T = FixArguments;
  static const Fields<T> fields =
      Fields<T>("FixArguments", "which code is to be patched, and for what", Use::kRequest)
          .Add<&T::source>({.name = "source",
                            .doc = "the folder of the program's Python code; a server's run has "
                                   "its own",
                            .most_bytes = kMostPath})
          .Add<&T::id>({.name = "id", .doc = "of a finding of this job; without, all of them"});
  return fields;
}

}  // namespace rankscope::json
