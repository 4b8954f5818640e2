// Transformer: the segments of a transformer's parts, including changes by planted causes.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/jobs/job.h"
#include "sim/jobs/module_frames.h"
#include "sim/jobs/ring_attention.h"
#include "sim/model/cause.h"
#include "sim/model/library.h"
#include "sim/model/program.h"
#include "sim/model/segment_builder.h"

namespace rankscope::sim {

// Forward and backward of some differentiable operations.
struct Part {
  const Segment* forward = nullptr;
  const Segment* backward = nullptr;
  std::uint32_t units = 0;
};

// The units as they are in the catalogue.
Part MakePart(const std::vector<OpUnit>& units, Library* library, const ModulePlace& place = {});

// Python frames of the model around its parts: calls for the begin and the end of a forward.
class ModelFrames {
 public:
  explicit ModelFrames(Library* library);
  const Segment* Open() const { return open_; }
  const Segment* Close() const { return close_; }

 private:
  const Segment* open_;
  const Segment* close_;
};

class Transformer {
 public:
  // `tensor_parallel` is the all-reduce of activations that every layer needs twice per pass, or
  // null; it uses events 0 and 1 of the call. `context`: the ring that shares sequences, or null;
  // with it, the model's sequence is the rank's share.
  Transformer(const ModelShape& model, const StepRequest& request,
              const Communication* tensor_parallel, const ContextRing* context, Library* library);

  const ModelShape& model() const { return model_; }
  const Part& embedding() const { return embedding_; }
  const Part& head() const { return head_; }
  // The rank's `index`-th layer. With CUDA graphs it is one differentiable operation, which replays
  // one graph per pass. The call's item tells graphs and frames which layer it is.
  const Part& layer(int index);
  // The forward of the whole model in one graph: embedding, `layers` layers, head.
  const CapturedGraph* WholeForward(int layers);

 private:
  // How causes change single layers; identical layers share their segments.
  struct LayerKind {
    int scalars_read = 0;
    int segments_thrashed = 0;
    int allocations_failed = 0;
    bool plain_arithmetic = false;
    auto operator<=>(const LayerKind&) const = default;
  };

  LayerKind KindOf(int index) const;
  const Part& Eager(const LayerKind& kind);
  Part MakeLayer(const LayerKind& kind);
  Part Replayed(const Part& eager);
  void ForwardUnits(const std::vector<OpUnit>& units, const LayerKind& kind,
                    SegmentBuilder* builder) const;
  void BackwardUnits(const std::vector<OpUnit>& units, SegmentBuilder* builder) const;
  void AddTensorParallel(SegmentBuilder* builder) const;
  void AddDriverCalls(const LayerKind& kind, SegmentBuilder* builder) const;
  void AddTinyKernels(SegmentBuilder* builder) const;
  void AddCopies(SegmentBuilder* builder) const;

  ModelShape model_;
  const ActiveCauses causes_;
  bool cuda_graphs_;
  const Communication* tensor_parallel_;
  const ContextRing* context_;
  Library* library_;
  const Catalog& catalog_;
  const Catalog* plain_catalog_ = nullptr;
  Part embedding_, head_;
  std::map<LayerKind, Part> layers_;
  std::map<LayerKind, Part> replayed_;
};

// The model's shape for the request's batch.
ModelShape ShapeOf(const ModelShape& model, const StepRequest& request);

}  // namespace rankscope::sim
