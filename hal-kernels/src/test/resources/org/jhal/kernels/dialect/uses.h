// SPDX-License-Identifier: Apache-2.0
// Uses what the headers declare.
namespace cg = cooperative_groups;
__device__ float use(float* to, float x) {
  __half h = __float2half(x);
  h += __half(1);
  __nv_bfloat16 b = __float2bfloat16(x);
  uint32_t bits = UINT32_MAX;
  int64_t wide = INT64_MAX;
  assert(x < FLT_MAX && x != INFINITY);
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  float sum = cg::reduce(tile, x, cg::plus<float>());
  sum += cg::inclusive_scan(tile, x, cg::plus<float>());
  tile.sync();
  static_assert(std::is_same<std::remove_cv_t<const int>, int>::value && std::numeric_limits<short>::max() == 32767, "");
  std::array<int, 2> two = {1, 2};
  sum += std::sqrt(2.0f) + (float)two[std::max(0, 1)] + __low2float(__hmax2(make_half2(h, h), __float2half2_rn(x)));
  sum += (float)cg::tiled_partition(block, 16).size() + (float)cg::this_grid().num_blocks();
  to[0] = (float)h + __bfloat162float(b) + (float)(bits & 1) + (float)(wide & 1) + (float)M_PI;
  return to == NULL ? NAN : sum;
}
