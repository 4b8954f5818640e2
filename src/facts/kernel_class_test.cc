#include "facts/kernel_rules.h"

#include <gtest/gtest.h>

#include "trace/literal_trace_for_test.h"

namespace rankscope {
namespace {

KernelClass Of(std::string_view name) { return KernelRules().ClassOf(name, false); }

TEST(ClassOfKernel, CommunicationByLibraryAndOperation) {
  for (const char* name :
       {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t",
        "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)",
        "multimem_all_reduce_kernel<c10::BFloat16, 16>",
        "void deep_ep::intranode::dispatch<8, 768>(int)", "one_shot_all_reduce_kernel",
        "void quickreduce::allreduce_prototype_twoshot"}) {
    EXPECT_EQ(WorkOf(Of(name)), WorkClass::kCommunication) << name;
  }
}

TEST(ClassOfKernel, ComputationIsNoCommunication) {
  for (const char* name :
       {"ampere_bf16_s16816gemm", "void at::native::reduce_kernel<512, 1>", "softmax_warp_forward",
        "triton_red_fused_all_reduce_add_0", "Cijk_Ailk_Bljk_SB",
        "void at::native::(anonymous namespace)::cat_copy"}) {
    EXPECT_EQ(WorkOf(Of(name)), WorkClass::kCompute) << name;
  }
}

// Names of kernels that exchange data past NCCL, as libraries give them and profilers write them.
TEST(ClassOfKernel, CommunicationPastNccl) {
  using enum KernelClass;
  const std::pair<const char*, KernelClass> cases[] = {
      // DeepEP, and builds and ports of it.
      {"void deep_ep::intranode::combine<__nv_bfloat16, (int)8, (int)768, (int)4096>(T1 *, float "
       "*)",
       kOtherCommunication},
      {"void deep_ep::internode::notify_dispatch<false, 4>(int const*, int*, int)",
       kOtherCommunication},
      {"void deep_ep::internode_ll::dispatch<true, false, 7168>(void*, void*)",
       kOtherCommunication},
      {"void deep_ep::elastic::combine_reduce_epilogue_impl<false, true, 24, 8>(__nv_bfloat16*)",
       kOtherCommunication},
      {"void primus_turbo::deep_ep::intranode::cached_notify_dispatch<8>(int const*, int)",
       kOtherCommunication},
      {"void dpsk::ep::internode::dispatch<false, 8, true, 8>(int4*)", kOtherCommunication},
      {"void dpsk::ep::internode::cached_notify<true>(int)", kOtherCommunication},
      {"void uccl::internode_ll::combine<false, 7168, 9>(void*)", kOtherCommunication},
      {"_ZN7deep_ep9intranode8dispatchILi8ELi768EEEvP4int4", kOtherCommunication},
      {"void hybrid_ep::dispatch_kernel<unsigned char, 8>(int)", kOtherCommunication},
      {"hybrid_ep::device_sync_kernel(unsigned int*)", kOtherCommunication},
      {"mooncake_ep_jit_dispatch_kernel", kOtherCommunication},
      {"nccl_ep_jit_ht_dispatch_kernel", kNccl},
      // What they compute on the way.
      {"void dpsk::ep::cuda::get_dispatch_layout<256, 32, 8>(long const*, int*)", kIndexing},
      {"void deep_ep::layout::get_dispatch_layout<256, 4, 8>(long const*, int*)", kIndexing},
      {"void cdpsk::ep::CUB_200500_900_NS::DeviceScanKernel<int>(int)", kIndexing},
      // pplx-kernels and pplx-garden, MoRI, TensorRT-LLM.
      {"void (anonymous namespace)::dispatchKernel<10u, true, true>(int*, unsigned long)",
       kOtherCommunication},
      {"void (anonymous namespace)::combineKernel<float, __nv_bfloat16, 16ul, true, false>(int)",
       kOtherCommunication},
      {"void pplx::a2a_dispatch_send_kernel<16, 8, float>(unsigned long)", kOtherCommunication},
      {"a2a_combine_recv_kernel", kOtherCommunication},
      {"void mori::moe::EpDispatchInterNodeV1Kernel<hip_bfloat16>(mori::moe::Args)",
       kOtherCommunication},
      {"EpCombineIntraNodeKernel_bf16", kOtherCommunication},
      {"void mori::moe::EpDispatchCopyToStaging<float>(mori::moe::Args)", kDataMovement},
      {"void tensorrt_llm::kernels::moe_comm::moeA2ADispatchKernel<8>(int const*)",
       kOtherCommunication},
      {"void tensorrt_llm::kernels::moeAllToAllKernel<8, false>(int)", kOtherCommunication},
      // Libraries of one-sided communication, and PyTorch on top of them.
      {"barrier_on_stream_kernel_threadgroup(int, int)", kOtherCommunication},
      {"rdxn_float_sum_on_stream_kernel(int, float*, float const*, unsigned long)",
       kOtherCommunication},
      {"void rocshmem_reduce_on_stream_kernel<float>(int)", kOtherCommunication},
      {"c10d::nvshmem_extension::allToAllV(void*, void*, long*)", kOtherCommunication},
      {"void exchangeSplitAndOffset_2d<true>(long*, long*, int)", kOtherCommunication},
      {"c10d::symmetric_memory::barrier_kernel(unsigned int**, int, int, int, unsigned long)",
       kOtherCommunication},
      {"put_signal_kernel(unsigned int**, int, int, int, int, unsigned long)", kOtherCommunication},
      {"void mscclpp::collective::broadcast6<false>(void*)", kOtherCommunication},
      // All-reduce, all-gather and reduce-scatter of one node.
      {"void (anonymous namespace)::two_shot_all_reduce_kernel_inplace<c10::BFloat16, 16, "
       "2>(c10::BFloat16**, unsigned long)",
       kCustomAllReduce},
      {"void (anonymous namespace)::multimem_one_shot_reduce_kernel<c10::BFloat16, 16>(int)",
       kCustomAllReduce},
      {"void (anonymous namespace)::multimem_all_gather_kernel<16>(char*, char*)",
       kCustomAllReduce},
      {"void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<(int)1, "
       "__nv_bfloat16, 8, true>(int)",
       kCustomAllReduce},
      {"void flashinfer::trtllm_mnnvl_allreduce::oneshotAllreduceFusionKernel<8, __nv_bfloat16, "
       "true, float4>(__nv_bfloat16*)",
       kCustomAllReduce},
      {"void tensorrt_llm::kernels::ar_fusion::moe::moefinalize_allreduce_fusion_kernel_oneshot_"
       "lamport<__nv_bfloat16, 8>(int)",
       kCustomAllReduce},
      {"void tensorrt_llm::kernels::mnnvl::rmsNormLamport<__nv_bfloat16, 1>(int)",
       kCustomAllReduce},
      {"void sglang::cross_device_reduce_2stage<__nv_bfloat16, 4>(sglang::RankData*)",
       kCustomAllReduce},
      {"_ZN5aiter33reduce_scatter_cross_device_storeIDF16bLi8EEEvPNS_8RankDataE", kCustomAllReduce},
      {"void quickreduce::allreduce_prototype_twoshot<quickreduce::AllReduceTwoshot<__half> >(int)",
       kCustomAllReduce},
      {"userbuffers_fp16_sum_inplace_gpu_rw_ag(int, int, int)", kCustomAllReduce},
      {"kuserbuffers_pushsend(int*, int*, int4*, int4*, int)", kCustomAllReduce},
      // Its second half reads what is there already.
      {"void aiter::local_device_load_rmsnorm<__hip_bfloat16, 8>(int)", kNormalisation},
  };
  for (const auto& [name, expected] : cases)
    EXPECT_EQ(ToString(Of(name)), ToString(expected)) << name;
}

// Names as they stand in traces of V100, A100, H100, MI250 and MI300.
TEST(ClassOfKernel, NamesOfRealTraces) {
  const std::pair<const char*, KernelClass> cases[] = {
      {"ampere_sgemm_128x64_tn", KernelClass::kGemm},
      {"Cijk_Alik_Bljk_BBS_BH_Bias_HAS_SAV_UserArgs_MT32x32x64_MI16x16x1_SN", KernelClass::kGemm},
      {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x64x64", KernelClass::kGemm},
      {"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_64x64_32x6_nt_align4>(int)",
       KernelClass::kGemm},
      {"void gemv2T_kernel_val<int, int, float>(cublasGemvParams)", KernelClass::kGemm},
      {"void cublasLt::splitKreduce_kernel<32, 16, int>(float*)", KernelClass::kGemm},
      {"nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NNT", KernelClass::kGemm},
      {"sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc", KernelClass::kConvolution},
      {"volta_scudnn_128x64_relu_medium_nn_v1", KernelClass::kConvolution},
      {"volta_fp16_s884cudnn_fp16_256x64_ldg8_relu_f2f_exp_small_nhwc_tn_v1",
       KernelClass::kConvolution},
      {"turing_fp16_s1688cudnn_fp16_128x128_ldg8_relu_f2f_exp_interior_nhwc_tn_v1",
       KernelClass::kConvolution},
      {"turing_int8_i8816cudnn_int8_256x128_ldg16_relu_singleBuffer_medium_nt_v1",
       KernelClass::kConvolution},
      {"volta_int8x4_icudnn_int8x4_128x128_relu_medium_nt_v1", KernelClass::kConvolution},
      {"igemm_wrw_gtcx2_nhwc_bf16_bx0_ex1_bt64x64x64", KernelClass::kConvolution},
      {"void implicit_convolve_sgemm<float, float, 1024>(int)", KernelClass::kConvolution},
      {"void pytorch_flash::flash_fwd_kernel<64>(pytorch_flash::Flash_fwd_params)",
       KernelClass::kAttention},
      {"void paged_attention_ll4mi_reduce_kernel<__hip_bfloat16>(int)", KernelClass::kAttention},
      {"fmha_cutlassF_bf16_aligned_64x64_rf_sm80", KernelClass::kAttention},
      {"void vllm::reshape_and_cache_flash_kernel<__hip_bfloat16>(int)",
       KernelClass::kDataMovement},
      {"void rotary_embedding_kernel<c10::BFloat16, true>(long const*)", KernelClass::kElementwise},
      {"void cudnn::bn_fw_tr_1C11_singleread<float, 512>(int)", KernelClass::kNormalisation},
      {"void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernel<float, float>(long)",
       KernelClass::kNormalisation},
      {"_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256E", KernelClass::kNormalisation},
      {"split_embedding_backward_codegen_rowwise_adagrad_weighted_find_long_segments(int)",
       KernelClass::kEmbedding},
      {"void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>, float>(int)",
       KernelClass::kOptimizer},
      {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
       "at::native::NormTwoOps<float> > >(int)",
       KernelClass::kReduction},
      {"void (anonymous namespace)::softmax_warp_forward<float, float>(float*)",
       KernelClass::kReduction},
      {"void at::native::(anonymous namespace)::indexSelectLargeIndex<long>(int)",
       KernelClass::kIndexing},
      {"void cub::DeviceScanKernel<cub::AgentScanPolicy<128> >(int)", KernelClass::kIndexing},
      {"void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl<at::native::"
       "direct_copy_kernel_cuda(at::TensorIteratorBase&)> >(int)",
       KernelClass::kDataMovement},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float> >(int)",
       KernelClass::kElementwise},
      {"triton_tem_fused_mm_3", KernelClass::kTriton},
      {"triton__0d1d2d3d4d5d", KernelClass::kTriton},
      {"SubTensorOpWithScalar1d", KernelClass::kElementwise},
      {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", KernelClass::kNccl},
      {"multimem_all_reduce_kernel<c10::BFloat16>", KernelClass::kCustomAllReduce},
      {"void paged_attention_ll4mi_QKV_mfma16_kernel<0, __hip_bfloat16, "
       "(vllm::Fp8KVCacheDataType)0, 1>(int)",
       KernelClass::kAttention},
      {"void (anonymous namespace)::store_kvcache<2048l, 4, false, long>(int)",
       KernelClass::kDataMovement},
      {"void vllm::concat_and_cache_mla_kernel<__nv_bfloat16>(int)", KernelClass::kDataMovement},
      // A namespace is no product of matrices.
      {"void fbgemm_gpu::permute_2D_data_kernel<false, int, int>(int)", KernelClass::kDataMovement},
      {"void fbgemm_gpu::_block_bucketize_sparse_features_cuda_kernel2<false>(int)",
       KernelClass::kIndexing},
      {"void at::native::vectorized_elementwise_kernel<4, fbgemm_gpu::_hfp8_to_float_gpu(int)>",
       KernelClass::kElementwise},
      {"void bounds_check_indices_kernel<long>(fbgemm_gpu::X)", KernelClass::kIndexing},
      {"void (anonymous namespace)::elementwise_kernel_with_index<int, at::native::arange>(int)",
       KernelClass::kElementwise},
      {"void fft2d_r2c_32x32<float, false, 5u, true>(float2*, float const*, int)",
       KernelClass::kConvolution},
      {"_sum_bitmatrix_rows", KernelClass::kIndexing},
      {"void (anonymous namespace)::resolve_future_token_ids_kernel<long>(long*, long const*)",
       KernelClass::kIndexing},
      {"void vllm::moe::moe_align_block_size_kernel<int>(int*, int*)", KernelClass::kIndexing},
      {"void per_token_group_quant_8bit_kernel<c10::BFloat16, c10::Float8_e4m3fn>(int)",
       KernelClass::kElementwise},
      {"my_kernel", KernelClass::kOther},
      {"", KernelClass::kOther},
  };
  for (const auto& [name, expected] : cases)
    EXPECT_EQ(ToString(Of(name)), ToString(expected)) << name;
  EXPECT_EQ(
      KernelRules().ClassOf("ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)", true),
      KernelClass::kRccl);
}

TEST(ClassRules, EveryPatternIsLowerCaseAndCanFit) {
  for (const ClassRule& rule : ClassRules()) {
    for (const char c : rule.patterns) EXPECT_FALSE(c >= 'A' && c <= 'Z') << rule.patterns;
    EXPECT_EQ(rule.patterns.find("  "), std::string_view::npos) << rule.patterns;
  }
}

TEST(WorkClassifier, LooksAtTheVendorOfTheTrace) {
  const RankTrace amd = TraceForTest()
                            .Host(1, EventKind::kRuntime, "hipLaunchKernel", 0, 5, 1)
                            .Kernel(0, "ncclDevKernel_Generic", 10, 5, 1)
                            .Copy(0, 8, 20, 5)
                            .Build();
  const WorkClassifier classes(amd, {});
  for (Row row = 0; row < amd.row_count(); ++row) {
    if (!IsDeviceWork(amd.kind[row])) continue;
    const bool is_kernel = amd.kind[row] == EventKind::kKernel;
    EXPECT_EQ(classes.ClassOf(row), is_kernel ? KernelClass::kRccl : KernelClass::kMemory);
  }
}

}  // namespace
}  // namespace rankscope
