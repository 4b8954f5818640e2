#include "agent/own_readings.h"

#include <string_view>

#include "quantity/agent_metrics.h"

namespace rankscope::agent {

namespace q = quantity;

void AddLoop(const LoopNumbers& numbers, Readings& own) {
  own.Add(q::kAgentDatagrams, {{"result", "taken"}}, static_cast<double>(numbers.datagrams));
  own.Add(q::kAgentDatagrams, {{"result", "refused"}}, static_cast<double>(numbers.bad_datagrams));
  own.Add(q::kAgentDatagrams, {{"result", "unanswered"}},
          static_cast<double>(numbers.lost_replies));
  own.Add(q::kAgentRequests, {{"result", "answered"}}, static_cast<double>(numbers.requests));
  own.Add(q::kAgentRequests, {{"result", "refused"}}, static_cast<double>(numbers.bad_requests));
  own.Add(q::kAgentRequests, {{"result", "turned_away"}}, static_cast<double>(numbers.turned_away));
}

void AddMembers(const std::vector<Capture>& captures, Readings& own) {
  std::map<std::string_view, int> states;
  for (const Capture& capture : captures) {
    for (const CaptureMember& member : capture.members) ++states[ToString(member.state)];
  }
  for (const auto& [state, count] : states)
    own.Add(q::kAgentMembers, {{"state", std::string(state)}}, count);
}

void AddSources(const std::vector<SourceState>& sources, Readings& own) {
  for (const SourceState& state : sources) {
    const Labels labels = {{"source", std::string(state.name)}};
    if (state.reads == 0) continue;
    own.Add(q::kAgentSourceUp, labels, state.is_up ? 1 : 0);
    own.Add(q::kAgentSourceErrors, labels, static_cast<double>(state.errors));
    own.Add(q::kAgentSourceUnreadable, labels, static_cast<double>(state.unreadable));
  }
}

void AddSpecs(const SpecTroubles& specs, Readings& own) {
  own.Add(q::kAgentSpecsRefused, {}, specs.refused);
  for (const probe::SpecFaults& one : specs.faults)
    own.Add(q::kAgentSpecFaults, {{"class", one.device_class}, {"fault", one.fault}},
            static_cast<double>(one.count));
}

void AddSinks(const std::vector<std::unique_ptr<Outbox>>& outboxes, Readings& own) {
  for (const auto& outbox : outboxes) {
    const Labels labels = {{"sink", std::string(outbox->name())}};
    const OutboxNumbers numbers = outbox->numbers();
    own.Add(q::kAgentSinkSent, labels, static_cast<double>(numbers.sent));
    own.Add(q::kAgentSinkLost, labels, static_cast<double>(numbers.lost));
    own.Add(q::kAgentSinkQueued, labels, static_cast<double>(numbers.queued_bytes));
  }
}

void AddDeliveries(const std::map<std::string, Delivered>& deliveries, Readings& own) {
  using State = Delivered::State;
  std::map<std::string_view, int> states = {
      {ToString(State::kQueued), 0}, {ToString(State::kSent), 0}, {ToString(State::kFailed), 0}};
  for (const auto& [key, one] : deliveries) ++states[ToString(one.state)];
  for (const auto& [state, count] : states)
    own.Add(q::kAgentDeliveries, {{"state", std::string(state)}}, count);
}

}  // namespace rankscope::agent
