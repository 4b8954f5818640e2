#include "sim/model/communications.h"

#include <string_view>

#include "sim/model/kernel_names.h"

namespace rankscope::sim {
namespace {

struct Names {
  std::string_view op, span, collective, ring, tree;
};

Names NamesOf(Exchange exchange) {
  switch (exchange) {
    case Exchange::kAllReduce:
      return {"c10d::allreduce_", "nccl:all_reduce", "allreduce", kAllReduceRing, kAllReduceTree};
    case Exchange::kAllGather:
      return {"c10d::_allgather_base_", "nccl:_all_gather_base", "_allgather_base", kAllGatherRing,
              kAllGatherRing};
    case Exchange::kReduceScatter:
      return {"c10d::_reduce_scatter_base_", "nccl:_reduce_scatter_base", "_reduce_scatter_base",
              kReduceScatterRing, kReduceScatterRing};
    case Exchange::kAllToAll:
      return {"c10d::alltoall_base_", "nccl:all_to_all", "all_to_allv", kSendReceiveKernel,
              kSendReceiveKernel};
    case Exchange::kBroadcast:
      return {"c10d::broadcast_", "nccl:broadcast", "broadcast", kBroadcastRing, kBroadcastRing};
    case Exchange::kSendReceive:
      break;
  }
  return {"c10d::send", "nccl:send", "send", kSendReceiveKernel, kSendReceiveKernel};
}

}  // namespace

const Communication* AddCommunication(Library* library, Exchange exchange, const Where& where,
                                      std::int64_t elements, const ElementType& type) {
  const Names names = NamesOf(exchange);
  const std::int64_t bytes = type.bytes * elements;
  const bool tree = TransferOf(exchange, bytes, where.reach).algorithm == Algorithm::kTree;
  const Launch launch{
      .grid = {24, 1, 1}, .block = {544, 1, 1}, .registers = 96, .shared_bytes = 84488};
  Communication communication{.exchange = exchange,
                              .op = library->Add(OpNode{.name = names.op}),
                              .span = names.span,
                              .collective = names.collective,
                              .dtype = type.name,
                              .in_elements = elements,
                              .out_elements = elements,
                              .bytes = bytes,
                              .group_slot = where.group_slot,
                              .channel_slot = where.channel_slot,
                              .stream = where.stream,
                              .kernel = MakeKernel(tree ? names.tree : names.ring, launch, 0, 0)};
  if (where.coalesced) {
    communication.coalesced = true;
    communication.span = "nccl:coalesced";
  }
  if (exchange == Exchange::kAllGather) communication.in_elements /= where.reach.members;
  if (exchange == Exchange::kReduceScatter) communication.out_elements /= where.reach.members;
  return library->Add(communication);
}

const Communication* AddSend(Library* library, const Where& where, std::int64_t elements) {
  Communication send = *AddCommunication(library, Exchange::kSendReceive, where, elements);
  send.side = Communication::Side::kSender;
  return library->Add(send);
}

const Communication* AddReceive(Library* library, const Where& where, std::int64_t elements) {
  Communication receive = *AddCommunication(library, Exchange::kSendReceive, where, elements);
  receive.side = Communication::Side::kReceiver;
  receive.op = library->Add(OpNode{.name = "c10d::recv_"});
  if (!where.coalesced) receive.span = "nccl:recv";
  receive.collective = "recv";
  return library->Add(receive);
}

}  // namespace rankscope::sim
