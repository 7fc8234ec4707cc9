// SPDX-License-Identifier: Apache-2.0
// Kernels and what is found in them, as CheckTest reads it. 2 workgroups of 64 items; both buffers have 128 elements.

// ---- memory ----

extern "C" __global__ void copies(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}

extern "C" __global__ void writes_past_the_end(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i + 1] = 1;  //! memory: | writes outside 'out': element 128 of 128 (i32), 0 bytes past its end | item (63, 0, 0) of workgroup (1, 0, 0)
}

extern "C" __global__ void reads_before_the_start(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = i;
  if (in[i - 2] > 3) out[i] = 1;  //! memory: | reads outside 'in': element -2 of 128 (i32), 8 bytes before its start | and 1 times more
}

__device__ int far(const int* from, int by) {
  return from[by];  //! memory: | reads outside | item (5, 0, 0)
}
extern "C" __global__ void reads_far_outside(const int* in, int* out) {
  if (threadIdx.x == 5) out[5 + blockIdx.x] = far(in, 1 << 28);
}

extern "C" __global__ void writes_its_input(const int* in, int* out) {
  int* changed = (int*)in;
  if (threadIdx.x == 0) changed[blockIdx.x] = 1;  //! memory: | writes element 0 of 'in' | direction is 'in'
  out[blockIdx.x * blockDim.x + threadIdx.x] = in[0] * 0;
}

__device__ const int weights[4] = {1, 2, 1, 0};
__device__ int counted[4];
extern "C" __global__ void writes_a_constant(const int* in, int* out) {
  int* changed = in[1] ? out : (int*)weights;
  if (threadIdx.x == 0) counted[blockIdx.x] = weights[in[0]];
  if (threadIdx.x == 3) changed[blockIdx.x] = 1;  //! memory: | writes | item (3, 0, 0)
}

__device__ int twice(int value) { return 2 * value; }
extern "C" __global__ void reads_and_writes_code(const int* in, int* out) {
  int (*called)(int) = in[0] ? nullptr : twice;
  int* code = (int*)called;
  if (threadIdx.x == 4) code[1] = 1;         //! memory: | writes | item (4, 0, 0)
  if (threadIdx.x == 5) out[5] = code[1];    //! memory: | reads | item (5, 0, 0)
}

extern "C" __global__ void follows_null(const int* in, int* out) {
  int* none = (int*)(size_t)in[0];
  if (threadIdx.x == 1) none[2] = 1;  //! memory: | writes the address 0x8, as through a null pointer
}

extern "C" __global__ void reads_misaligned(const int* in, int* out) {
  const float4* four = (const float4*)(in + 1);
  if (threadIdx.x < 2) out[blockIdx.x * 64 + threadIdx.x] = (int)four[threadIdx.x].x;  //! memory: | which is not aligned to 16 bytes
}

extern "C" __global__ void stays_inside_shared(const int* in, int* out) {
  __shared__ int tile[64];
  __shared__ int other[64];
  tile[threadIdx.x] = in[threadIdx.x];
  other[threadIdx.x] = 1;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x] + other[63 - threadIdx.x];
}

extern "C" __global__ void leaves_shared(const int* in, int* out) {
  __shared__ int tile[64];
  __shared__ int other[64];
  tile[threadIdx.x] = in[threadIdx.x];
  other[threadIdx.x] = 1;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x + 1] + other[threadIdx.x];  //! memory: | outside 'tile': tile[64] of 256 bytes of shared memory, 0 bytes past its end
}

extern "C" __global__ void copies_too_much(const int* in, int* out) {
  if (threadIdx.x == 0 && blockIdx.x == 0) memcpy(out + 1, in, 512);  //! memory: | writes outside 'out' | across its end
}

// ---- races ----

extern "C" __global__ void neighbours_race(const int* in, int* out) {
  __shared__ int tile[65];
  tile[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x == 0) tile[64] = 0;
  out[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x + 1];  //! races: | 'tile[ | which another work item of the workgroup | code.cpp:87: //! races: | 'tile[64]' | code.cpp:88: //! values: | which nothing has written
}

extern "C" __global__ void forgets_the_barrier(const int* in, int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  out[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x ^ 1];  //! races: | another work item of the workgroup //! values: | which nothing has written
}

extern "C" __global__ void keeps_the_barrier(const int* in, int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x ^ 1];
}

extern "C" __global__ void groups_race(const int* in, int* out) {
  if (threadIdx.x == 3) out[0] = blockIdx.x;  //! races: | writes element 0 of 'out', which a work item of another workgroup writes | the values differ | work item (3, 0, 0) of workgroup (0, 0, 0) | work item (3, 0, 0) of workgroup (1, 0, 0)
}

extern "C" __global__ void groups_agree(const int* in, int* out) {
  if (threadIdx.x == 3) out[0] = 1;  //! races: | both write the same value
}

extern "C" __global__ void a_group_writes_what_another_uses(const int* in, int* out) {
  if (blockIdx.x == 0 && threadIdx.x == 1) out[1] = 5;
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 2) out[2] = out[1];
  if (blockIdx.x == 1 && threadIdx.x == 0) out[1] = in[0] + 7;  //! races: | the values differ //! races: | element 1 of 'out'
}

extern "C" __global__ void groups_add(const int* in, int* out) {
  atomicAdd(out, 1);
  atomicMax(out + 1, (int)threadIdx.x);
}

extern "C" __global__ void adds_beside_a_read(const int* in, int* out) {
  atomicAdd(out, 1);
  if (threadIdx.x == 7 && blockIdx.x == 1) out[1] = out[0];  //! races: | element 0 of 'out' | atomically
}

extern "C" __global__ void bytes_are_apart(const int* in, int* out) {
  unsigned char* bytes = (unsigned char*)out;
  bytes[blockIdx.x * 64 + threadIdx.x] = (unsigned char)threadIdx.x;
}

extern "C" __global__ void bytes_race(const int* in, int* out) {
  unsigned char* bytes = (unsigned char*)out;
  if (threadIdx.x == 0) bytes[5] = (unsigned char)(blockIdx.x + 1);  //! races: | the values differ
}

__device__ int arrived;
extern "C" __global__ void publishes(const int* in, int* out) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    out[1 + blockIdx.x] = 5;
    __threadfence();
    is_last = atomicAdd(out, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 9) out[10] = out[1] + out[2];
}

extern "C" __global__ void forgets_the_fence(const int* in, int* out) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    out[1 + blockIdx.x] = 5;
    is_last = atomicAdd(out, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 9) out[10] = out[1] + out[2];  //! races: | which a work item of another workgroup writes
}

extern "C" __global__ void resets_beside_atomics(const int* in, int* out) {
  // In one line, as either workgroup may come first: of the earlier atomic the line is not known.
  if (blockIdx.x == 0 && threadIdx.x == 0) out[0] = in[0] - 1; __syncthreads(); atomicMax(out, in[threadIdx.x] + (int)blockIdx.x);  //! races: | element 0 of 'out' | another workgroup
}

extern "C" __global__ void resets_its_own(const int* in, int* out) {
  if (threadIdx.x == 0) out[blockIdx.x] = in[0] - 1;
  __syncthreads();
  atomicMax(out + blockIdx.x, in[threadIdx.x]);
}

extern "C" __global__ void reads_its_own_too_early(const int* in, int* out) {
  if (threadIdx.x == 0) out[blockIdx.x] = in[0] - 1;
  __syncthreads();
  if (threadIdx.x != 5) atomicMax(out + blockIdx.x, in[threadIdx.x]);
  if (threadIdx.x == 5) out[8 + blockIdx.x] = out[blockIdx.x];  //! races: | of 'out', which another work item of the workgroup changes atomically
}

extern "C" __global__ void locks(const int* in, int* out) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(out, 0, 1) != 0) {}
  __threadfence();
  out[1] = out[1] + in[0] + 1;
  __threadfence();
  atomicExch(out, 0);
}

extern "C" __global__ void unlocks_without_a_fence(const int* in, int* out) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(out, 0, 1) != 0) {}
  __threadfence();
  out[1] = out[1] + in[0] + 1;  //! races: | element 1 of 'out', which a work item of another workgroup writes
  atomicExch(out, 0);
}

extern "C" __global__ void warps_meet(const int* in, int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x] + 1;
  __syncwarp();
  int other = tile[threadIdx.x ^ 1];
  other += __shfl_xor_sync(~0u, other, 2);
  tile[threadIdx.x ^ 1] = other;
  __syncwarp();
  out[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x];
}

extern "C" __global__ void warps_do_not_meet(const int* in, int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x] + 1;
  __syncwarp();
  out[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x ^ 32];  //! races: | another work item of the workgroup //! values: | which nothing has written
}

extern "C" __global__ void groups_share_nothing(const int* in, int* out) {
  __shared__ int own;
  if (threadIdx.x == 0) own = blockIdx.x;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = own;
}

// ---- barriers ----

extern "C" __global__ void half_wait_elsewhere(const int* in, int* out) {
  if (threadIdx.x < 32) {
    __syncthreads();  //! barriers: | waits at different barriers
  } else {
    out[threadIdx.x] = (int)blockIdx.x * 0;  //! races: | both write the same value
    __syncthreads();
  }
}

extern "C" __global__ void some_have_ended(const int* in, int* out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= 120) return;
  out[i] = 1;
  __syncthreads();  //! barriers: | waits at a barrier that 8 of the 64 work items of the workgroup never reach | (56, 0, 0) of workgroup (1, 0, 0)
  out[i] = 2;
}

extern "C" __global__ void lanes_never_come(const int* in, int* out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (threadIdx.x < 8) {
    out[i] = __shfl_sync(~0u, i, 0);  //! barriers: | waits for lanes that never come: the mask is 0xffffffff
  } else {
    __syncthreads();
  }
}

// ---- values ----

extern "C" __global__ void reads_unwritten_shared(const int* in, int* out) {
  __shared__ int tile[64];
  if (threadIdx.x < 63) tile[threadIdx.x] = 1;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x];  //! values: | reads 'tile[63]', which nothing has written
}

extern "C" __global__ void shifts_too_far(const int* in, int* out) {
  out[blockIdx.x * 64 + threadIdx.x] = 1 << (in[0] + (int)threadIdx.x);  //! values: | shifts by less than 0, or by as many bits
}

extern "C" __global__ void divides_by_zero(const int* in, int* out) {
  out[blockIdx.x * 64 + threadIdx.x] = 5 / in[threadIdx.x];  //! values: | divides an integer by zero
}

extern "C" __global__ void converts_too_much(const int* in, int* out) {
  out[blockIdx.x * 64 + threadIdx.x] = (int)(1e8f * threadIdx.x);  //! values: | converts a number to an integer that is too small
}

// ---- elements of shared memory ----

struct node {
  int key;
  struct { short at[3]; } place;
};

template <int ROWS>
__device__ int of_template(const int* in) {
  __shared__ int rows[ROWS][ROWS + 1];
  rows[threadIdx.x % ROWS][0] = *in;
  return rows[1][2];  //! values: | reads 'rows[1][2]', which nothing has written
}

extern "C" __global__ void reads_what_is_in_rows(const int* in, int* out) {
  __shared__ int tile[8][9];
  __shared__ node nodes[64];
  __shared__ volatile int flag;
  tile[threadIdx.x / 8][threadIdx.x % 8] = in[threadIdx.x];
  nodes[threadIdx.x].key = 1;
  __syncthreads();
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    out[0] = tile[3][8];  //! values: | reads 'tile[3][8]', which nothing has written
    out[1] = nodes[2].place.at[1];  //! values: | reads 'nodes[2].place.at[1]', which nothing has written
    out[2] = flag;  //! values: | reads 'flag', which nothing has written
    out[3] = of_template<4>(in);
  }
}

extern "C" __global__ void leaves_a_cube(const int* in, int* out) {
  __shared__ int cube[2][3][4];
  if (threadIdx.x < 24) (&cube[0][0][0])[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = cube[1 + in[0] + 1][0][1];  //! memory: | outside 'cube': cube[2][0][1] of 96 bytes of shared memory, 4 bytes past its end
}
