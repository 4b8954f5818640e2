#include "schemas/store.h"

namespace rankscope {

template const StoredRuns& SchemaOf<StoredRuns>();

}  // namespace rankscope
