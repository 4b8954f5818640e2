#include "fleet/simulate/fleet_model.h"

#include <fmt/core.h>

#include <array>
#include <cmath>

namespace rankscope::fleet {
namespace {

struct Family {
  const char* name;
  const char* kernel_class;
  double ns;
};
// Kernels that every model has, with shapes of its own.
constexpr std::array kShared = {
    Family{"nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NTN", "gemm", 180e3},
    Family{"nvjet_tst_256x128_64x4_2x1_v_bz_coopA_NNT", "gemm", 240e3},
    Family{"void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, "
           "cutlass::bfloat16_t> >(flash::Flash_fwd_params)",
           "attention", 320e3},
    Family{"void at::native::vectorized_elementwise_kernel<4, "
           "at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >(int)",
           "elementwise", 22e3},
    Family{"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, "
           "float>(int, float)",
           "normalisation", 35e3},
};
constexpr std::array kStems = {
    Family{"triton_poi_fused_gelu_{}_#", "elementwise", 40e3},
    Family{"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize{}x64_warpgroupsize1x1x1", "gemm",
           150e3},
    Family{"triton_red_fused_native_layer_norm_{}_#", "normalisation", 45e3},
    Family{"model_{}_softmax_kernel(float*, int)", "reduction", 60e3},
    Family{"model_{}_gather_kernel(float*, int)", "indexing", 30e3},
};

// Besides kernels of communication and copies.
constexpr std::int64_t kKernelsOfAll = static_cast<std::int64_t>(kShared.size()) + 2;

void RecordShapes(SimulatedModel& model) {
  constexpr double kGflopPerNs = 4e-4;
  for (SimulatedKernel& kernel : model.kernels) {
    if (kernel.work == "compute") kernel.gflop = kernel.ns * kGflopPerNs;
  }
}

SimulatedModel MakeModel(std::int64_t number, std::int64_t kernels, Dice& dice) {
  SimulatedModel model{.name = fmt::format("model-{}", static_cast<char>('a' + number % 26)),
                       .team = fmt::format("team-{}", number % 3)};
  if (number >= 26) model.name += std::to_string(number / 26);
  model.share = 0.5 + dice.Uniform();
  for (const Family& family : kShared) {
    model.kernels.push_back({.name = family.name,
                             .kernel_class = family.kernel_class,
                             .work = "compute",
                             .ns = family.ns * std::exp(1.2 * (dice.Uniform() - 0.5)),
                             .launches = 16 + dice.Below(64),
                             .is_shared = true});
  }
  for (std::int64_t i = 0; i < kernels - kKernelsOfAll; ++i) {
    const Family& family = kStems[static_cast<std::size_t>(i) % kStems.size()];
    std::string name = family.name;
    name.replace(name.find("{}"), 2, std::to_string(64 + 64 * (i + (kernels - 9) * number)));
    model.kernels.push_back({.name = std::move(name),
                             .kernel_class = family.kernel_class,
                             .work = "compute",
                             .ns = family.ns * std::exp(dice.Uniform() - 0.5),
                             .launches = 8 + dice.Below(40)});
  }
  model.kernels.push_back({.name = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgs)",
                           .kernel_class = "nccl",
                           .work = "communication",
                           .ns = 900e3,
                           .launches = 12,
                           .is_shared = true});
  model.kernels.push_back({.name = "Memcpy HtoD (Pinned -> Device)",
                           .kernel_class = "memory",
                           .work = "copy",
                           .ns = 50e3,
                           .launches = 2,
                           .is_shared = true});
  // Shapes are recorded of two models in three.
  if (number % 3 != 2) RecordShapes(model);
  return model;
}

double TimeOf(const SimulatedKernel& kernel) {
  return kernel.ns * static_cast<double>(kernel.launches);
}

double ComputingOf(const SimulatedModel& model) {
  double time = 0;
  for (const SimulatedKernel& kernel : model.kernels) {
    if (kernel.work == "compute") time += TimeOf(kernel);
  }
  return time;
}

Planted MakePlanted(const Plant& plant, std::size_t number, const FleetSimulation& options,
                    FleetModel& fleet, Dice& dice) {
  Planted planted{.plant = plant};
  const std::int64_t third = options.days / 3;
  planted.day = third + dice.Below(std::max<std::int64_t>(third, 1));
  planted.model = number % fleet.models.size();
  SimulatedModel& model = fleet.models[planted.model];
  switch (plant.kind) {
    case PlantKind::kRegression: {
      planted.kernel = number % kShared.size();
      planted.factor = 1.1 + 0.1 * dice.Uniform();
      planted.kernel_name = kShared[planted.kernel].name;
      const bool is_driver = plant.cause == "driver";
      planted.old_value = is_driver                ? "550.54.15"
                          : plant.cause == "image" ? "img-41"
                                                   : "PyTorch 2.8";
      planted.new_value = is_driver                ? "560.28.03"
                          : plant.cause == "image" ? "img-42"
                                                   : "PyTorch 2.9";
      break;
    }
    case PlantKind::kMixShift:
      break;
    case PlantKind::kNewShapes:
      RecordShapes(model);
      planted.factor = 1.2 + 0.6 * dice.Uniform();
      break;
    case PlantKind::kRefactoring: {
      // Half of what the one does is done by the other.
      planted.from = kShared.size() + 1;
      planted.kernel = kShared.size() + 6;  // of the same stem
      SimulatedKernel& from = model.kernels[planted.from];
      from.launches += from.launches % 2;
      SimulatedKernel& to = model.kernels[planted.kernel];
      planted.factor = 1 + 0.5 * TimeOf(from) / TimeOf(to);
      planted.kernel_name = to.name;
      break;
    }
    case PlantKind::kNewKernel: {
      const std::int64_t launches = 16;
      planted.kernel_name = fmt::format("triton_per_fused_new_{}_#", 7 + number);
      planted.kernel = model.kernels.size();
      model.kernels.push_back({.name = planted.kernel_name,
                               .kernel_class = "triton",
                               .work = "compute",
                               .ns = 0.04 * ComputingOf(model) / static_cast<double>(launches),
                               .launches = launches});
      break;
    }
  }
  return planted;
}

}  // namespace

std::uint64_t Dice::Next() {  // splitmix64
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}
double Dice::Uniform() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }
std::int64_t Dice::Below(std::int64_t bound) {
  return static_cast<std::int64_t>(Next() % static_cast<std::uint64_t>(bound));
}
double Dice::Normal() {
  const double radius = std::sqrt(-2 * std::log(1 - Uniform()));
  return radius * std::cos(6.283185307179586 * Uniform());
}
double Dice::LogNormal(double sigma) { return std::exp(sigma * Normal()); }

FleetModel MakeFleet(const FleetSimulation& options, Dice& dice) {
  FleetModel fleet;
  for (std::int64_t i = 0; i < options.models; ++i)
    fleet.models.push_back(MakeModel(i, options.kernels, dice));
  for (std::size_t i = 0; i < options.plants.size(); ++i)
    fleet.plants.push_back(MakePlanted(options.plants[i], i, options, fleet, dice));
  return fleet;
}

}  // namespace rankscope::fleet
