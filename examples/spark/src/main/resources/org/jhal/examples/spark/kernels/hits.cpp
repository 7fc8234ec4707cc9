// SPDX-License-Identifier: Apache-2.0
// How many points of each stream are in the quarter of a circle. Stream s has the points s * draws to (s + 1) * draws - 1
// of one sequence, SplitMix64, so streams share no point. Only integers: all devices get the same numbers.
extern "C" __global__ void hits(unsigned count, unsigned draws, const unsigned long long* streams, unsigned* hits) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned long long state = streams[i] * draws * 0x9E3779B97F4A7C15ULL;
  unsigned inside = 0;
  for (unsigned draw = 0; draw < draws; draw++) {
    state += 0x9E3779B97F4A7C15ULL;
    unsigned long long z = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    z ^= z >> 31;
    unsigned long long x = z >> 33;
    unsigned long long y = z & 0x7FFFFFFFULL;
    inside += x * x + y * y < 1ULL << 62;
  }
  hits[i] = inside;
}
