#include "schemas/audit.h"

namespace rankscope {

template const AuditRows& SchemaOf<AuditRows>();

}  // namespace rankscope
