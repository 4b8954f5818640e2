// The functions of rankscope.h that need no job.
#include <cstdlib>
#include <string>
#include <string_view>

#include "capi/border.h"
#include "capi/call.h"
#include "catalog/findings.h"
#include "catalog/table_definitions.h"

using namespace rankscope;
using namespace rankscope::capi;

uint32_t rankscope_abi_version(void) { return RANKSCOPE_ABI_VERSION; }

const char* rankscope_version(void) { return RANKSCOPE_VERSION; }

const char* rankscope_last_error(void) { return LastError(); }

rankscope_status rankscope_cancel_new(rankscope_cancel** cancel) {
  return Guarded([&]() -> Status {
    RS_RETURN_IF_ERROR(CheckGiven(cancel, "cancel"));
    *cancel = new rankscope_cancel;
    return OkStatus();
  });
}

void rankscope_cancel_set(rankscope_cancel* cancel) {
  if (cancel != nullptr) cancel->is_set = true;
}

void rankscope_cancel_clear(rankscope_cancel* cancel) {
  if (cancel != nullptr) cancel->is_set = false;
}

void rankscope_cancel_free(rankscope_cancel* cancel) { delete cancel; }

void rankscope_text_free(char* text) { std::free(text); }

rankscope_status rankscope_catalog(char** text, size_t* size) {
  return Guarded([&]() -> Status {
    RS_RETURN_IF_ERROR(CheckGiven(text, "text"));
    return GiveText(catalog::TableDefinitionsJson(), text, size);
  });
}

rankscope_status rankscope_explain(const char* id, char** text, size_t* size) {
  return Guarded([&]() -> Status {
    RS_RETURN_IF_ERROR(CheckGiven(id, "id"));
    RS_RETURN_IF_ERROR(CheckGiven(text, "text"));
    RS_ASSIGN_OR_RETURN(const std::string_view page, catalog::PageOf(id));
    return GiveText(std::string(page), text, size);
  });
}
