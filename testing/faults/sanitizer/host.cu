/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host FOLDER NAME ROUNDS: runs the kernels of FOLDER/NAME.cubin as FOLDER/NAME.run says. A line of that file is one of
 *
 *   buffer NAME BYTES [FILE]        a cudaMalloc of this size, filled with FOLDER/FILE before each round, or never
 *   kernel NAME GROUPS_X GROUPS_Y GROUPS_Z ITEMS_X ITEMS_Y ITEMS_Z SHARED      begins the arguments of a kernel
 *   memory NAME                     an argument: the address of a buffer
 *   bytes HEX                       an argument: these bytes
 *   read NAME                       a buffer that is read back at the end of a round
 *
 * A round launches all kernels, one after another, and waits for them. The program prints
 *
 *   ms WALL EVENTS FIRST LAST
 *
 * the milliseconds from the launches to the end of the wait and between the events around the launches (each the least of all rounds but the first, if
 * there are several), and the CRC-32 of what the first and the last round have read. If an operation fails, it prints "failed", the call and CUDA's name
 * of the error, and ends with 1.
 */
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

struct Buffer {
  void* memory;
  size_t size;
  std::vector<char> content;
};

struct Launch {
  cudaKernel_t kernel;
  dim3 groups, items;
  size_t shared;
  std::vector<std::vector<uint64_t>> arguments;  // words, so that they are aligned
};

static void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) {
    printf("failed %s %s\n", what, cudaGetErrorName(status));
    exit(1);
  }
}

[[noreturn]] static void give_up(const std::string& what) {
  fprintf(stderr, "%s\n", what.c_str());
  exit(2);
}

static std::vector<char> content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) give_up("cannot read " + path);
  return std::vector<char>(std::istreambuf_iterator<char>(file), {});
}

static uint32_t crc(uint32_t sum, const std::vector<char>& bytes) {
  sum = ~sum;
  for (char c : bytes) {
    sum ^= (uint8_t)c;
    for (int bit = 0; bit < 8; bit++) sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
  }
  return ~sum;
}

/* An instance of a template has another name in the machine code, and is the only kernel there. */
static cudaKernel_t kernel_of(cudaLibrary_t library, const std::string& name) {
  cudaKernel_t kernel;
  if (cudaLibraryGetKernel(&kernel, library, name.c_str()) == cudaSuccess) return kernel;
  cudaGetLastError();
  unsigned count;
  check(cudaLibraryGetKernelCount(&count, library), "cudaLibraryGetKernelCount");
  if (count != 1) give_up("there is no kernel " + name);
  check(cudaLibraryEnumerateKernels(&kernel, 1, library), "cudaLibraryEnumerateKernels");
  return kernel;
}

static std::vector<uint64_t> words_of(const std::string& hex) {
  std::vector<uint64_t> words(hex.size() / 16 + 1);
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    ((uint8_t*)words.data())[i / 2] = (uint8_t)std::stoi(hex.substr(i, 2), nullptr, 16);
  }
  return words;
}

int main(int argc, char** argv) {
  if (argc != 4) give_up("usage: host FOLDER NAME ROUNDS");
  std::string folder = std::string(argv[1]) + "/", path = folder + argv[2];
  int rounds = atoi(argv[3]);
  cudaLibrary_t library;
  check(cudaLibraryLoadFromFile(&library, (path + ".cubin").c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0), "cudaLibraryLoadFromFile");

  std::map<std::string, Buffer> buffers;
  std::vector<Launch> launches;
  std::vector<std::string> read;
  std::ifstream file(path + ".run");
  if (!file) give_up("cannot read " + path + ".run");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string verb, name, more;
    words >> verb >> name;
    if (verb == "buffer") {
      Buffer buffer;
      words >> buffer.size;
      check(cudaMalloc(&buffer.memory, buffer.size), "cudaMalloc");
      if (words >> more) buffer.content = content_of(folder + more);
      if (!buffer.content.empty() && buffer.content.size() != buffer.size) give_up(more + " has another size");
      buffers[name] = buffer;
    } else if (verb == "kernel") {
      Launch launch;
      words >> launch.groups.x >> launch.groups.y >> launch.groups.z >> launch.items.x >> launch.items.y >> launch.items.z >> launch.shared;
      if (!words) give_up(line);
      launch.kernel = kernel_of(library, name);
      launches.push_back(launch);
    } else if (verb == "memory") {
      launches.back().arguments.push_back({(uint64_t)buffers.at(name).memory});
    } else if (verb == "bytes") {
      launches.back().arguments.push_back(words_of(name));
    } else if (verb == "read") {
      read.push_back(name);
    } else {
      give_up(line);
    }
  }

  cudaEvent_t before, after;
  check(cudaEventCreate(&before), "cudaEventCreate");
  check(cudaEventCreate(&after), "cudaEventCreate");
  double wall = 1e30;
  float events = 1e30f;
  uint32_t first = 0, last = 0;
  for (int round = 0; round < rounds; round++) {
    for (auto& entry : buffers) {
      Buffer& buffer = entry.second;
      if (!buffer.content.empty()) check(cudaMemcpy(buffer.memory, buffer.content.data(), buffer.size, cudaMemcpyHostToDevice), "upload");
    }
    check(cudaDeviceSynchronize(), "upload");

    auto begin = std::chrono::steady_clock::now();
    check(cudaEventRecord(before), "cudaEventRecord");
    for (Launch& launch : launches) {
      std::vector<void*> arguments;
      for (auto& argument : launch.arguments) arguments.push_back(argument.data());
      check(cudaLaunchKernel((const void*)launch.kernel, launch.groups, launch.items, arguments.data(), launch.shared, nullptr), "launch");
    }
    check(cudaEventRecord(after), "cudaEventRecord");
    check(cudaDeviceSynchronize(), "kernel");
    double took = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    float between;
    check(cudaEventElapsedTime(&between, before, after), "cudaEventElapsedTime");
    if (round > 0 || rounds == 1) {
      wall = std::min(wall, took);
      events = std::min(events, between);
    }

    last = 0;
    for (const std::string& name : read) {
      Buffer& buffer = buffers.at(name);
      std::vector<char> content(buffer.size);
      check(cudaMemcpy(content.data(), buffer.memory, buffer.size, cudaMemcpyDeviceToHost), "readback");
      last = crc(last, content);
    }
    if (round == 0) first = last;
  }
  printf("ms %.4f %.4f %08x %08x\n", wall, events, first, last);
  return 0;
}
