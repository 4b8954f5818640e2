#include "stage/table_entry_of.h"

namespace rankscope {

TableEntry TableEntryOf(const Analysis& analysis) {
  TableEntry entry{.name = analysis.name,
                   .summary = analysis.summary,
                   .definition = analysis.definition,
                   .example = analysis.example,
                   .subject = Subject::kJob,
                   .columns = analysis.columns,
                   .is_detail = analysis.size == Size::kDetail,
                   .is_compat = analysis.group == Group::kCompat};
  for (const OptionSpec& option : analysis.AllOptions())
    entry.options.push_back({option.name, option.default_value, option.doc});
  return entry;
}

}  // namespace rankscope
