// Names of the simulated kernels, as CUPTI demangles those of PyTorch 2, cuBLAS, CUTLASS and NCCL.
#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope::sim {

inline constexpr std::int64_t kBf16 = 2;  // bytes per value; the kernel names say bf16

inline constexpr std::string_view kGemmTn =
    "ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn";
inline constexpr std::string_view kGemmNn =
    "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_128x256_32x3_nn_align8>"
    "(cutlass_80_tensorop_bf16_s16816gemm_bf16_128x256_32x3_nn_align8::Params)";
inline constexpr std::string_view kGemmNt =
    "ampere_bf16_s16816gemm_bf16_256x128_ldg8_f2f_stages_64x3_nt";
inline constexpr std::string_view kGemmUnaligned =
    "void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_64x1_nn_align2>"
    "(cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_64x1_nn_align2::Params)";
inline constexpr std::string_view kSgemm = "ampere_sgemm_128x64_nn";
inline constexpr std::string_view kAdd =
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, "
    "at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, "
    "at::detail::Array<char*, 3>)";
inline constexpr std::string_view kMultiply =
    "void at::native::vectorized_elementwise_kernel<4, at::native::AUnaryFunctor<c10::BFloat16, "
    "c10::BFloat16, c10::BFloat16, at::native::binary_internal::MulFunctor<float> >, "
    "at::detail::Array<char*, 2> >(int, at::native::AUnaryFunctor<c10::BFloat16, c10::BFloat16, "
    "c10::BFloat16, at::native::binary_internal::MulFunctor<float> >, at::detail::Array<char*, 2>)";
inline constexpr std::string_view kGelu =
    "void at::native::vectorized_elementwise_kernel<4, "
    "at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)"
    "::{lambda()#2}::operator()() const::{lambda()#4}::operator()() const"
    "::{lambda(c10::BFloat16)#1}, at::detail::Array<char*, 2> >(int, at::detail::Array<char*, 2>)";
inline constexpr std::string_view kGeluBackward =
    "void at::native::vectorized_elementwise_kernel<4, "
    "at::native::GeluBackwardCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)"
    "::{lambda()#2}::operator()() const::{lambda()#4}::operator()() const"
    "::{lambda(c10::BFloat16, c10::BFloat16)#1}, at::detail::Array<char*, 3> >"
    "(int, at::detail::Array<char*, 3>)";
inline constexpr std::string_view kLayerNorm =
    "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>"
    "(int, float, c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, "
    "float*, "
    "c10::BFloat16*)";
inline constexpr std::string_view kLayerNormInput =
    "void at::native::(anonymous namespace)::layer_norm_grad_input_kernel_vectorized"
    "<c10::BFloat16, float>(c10::BFloat16 const*, c10::BFloat16 const*, float const*, float "
    "const*, "
    "c10::BFloat16 const*, c10::BFloat16*, int)";
inline constexpr std::string_view kLayerNormWeights =
    "void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernel<c10::BFloat16, float>"
    "(long, long, c10::BFloat16 const*, c10::BFloat16 const*, float const*, float const*, "
    "c10::BFloat16*, c10::BFloat16*)";
inline constexpr std::string_view kFlashForward =
    "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, 4, "
    "false, false, cutlass::bfloat16_t>, false, true, false, false, true, true, false>"
    "(pytorch_flash::Flash_fwd_params)";
inline constexpr std::string_view kFlashDot =
    "void pytorch_flash::flash_bwd_dot_do_o_kernel<true, "
    "pytorch_flash::Flash_bwd_kernel_traits<64, "
    "64, 128, 8, 2, 4, 4, false, false, cutlass::bfloat16_t> >(pytorch_flash::Flash_bwd_params)";
inline constexpr std::string_view kFlashBackward =
    "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel"
    "<pytorch_flash::Flash_bwd_kernel_traits<64, 64, 128, 8, 2, 4, 4, false, false, "
    "cutlass::bfloat16_t>, false, true, false, false, true>(pytorch_flash::Flash_bwd_params)";
inline constexpr std::string_view kFlashConvert =
    "void pytorch_flash::flash_bwd_convert_dq_kernel<pytorch_flash::Flash_bwd_kernel_traits<64, "
    "64, "
    "128, 8, 2, 4, 4, false, false, cutlass::bfloat16_t> >(pytorch_flash::Flash_bwd_params, int)";
inline constexpr std::string_view kCopyKernel =
    "void at::native::(anonymous namespace)::split_with_sizes_copy_out_contiguous_no_cast_kernel"
    "<unsigned char>(char**, char**, long*, long*, long, long)";
inline constexpr std::string_view kChunkCat =
    "void at::native::(anonymous namespace)::chunk_cat_cuda_kernel<c10::BFloat16, c10::BFloat16>"
    "(c10::BFloat16**, c10::BFloat16*, long*, long*, long*, long*, long, long, long)";
inline constexpr std::string_view kRelu =
    "void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous "
    "namespace)::launch_clamp_scalar(at::TensorIteratorBase&, c10::Scalar, c10::Scalar, "
    "at::native::detail::ClampLimits)::{lambda()#1}::operator()() "
    "const::{lambda()#11}::operator()()"
    " const::{lambda(c10::BFloat16)#1}, at::detail::Array<char*, 2> >(int, "
    "at::detail::Array<char*, "
    "2>)";
inline constexpr std::string_view kTableLookup =
    "void split_embedding_codegen_forward_unweighted_kernel<float, float, c10::BFloat16, false, "
    "int, 128ul>(at::PackedTensorAccessor64<float, 1, at::RestrictPtrTraits>)";
inline constexpr std::string_view kTableUpdate =
    "void split_embedding_backward_codegen_rowwise_adagrad_unweighted_kernel_warp_per_row_1<float, "
    "float, float, 1ul, 128ul>(at::PackedTensorAccessor64<float, 2, at::RestrictPtrTraits>)";
inline constexpr std::string_view kGroupedGemm =
    "void "
    "cutlass::device_kernel<at::cuda::detail::enable_3x_kernel_for_sm9x<cutlass::gemm::kernel::"
    "GemmUniversal<cutlass::gemm::GroupProblemShape<cute::tuple<int, int, int> > > > "
    ">(cutlass::gemm::GroupProblemShape)";
inline constexpr std::string_view kReduce =
    "void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::BFloat16, "
    "at::native::func_wrapper_t<c10::BFloat16, at::native::sum_functor<c10::BFloat16, float, "
    "c10::BFloat16>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, "
    "c10::BFloat16, 4> >(at::native::ReduceOp<c10::BFloat16, unsigned int, c10::BFloat16, 4>)";
inline constexpr std::string_view kGather =
    "void at::native::(anonymous namespace)::indexSelectLargeIndex<c10::BFloat16, long, unsigned "
    "int, 2, 2, -2, true>(at::cuda::detail::TensorInfo<c10::BFloat16, unsigned int>, "
    "at::cuda::detail::TensorInfo<long const, unsigned int>, int, int, unsigned int, long)";
inline constexpr std::string_view kScatter =
    "void at::native::(anonymous namespace)::sum_and_scatter<c10::BFloat16, long>(long const*, "
    "c10::BFloat16*, long, long const*, long const*, float const*, long const*, long, long)";
inline constexpr std::string_view kSoftmax =
    "void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, float, float, float, "
    "at::native::(anonymous namespace)::LogSoftMaxForwardEpilogue>(float*, float const*, int)";
inline constexpr std::string_view kSoftmaxBackward =
    "void at::native::(anonymous namespace)::cunn_SoftMaxBackward<8, float, float, float, "
    "at::native::(anonymous namespace)::LogSoftMaxBackwardEpilogue>(float*, float const*, float "
    "const*, int)";
inline constexpr std::string_view kLoss =
    "void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float, float, "
    "long>(float*, float*, float const*, long const*, float const*, bool, long, long, long, long)";
inline constexpr std::string_view kLossBackward =
    "void at::native::(anonymous namespace)::nll_loss_backward_reduce_cuda_kernel_2d<float, long>"
    "(float*, float const*, long const*, float const*, float const*, bool, int, int, long, long)";
inline constexpr std::string_view kAllReduceRing =
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
inline constexpr std::string_view kAllReduceTree =
    "ncclDevKernel_AllReduce_Sum_bf16_TREE_LL(ncclDevKernelArgsStorage<4096ul>)";
inline constexpr std::string_view kAllGatherRing =
    "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
inline constexpr std::string_view kReduceScatterRing =
    "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
inline constexpr std::string_view kBroadcastRing =
    "ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
inline constexpr std::string_view kSendReceiveKernel =
    "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)";
inline constexpr std::string_view kAdam =
    "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
    "namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous "
    "namespace)::FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false>, float const*, "
    "double, double, double, double, double, bool, float const*, float "
    "const*>(at::native::(anonymous "
    "namespace)::FusedOptimizerTensorListMetadata<4>)";

}  // namespace rankscope::sim
