// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void times(float* out, unsigned count, float factor, const float* in) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = factor * in[i];
}

// Copies, after as many steps of a generator of random numbers.
extern "C" __global__ void spin(unsigned count, unsigned long long rounds, const float* in, float* out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    unsigned long long state = i;
    for (unsigned long long r = 0; r < rounds; r++) {
      state = state * 6364136223846793005ull + (r | 1);
    }
    out[i] = state == 42 ? 0 : in[i];
  }
}

extern "C" __global__ void all_columns(int count, const signed char* b, const short* s, const int* i,
    const long long* l, const float* f, const double* d, signed char* ob, short* os, int* oi,
    long long* ol, float* of, double* od) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < count) {
    ob[at] = b[at] + 1;
    os[at] = s[at] + 1;
    oi[at] = i[at] + 1;
    ol[at] = l[at] + 1;
    of[at] = f[at] + 1;
    od[at] = d[at] + 1;
  }
}
