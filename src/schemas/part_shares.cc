#include "schemas/part_shares.h"

namespace rankscope {}  // namespace rankscope
