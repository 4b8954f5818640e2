// The objects that nearly every route uses. Routes that need more get further arguments (routes.h).
#pragma once

#include "service/access/access.h"
#include "service/access/quotas.h"
#include "service/runs/event_hub.h"
#include "store/store.h"

namespace rankscope::service {

struct Parts {
  store::Store& store;
  Access& access;
  EventHub& events;
  Quotas quotas = {};
};

}  // namespace rankscope::service
