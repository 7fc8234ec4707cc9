// SPDX-License-Identifier: Apache-2.0
// The forward pass of a small transformer, for one token at a time. Widths are multiples of 64, and a head has 64
// elements. TransformerKernels.java is the twin of this file.
//
// `position` has one element: where the current token is. The last kernel of a token raises it, so the same commands
// serve every token.

#define HEAD 64
#define TILE 16
#define ITEMS 256
#define CONTEXT 256

// The sum of `value` over the work items of a workgroup, whose number is a power of two.
static __device__ float sum_of_all(float* shared, float value) {
  unsigned item = threadIdx.x;
  shared[item] = value;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (item < half) shared[item] += shared[item + half];
    __syncthreads();
  }
  float sum = shared[0];
  __syncthreads();
  return sum;
}

// The greatest `value` of the work items of a workgroup.
static __device__ float greatest_of_all(float* shared, float value) {
  unsigned item = threadIdx.x;
  shared[item] = value;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (item < half) shared[item] = fmaxf(shared[item], shared[item + half]);
    __syncthreads();
  }
  float greatest = shared[0];
  __syncthreads();
  return greatest;
}

// What the model knows about the current token and its place.
extern "C" __global__ void embed(unsigned width, const unsigned* position, const unsigned* tokens,
                                 const float* tokenTable, const float* positionTable, float* x) {
  unsigned i = blockIdx.x * HEAD + threadIdx.x;
  unsigned now = position[0];
  x[i] = tokenTable[tokens[now] * width + i] + positionTable[now * width + i];
}

// Shifts and scales x to mean 0 and variance 1, and then by what the model has learned. One workgroup.
extern "C" __global__ void layernorm(unsigned width, const float* x, const float* gain, const float* bias, float* y) {
  __shared__ float shared[ITEMS];
  unsigned item = threadIdx.x;
  float sum = 0.0f;
  for (unsigned i = item; i < width; i += ITEMS) sum += x[i];
  float mean = sum_of_all(shared, sum) / width;
  float squares = 0.0f;
  for (unsigned i = item; i < width; i += ITEMS) squares = fmaf(x[i] - mean, x[i] - mean, squares);
  float variance = sum_of_all(shared, squares) / width;
  float scale = 1.0f / sqrtf(variance + 1e-5f);
  for (unsigned i = item; i < width; i += ITEMS) y[i] = fmaf((x[i] - mean) * scale, gain[i], bias[i]);
}

// output = input * weights + bias, which is added to the old output if `adds` is not 0. Each work item computes one
// column. A workgroup brings 16 elements of the input at a time into shared memory: so few that compilers
// write that loop out.
extern "C" __global__ void project(unsigned inner, unsigned columns, unsigned adds, const float* input,
                                   const float* weights, const float* bias, float* output) {
  __shared__ float part[TILE];
  unsigned item = threadIdx.x;
  unsigned column = blockIdx.x * HEAD + item;
  float sum = bias[column];
  for (unsigned first = 0; first < inner; first += TILE) {
    if (item < TILE) part[item] = input[first + item];
    __syncthreads();
    for (unsigned k = 0; k < TILE; k++) sum = fmaf(part[k], weights[(first + k) * columns + column], sum);
    __syncthreads();
  }
  output[column] = adds ? output[column] + sum : sum;
}

// The mean of the values of all tokens so far, weighted by how well their keys fit the query of this one. It keeps the
// current token's key and value. One workgroup for each head.
extern "C" __global__ void attention(unsigned width, const unsigned* position, const float* queryKeyValue, float* keys,
                                     float* values, float* mixed) {
  __shared__ float query[HEAD];
  __shared__ float scores[CONTEXT];
  __shared__ float shared[HEAD];
  unsigned item = threadIdx.x;
  unsigned head = blockIdx.x * HEAD;
  unsigned now = position[0];
  query[item] = queryKeyValue[head + item];
  keys[now * width + head + item] = queryKeyValue[width + head + item];
  values[now * width + head + item] = queryKeyValue[2 * width + head + item];
  __syncthreads();
  float most = -3e38f;
  for (unsigned t = item; t <= now; t += HEAD) {
    float score = 0.0f;
    for (unsigned k = 0; k < HEAD; k++) score = fmaf(query[k], keys[t * width + head + k], score);
    score *= 0.125f;  // 1 / sqrt(HEAD)
    scores[t] = score;
    most = fmaxf(most, score);
  }
  most = greatest_of_all(shared, most);
  float sum = 0.0f;
  for (unsigned t = item; t <= now; t += HEAD) {
    float weight = expf(scores[t] - most);
    scores[t] = weight;
    sum += weight;
  }
  sum = sum_of_all(shared, sum);
  float mean = 0.0f;
  for (unsigned t = 0; t <= now; t++) mean = fmaf(scores[t], values[t * width + head + item], mean);
  mixed[head + item] = mean / sum;
}

// Half of x for x near 0, x above and 0 below.
extern "C" __global__ void gelu(float* x) {
  unsigned i = blockIdx.x * HEAD + threadIdx.x;
  float v = x[i];
  x[i] = 0.5f * v * (1.0f + tanhf(0.7978846f * (v + 0.044715f * v * v * v)));
}

// Takes the token with the greatest logit, of several the first, as the next one unless that is known, stores the
// probability of the choice, and moves on. One workgroup.
extern "C" __global__ void choose(unsigned vocabulary, unsigned known, const float* logits, unsigned* position,
                                  unsigned* tokens, float* chances) {
  __shared__ float most[ITEMS];
  __shared__ unsigned which[ITEMS];
  unsigned item = threadIdx.x;
  unsigned now = position[0];
  most[item] = -3e38f;
  which[item] = 0;
  for (unsigned i = item; i < vocabulary; i += ITEMS) {
    if (logits[i] > most[item]) {
      most[item] = logits[i];
      which[item] = i;
    }
  }
  __syncthreads();
  for (unsigned half = ITEMS / 2; half > 0; half /= 2) {
    if (item < half) {
      float other = most[item + half];
      if (other > most[item] || (other == most[item] && which[item + half] < which[item])) {
        most[item] = other;
        which[item] = which[item + half];
      }
    }
    __syncthreads();
  }
  float greatest = most[0];
  unsigned best = which[0];
  __syncthreads();
  float sum = 0.0f;
  for (unsigned i = item; i < vocabulary; i += ITEMS) sum += expf(logits[i] - greatest);
  sum = sum_of_all(most, sum);
  if (item == 0) {
    chances[now] = 1.0f / sum;
    if (now + 1 >= known) tokens[now + 1] = best;
    position[0] = now + 1;
  }
}
