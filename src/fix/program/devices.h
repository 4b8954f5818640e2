// Objects that are placed on a device.
#pragma once

#include "fix/python/syntax.h"

namespace rankscope::fix {

// `x.to(device)` or `x.cuda()`: the object that is placed; none for other calls, and if it is not
// certain that the argument of `.to` is a device.
Node PlacedBy(const Node& call);

}  // namespace rankscope::fix
