/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host SOURCE.cl SOURCE.run [FOLDER]: runs kernels in OpenCL C on the first device, and prints the milliseconds of their execution.
 * The content of all buffers is written to FOLDER/NAME.bin. A line of the second file is one of
 *
 *   kernel NAME GLOBAL_X GLOBAL_Y LOCAL_X LOCAL_Y     begins the arguments of a kernel
 *   buffer NAME TYPE COUNT none|index|noise|noise N|holes N|bits|value V      as in faults.json; a name is one buffer for all kernels
 *   i32|u32|f32|f64 VALUE
 *   ints VALUE ...                                    a struct
 *   local BYTES
 *   run
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST 16

struct buffer {
  char name[64];
  size_t size;
  cl_mem memory;
};

static struct buffer buffers[MOST];
static int buffer_count;
static cl_context context;
static cl_command_queue queue;

static void check(cl_int status, const char* what) {
  if (status != CL_SUCCESS) {
    fprintf(stderr, "%s: OpenCL error %d\n", what, (int)status);
    exit(2);
  }
}

static size_t type_size(const char* type) {
  return (size_t)atoi(type + 1) / 8;
}

/* As org.jhal.faults.Values. */
static double value(const char* kind, double limit, uint64_t i) {
  uint64_t bits = i * 2654435761u & 0xffffffffu, h = bits >> 8;
  if (!strcmp(kind, "index")) return (double)i;
  if (!strcmp(kind, "value")) return limit;
  if (!strcmp(kind, "bits")) return (double)bits;
  if (!strcmp(kind, "holes")) {
    uint64_t below = (uint64_t)limit, v = h % (2 * below);
    return v < below ? (double)v : -1;
  }
  return isnan(limit) ? (double)(h >> 13) / 2048 : (double)(h % (uint64_t)limit);
}

static void put(char* at, const char* type, double v) {
  switch (type[0] == 'f' ? type_size(type) * 16 : type_size(type)) {
    case 1: { uint8_t x = (uint8_t)(int64_t)v; memcpy(at, &x, 1); break; }
    case 2: { uint16_t x = (uint16_t)(int64_t)v; memcpy(at, &x, 2); break; }
    case 4: { uint32_t x = (uint32_t)(int64_t)v; memcpy(at, &x, 4); break; }
    case 8: { int64_t x = (int64_t)v; memcpy(at, &x, 8); break; }
    case 64: { float x = (float)v; memcpy(at, &x, 4); break; }
    default: memcpy(at, &v, 8);
  }
}

static struct buffer* find(const char* name, const char* type, size_t count, const char* kind, double limit) {
  for (int b = 0; b < buffer_count; b++) {
    if (!strcmp(buffers[b].name, name)) return &buffers[b];
  }
  struct buffer* made = &buffers[buffer_count++];
  snprintf(made->name, sizeof made->name, "%s", name);
  made->size = count * type_size(type);
  cl_int status;
  made->memory = clCreateBuffer(context, CL_MEM_READ_WRITE, made->size, NULL, &status);
  check(status, "clCreateBuffer");
  if (strcmp(kind, "none")) {
    char* bytes = malloc(made->size);
    for (size_t i = 0; i < count; i++) put(bytes + i * type_size(type), type, value(kind, limit, i));
    check(clEnqueueWriteBuffer(queue, made->memory, CL_TRUE, 0, made->size, bytes, 0, NULL, NULL), "write");
    free(bytes);
  }
  return made;
}

static char* text_of(const char* path) {
  FILE* file = fopen(path, "rb");
  if (!file) {
    perror(path);
    exit(2);
  }
  char* text = calloc(1, 1 << 20);
  if (fread(text, 1, (1 << 20) - 1, file) == 0) exit(2);
  fclose(file);
  return text;
}

static cl_program build(const char* path, cl_device_id device) {
  const char* text = text_of(path);
  cl_int status;
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
  check(status, "clCreateProgramWithSource");
  if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS) {
    static char log[1 << 16];
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fprintf(stderr, "%s\n", log);
    exit(2);
  }
  return program;
}

static double milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: host SOURCE.cl SOURCE.run [FOLDER]\n");
    return 2;
  }
  cl_platform_id platform;
  cl_device_id device;
  cl_int status;
  check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  check(status, "clCreateContext");
  queue = clCreateCommandQueue(context, device, 0, &status);
  check(status, "clCreateCommandQueue");
  cl_program program = build(argv[1], device);

  cl_kernel kernel = NULL;
  cl_uint argument = 0;
  size_t global[2], local[2];
  double total = 0;
  const char* repeat = getenv("REPEAT");
  int times = repeat ? atoi(repeat) : 1;
  for (char* line = strtok(text_of(argv[2]), "\n"); line; line = strtok(NULL, "\n")) {
    char name[64], type[16], kind[16];
    size_t count;
    int used;
    double number = NAN;
    if (sscanf(line, "kernel %63s %zu %zu %zu %zu", name, &global[0], &global[1], &local[0], &local[1]) == 5) {
      kernel = clCreateKernel(program, name, &status);
      check(status, name);
      argument = 0;
    } else if (sscanf(line, "buffer %63s %15s %zu %15s %lf", name, type, &count, kind, &number) >= 4) {
      struct buffer* buffer = find(name, type, count, kind, number);
      check(clSetKernelArg(kernel, argument++, sizeof(cl_mem), &buffer->memory), line);
    } else if (sscanf(line, "local %zu", &count) == 1) {
      check(clSetKernelArg(kernel, argument++, count, NULL), line);
    } else if (!strncmp(line, "ints ", 5)) {
      int32_t numbers[MOST];
      int n = 0, v;
      for (char* rest = line + 5; sscanf(rest, "%d%n", &v, &used) == 1; rest += used) numbers[n++] = v;
      check(clSetKernelArg(kernel, argument++, n * sizeof(int32_t), numbers), line);
    } else if (!strcmp(line, "run")) {
      for (int time = 0; time < times; time++) {
        double begin = milliseconds();
        check(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
        check(clFinish(queue), "clFinish");
        double took = milliseconds() - begin;
        if (times > 1) fprintf(stderr, "%.3f ", took);
        total += took;
      }
    } else if (sscanf(line, "%15s %lf", type, &number) == 2) {
      char bytes[8];
      put(bytes, type, number);
      check(clSetKernelArg(kernel, argument++, type_size(type), bytes), line);
    } else {
      fprintf(stderr, "not understood: %s\n", line);
      return 2;
    }
  }
  printf("%.3f\n", total);

  for (int b = 0; argc > 3 && b < buffer_count; b++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.bin", argv[3], buffers[b].name);
    char* bytes = malloc(buffers[b].size);
    check(clEnqueueReadBuffer(queue, buffers[b].memory, CL_TRUE, 0, buffers[b].size, bytes, 0, NULL, NULL), "read");
    FILE* file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, buffers[b].size, file) != buffers[b].size) return 2;
    fclose(file);
    free(bytes);
  }
  return 0;
}
