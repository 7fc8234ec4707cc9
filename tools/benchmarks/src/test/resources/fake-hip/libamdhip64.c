// SPDX-License-Identifier: Apache-2.0
/*
 * As much of the HIP runtime and of HIPRTC as the case hip-calls needs. Its device is the host, and does everything at
 * once. HipCallsTest adds the functions that only have to be there.
 */
#include <stdint.h>
#include <string.h>

static int stream, event, module, function, program;
static int current_device;
static int next_result; /* of hipEventQuery */
static long launches;

void fake_hip_fail(int result) { next_result = result; }
long fake_hip_launches(void) { return launches; }

const char *hipGetErrorName(int result) { return result == 0 ? "hipSuccess" : "hipErrorFake"; }

int hipGetDevice(int *device) {
  *device = current_device;
  return 0;
}

int hipSetDevice(int device) {
  current_device = device;
  return 0;
}

int hipStreamCreateWithFlags(void **out, unsigned flags) {
  *out = &stream;
  return flags == 1 ? 0 : 1;
}

int hipEventCreateWithFlags(void **out, unsigned flags) {
  *out = &event;
  return flags == 2 ? 0 : 1;
}

int hipEventQuery(void *of) { return of == &event ? next_result : 1; }

int hipEventRecord(void *of, void *on) { return of == &event && on == &stream ? 0 : 1; }

int hipMalloc(void **out, size_t size) {
  static uint32_t words[16];
  *out = words;
  return size <= sizeof words ? 0 : 2;
}

int hipMemsetD32Async(void *target, uint32_t value, size_t count, void *on) {
  for (size_t i = 0; i < count; i++) ((uint32_t *)target)[i] = value;
  return on == &stream ? 0 : 1;
}

int hipMemcpyDtoHAsync(void *host, const void *source, size_t size, void *on) {
  memcpy(host, source, size);
  return on == &stream ? 0 : 1;
}

int hipModuleLoadData(void **out, const void *image) {
  *out = &module;
  return strcmp(image, "touch for fake") == 0 ? 0 : 209;
}

int hipModuleGetFunction(void **out, void *in, const char *name) {
  *out = &function;
  return in == &module && strcmp(name, "touch") == 0 ? 0 : 500;
}

int hipModuleLaunchKernel(void *kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void *on, void **parameters, void **extra) {
  int is_one = gx == 1 && gy == 1 && gz == 1 && bx == 1 && by == 1 && bz == 1 && shared == 0;
  if (kernel != &function || on != &stream || !is_one || parameters != NULL) return 1;
  if (extra[0] != (void *)1 || extra[2] != (void *)2 || extra[4] != (void *)3 || *(size_t *)extra[3] != 12) return 1;
  const char *packed = extra[1];
  uint32_t *target;
  memcpy(&target, packed, sizeof target);
  memcpy(target, packed + sizeof target, sizeof *target);
  launches++;
  return 0;
}

int hiprtcCreateProgram(void **out, const char *source, const char *name, int headers, const char **a, const char **b) {
  *out = &program;
  return strstr(source, "touch") && name && !headers && !a && !b ? 0 : 1;
}

int hiprtcCompileProgram(void *of, int count, const char **options) {
  return of == &program && count == 1 && strcmp(options[0], "--gpu-architecture=fake") == 0 ? 0 : 6;
}

int hiprtcGetCodeSize(void *of, size_t *size) {
  *size = strlen("touch for fake");
  return of == &program ? 0 : 4;
}

int hiprtcGetCode(void *of, char *code) {
  memcpy(code, "touch for fake", strlen("touch for fake"));
  return of == &program ? 0 : 4;
}

int hiprtcDestroyProgram(void **of) { return *of == &program ? 0 : 4; }
