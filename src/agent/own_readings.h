// Metrics of the agent's own work: the counters of each part.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/captures/captures.h"
#include "agent/delivery.h"
#include "agent/loop.h"
#include "agent/sinks/exporter.h"
#include "agent/telemetry/collector.h"
#include "agent/telemetry/device_source.h"
#include "agent/telemetry/sample.h"

namespace rankscope::agent {

void AddLoop(const LoopNumbers& numbers, Readings& own);
// Members of captures by their states.
void AddMembers(const std::vector<Capture>& captures, Readings& own);
// Of the sources read.
void AddSources(const std::vector<SourceState>& sources, Readings& own);
void AddSpecs(const SpecTroubles& specs, Readings& own);
void AddSinks(const std::vector<std::unique_ptr<Outbox>>& outboxes, Readings& own);
// By state; every state is present, even with 0.
void AddDeliveries(const std::map<std::string, Delivered>& deliveries, Readings& own);

}  // namespace rankscope::agent
