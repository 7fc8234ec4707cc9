#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# While one thread gives memory back to CUDA, no other thread can launch anything.
#
# Expected  cudaHostUnregister, cudaFreeHost and cudaFree wait until the GPU is idle, as NVIDIA says. A launch, a copy or an
#           event of another thread, in a stream that has nothing to do with the memory, is enqueued at once as always.
# Happens   until the GPU is idle, the other threads' calls do not return either: a launch, an asynchronous copy, the record
#           of an event, the creation of an event or a stream, and page-locking. Calls that look at an event or a stream, let
#           a stream wait for an event, or allocate in the order of a stream return at once. So a buffer that is freed beside a
#           kernel of a second stops all submissions for a second.
# Version   CUDA 13.0, driver 580.159.04, on an H200.
# Meets it  servers whose threads share a GPU, when one of them frees a buffer that it does not need any more.
#
# Needs nvcc of CUDA 13.0 and a GPU; ends with 77 without them, with 1 if what is seen has changed.
set -euo pipefail
command -v nvcc >/dev/null || { echo "there is no nvcc"; exit 77; }
nvcc --version | grep -q "release 13.0" || { echo "nvcc is not that of CUDA 13.0"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
cat >"$folder/release.cu" <<'CODE'
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <unistd.h>

using Clock = std::chrono::steady_clock;
constexpr double LONG = 0.4;  // seconds that the GPU is busy

__global__ void busy(unsigned long long nanos) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  while (now - begin < nanos);
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(77);
}

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

int main() {
  constexpr size_t BYTES = 1 << 20;
  cudaStream_t running, other, made;
  cudaEvent_t event, other_event;
  void *device, *pinned;
  check(cudaStreamCreateWithFlags(&running, cudaStreamNonBlocking));
  check(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  check(cudaMalloc(&device, BYTES));
  check(cudaHostAlloc(&pinned, BYTES, cudaHostAllocDefault));
  void* more = aligned_alloc(4096, BYTES);
  busy<<<1, 1, 0, running>>>(1000);
  busy<<<1, 1, 0, other>>>(1000);
  void* ordered;
  check(cudaMallocAsync(&ordered, BYTES, other));  // makes the pool
  check(cudaFreeAsync(ordered, other));
  check(cudaDeviceSynchronize());

  struct Call { const char* name; std::function<void()> make; std::function<void()> undo; };
  std::function<void()> nothing = [] {};
  Call calls[] = {
      {"launch", [&] { busy<<<1, 1, 0, other>>>(1000); }, nothing},
      {"copy", [&] { check(cudaMemcpyAsync(device, pinned, 64, cudaMemcpyHostToDevice, other)); }, nothing},
      {"event record", [&] { check(cudaEventRecord(event, other)); }, nothing},
      {"event create", [&] { check(cudaEventCreate(&other_event)); }, [&] { check(cudaEventDestroy(other_event)); }},
      {"stream create", [&] { check(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking)); },
       [&] { check(cudaStreamDestroy(made)); }},
      {"host register", [&] { check(cudaHostRegister(more, BYTES, 0)); }, [&] { check(cudaHostUnregister(more)); }},
      {"event query", [&] { cudaEventQuery(event); }, nothing},
      {"stream query", [&] { cudaStreamQuery(other); }, nothing},
      {"stream waits for event", [&] { check(cudaStreamWaitEvent(other, event, 0)); }, nothing},
      {"allocation in a stream", [&] { check(cudaMallocAsync(&ordered, BYTES, other)); },
       [&] { check(cudaFreeAsync(ordered, other)); }},
  };
  const char* releases[] = {"cudaHostUnregister", "cudaFreeHost", "cudaFree"};
  for (int release = 0; release < 3; release++) {
    for (Call& call : calls) {
      void *locked = aligned_alloc(4096, BYTES), *host, *memory;
      check(cudaHostRegister(locked, BYTES, 0));
      check(cudaHostAlloc(&host, BYTES, cudaHostAllocDefault));
      check(cudaMalloc(&memory, BYTES));
      check(cudaDeviceSynchronize());
      busy<<<1, 1, 0, running>>>((unsigned long long)(LONG * 1e9));
      auto begin = Clock::now();
      double released = 0;
      std::thread thread([&] {
        check(release == 0 ? cudaHostUnregister(locked) : release == 1 ? cudaFreeHost(host) : cudaFree(memory));
        released = since(begin);
      });
      usleep(100000);  // the other thread waits in its call by now
      auto called = Clock::now();
      call.make();
      double took = since(called);
      thread.join();
      const char* verdict = released < LONG / 2 ? "is not tested, as the release was over" : took > LONG / 4 ? "waits" : "returns at once";
      printf("%s: %s %s\n", releases[release], call.name, verdict);
      check(cudaDeviceSynchronize());
      call.undo();
      if (release != 0) check(cudaHostUnregister(locked));
      if (release != 1) check(cudaFreeHost(host));
      if (release != 2) check(cudaFree(memory));
      free(locked);
    }
  }
}
CODE
nvcc -std=c++17 -arch=native -o "$folder/release" "$folder/release.cu" 2>/dev/null || { echo "there is no GPU that nvcc knows"; exit 77; }
"$folder/release" >"$folder/seen" || { code=$?; echo "there is no GPU"; exit "$code"; }
diff - "$folder/seen" <<'SEEN' || { echo "this has changed"; exit 1; }
cudaHostUnregister: launch waits
cudaHostUnregister: copy waits
cudaHostUnregister: event record waits
cudaHostUnregister: event create waits
cudaHostUnregister: stream create waits
cudaHostUnregister: host register waits
cudaHostUnregister: event query returns at once
cudaHostUnregister: stream query returns at once
cudaHostUnregister: stream waits for event returns at once
cudaHostUnregister: allocation in a stream returns at once
cudaFreeHost: launch waits
cudaFreeHost: copy waits
cudaFreeHost: event record waits
cudaFreeHost: event create waits
cudaFreeHost: stream create waits
cudaFreeHost: host register waits
cudaFreeHost: event query returns at once
cudaFreeHost: stream query returns at once
cudaFreeHost: stream waits for event returns at once
cudaFreeHost: allocation in a stream returns at once
cudaFree: launch waits
cudaFree: copy waits
cudaFree: event record waits
cudaFree: event create waits
cudaFree: stream create waits
cudaFree: host register waits
cudaFree: event query returns at once
cudaFree: stream query returns at once
cudaFree: stream waits for event returns at once
cudaFree: allocation in a stream returns at once
SEEN
echo "as described: launches of other threads wait until the memory is given back"
