// The functions of rankscope.h about tables.
#include <utility>

#include "capi/arrow_schema.h"
#include "capi/arrow_stream.h"
#include "capi/border.h"
#include "capi/table.h"

namespace rankscope::capi {
namespace {

Result<TextForm> TextFormOf(std::uint32_t flags) {
  if ((flags & ~std::uint32_t{RANKSCOPE_TEXT_AS_DICTIONARY}) != 0)
    return Error(StatusCode::kInvalidArgument, "this version knows no flag {:#x}", flags);
  return flags == 0 ? TextForm::kPlain : TextForm::kDictionary;
}

}  // namespace
}  // namespace rankscope::capi

using namespace rankscope;
using namespace rankscope::capi;

void rankscope_table_free(rankscope_table* table) { delete table; }

uint64_t rankscope_table_row_count(const rankscope_table* table) {
  return table == nullptr ? 0 : table->columns->row_count();
}

rankscope_status rankscope_table_schema(const rankscope_table* table, uint32_t flags,
                                        struct ArrowSchema* schema) {
  return Guarded([&]() -> Status {
    RS_RETURN_IF_ERROR(CheckGiven(table, "table"));
    RS_RETURN_IF_ERROR(CheckGiven(schema, "schema"));
    RS_ASSIGN_OR_RETURN(const TextForm form, TextFormOf(flags));
    *schema = ExportSchema(*table->columns, form);
    return OkStatus();
  });
}

rankscope_status rankscope_table_stream(const rankscope_table* table, uint32_t flags,
                                        struct ArrowArrayStream* stream) {
  return Guarded([&]() -> Status {
    RS_RETURN_IF_ERROR(CheckGiven(table, "table"));
    RS_RETURN_IF_ERROR(CheckGiven(stream, "stream"));
    RS_ASSIGN_OR_RETURN(const TextForm form, TextFormOf(flags));
    *stream = ExportStream(table->columns, form);
    return OkStatus();
  });
}
