#include "sim/jobs/data_parallel.h"

#include <utility>
#include <vector>

#include "sim/jobs/parts.h"
#include "sim/model/segment_builder.h"

namespace rankscope::sim {

DataParallelPasses::DataParallelPasses(const StepSize& size, const ModelShape& model,
                                       const Where& where, bool is_alone, std::uint32_t first_event,
                                       const StepRequest& request, Library* library)
    : size_(size),
      where_(where),
      is_alone_(is_alone),
      first_event_(first_event),
      request_(request),
      library_(library),
      transformer_(model, request, nullptr, nullptr, library),
      frames_(library) {
  SegmentBuilder builder(library);
  close_forward_ = builder.CloseAnnotation().ToAutograd().Done();
  to_main_ = builder.ToMain().Done();
  inner_bucket_ = Bucket(model.layer_parameters());
  outer_bucket_ = Bucket(model.embedding_parameters());
  finish_ = MakeFinish();
}

void DataParallelPasses::AddPass(const Segment* open_forward, bool synchronises,
                                 ProgramBuilder* program) {
  Forward(open_forward, program);
  Backward(synchronises, program);
}

const Segment* DataParallelPasses::Bucket(std::int64_t elements) {
  if (is_alone_) return SegmentBuilder(library_).Done();
  const auto pieces = 1 + static_cast<int>(request_.causes.severity(CauseId::kSmallCollectives));
  const Communication* all_reduce =
      AddCommunication(library_, Exchange::kAllReduce, where_, elements / pieces);
  SegmentBuilder builder(library_);
  for (int piece = 0; piece < pieces; ++piece) {
    builder.Cause(piece == 0 ? std::uint8_t{0} : request_.causes.tag(CauseId::kSmallCollectives));
    builder.Communicate(all_reduce, 0, 1);
  }
  return builder.Done();
}

const Segment* DataParallelPasses::MakeFinish() {
  const ModelShape& model = transformer_.model();
  SegmentBuilder builder(library_);
  for (int bucket = 0; bucket < size_.layers + 2; ++bucket) {
    builder.WaitEvent(Stream::kCompute, EventsOf(bucket) + 1);
  }
  builder.ToMain();
  AddOptimizer({.layers = size_.layers,
                .layer_parameters = model.layer_parameters(),
                .other_parameters = 2 * model.embedding_parameters()},
               size_.optimizer_launches, request_.causes, &builder);
  AddRead(request_, &builder);
  AddLeakAndCheckpoint(request_, &builder);
  return builder.Done();
}

void DataParallelPasses::Forward(const Segment* open_forward, ProgramBuilder* program) {
  const auto forward = [&](const Part& part) { program->CallForward(part.forward, part.units); };
  program->Call(open_forward);
  program->CallFrames(frames_.Open());
  forward(transformer_.embedding());
  for (int layer = 0; layer < size_.layers; ++layer) {
    program->set_item(static_cast<std::uint32_t>(layer));
    forward(transformer_.layer(layer));
  }
  forward(transformer_.head());
  program->CallFrames(frames_.Close());
  program->Call(close_forward_);
}

void DataParallelPasses::Backward(bool synchronises, ProgramBuilder* program) {
  int bucket = 0;
  std::vector<std::pair<const Segment*, std::uint32_t>> held;
  const auto backward = [&](const Part& part, const Segment* reduce) {
    program->CallBackward(part.backward, part.units);
    if (!synchronises) return;
    const bool hold = IsAmong(request_.causes.severity(CauseId::kExposedCommunication), bucket);
    const std::uint32_t events = EventsOf(bucket++);
    if (hold) {
      held.emplace_back(reduce, events);
    } else {
      program->Call(reduce, events);
    }
  };
  backward(transformer_.head(), outer_bucket_);
  for (int layer = size_.layers; layer-- > 0;) {
    program->set_item(static_cast<std::uint32_t>(layer));
    backward(transformer_.layer(layer), inner_bucket_);
  }
  backward(transformer_.embedding(), outer_bucket_);
  for (const auto& [reduce, events] : held) program->Call(reduce, events);
  if (!synchronises) program->Call(to_main_);
}

}  // namespace rankscope::sim
