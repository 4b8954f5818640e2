// What is put on a device.
#pragma once

#include "fix/python/syntax.h"

namespace rankscope::fix {

// `x.to(device)` or `x.cuda()`: the object that is put there; none for other calls, and where it is
// not certain that what `.to` is given is a device.
Node PlacedBy(const Node& call);

}  // namespace rankscope::fix
