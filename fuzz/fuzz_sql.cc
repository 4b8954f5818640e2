// SQL that somebody types, and DuckDB's answers to it: any text is cut into statements as often as
// it likes, in time that follows its length; any message becomes a sentence. DuckDB itself is not
// under test.
#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "cli/job/statements.h"
#include "input.h"
#include "sql/copy_targets.h"
#include "sql/error_text.h"

namespace rankscope::fuzz {
namespace {

using cli::SplitStatements;
using cli::Statements;

bool IsBlank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// Nothing is lost but what is blank before a semicolon, and that semicolon.
void CheckWhole(std::string_view sql, const Statements& statements) {
  const auto skip_empty = [&] {
    for (;;) {
      std::size_t at = 0;
      while (at < sql.size() && IsBlank(sql[at])) ++at;
      if (at == sql.size() || sql[at] != ';') return;
      sql.remove_prefix(at + 1);
    }
  };
  for (const std::string& statement : statements.complete) {
    skip_empty();
    FUZZ_CHECK(statement.ends_with(';') && sql.starts_with(statement));
    sql.remove_prefix(statement.size());
  }
  skip_empty();
  FUZZ_CHECK(sql == statements.rest);
}

// A shell gets its text line by line: what is cut off early is the same as what is cut off late.
void CheckInParts(std::string_view sql, std::size_t cut, const Statements& whole) {
  Statements first = SplitStatements(sql.substr(0, cut));
  Statements second = SplitStatements(first.rest + std::string(sql.substr(cut)));
  for (std::string& statement : second.complete) first.complete.push_back(std::move(statement));
  FUZZ_CHECK(first.complete == whole.complete);
  FUZZ_CHECK(second.rest == whole.rest);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Input input = Split(bytes, size);
  const Statements statements = SplitStatements(input.data);
  CheckWhole(input.data, statements);
  CheckInParts(input.data, input.first * input.data.size() / 255, statements);
  for (const std::string& statement : statements.complete) {
    const Statements alone = SplitStatements(statement);
    FUZZ_CHECK(alone.complete.size() == 1 && alone.rest.empty());
  }
  if (input.second % 8 == 0) const sql::CopyTargets targets(input.data);

  for (const sql::ErrorHints hints : {sql::ErrorHints::kOptions, sql::ErrorHints::kNone}) {
    const Status status = sql::StatusOf(input.data, {"kernels", "step_times"}, hints);
    FUZZ_CHECK(!status.ok() && status.message().find('\n') == std::string::npos);
  }
  return 0;
}

}  // namespace rankscope::fuzz
