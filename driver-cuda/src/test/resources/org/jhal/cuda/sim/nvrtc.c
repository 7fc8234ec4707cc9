// SPDX-License-Identifier: Apache-2.0
// The run-time compiler: what it makes is for the simulated driver library, under both of its names.
#include <stdlib.h>
#include <string.h>

#include "compiler.h"

#define NVRTC __attribute__((visibility("default"))) int

#ifndef NVRTC_VERSION
#define NVRTC_VERSION 13000
#define NVRTC_ARCHITECTURES 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121
#endif

static const int ARCHITECTURES[] = {NVRTC_ARCHITECTURES};
enum { ARCHITECTURE_COUNT = sizeof ARCHITECTURES / sizeof *ARCHITECTURES };

NVRTC nvrtcVersion(int* major, int* minor) {
  if (!major || !minor) return GS_PROGRAM_INVALID_INPUT;
  *major = NVRTC_VERSION / 1000;
  *minor = NVRTC_VERSION % 1000 / 10;
  return GS_PROGRAM_OK;
}

__attribute__((visibility("default"))) const char* nvrtcGetErrorString(int code) {
  static const char* const texts[] = {"NVRTC_SUCCESS",
                                      "NVRTC_ERROR_OUT_OF_MEMORY",
                                      "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                      "NVRTC_ERROR_INVALID_INPUT",
                                      "NVRTC_ERROR_INVALID_PROGRAM",
                                      "NVRTC_ERROR_INVALID_OPTION",
                                      "NVRTC_ERROR_COMPILATION",
                                      "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                      "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                                      "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                      "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID"};
  return code >= 0 && code <= 10 ? texts[code] : "NVRTC_ERROR unknown";
}

NVRTC nvrtcGetNumSupportedArchs(int* count) {
  if (!count) return GS_PROGRAM_INVALID_INPUT;
  *count = ARCHITECTURE_COUNT;
  return GS_PROGRAM_OK;
}

NVRTC nvrtcGetSupportedArchs(int* architectures) {
  if (!architectures) return GS_PROGRAM_INVALID_INPUT;
  memcpy(architectures, ARCHITECTURES, sizeof ARCHITECTURES);
  return GS_PROGRAM_OK;
}

NVRTC nvrtcCreateProgram(gs_program** result, const char* source, const char* name, int headers,
                         const char* const* texts, const char* const* names) {
  return gs_program_create(result, source, name, headers, texts, names);
}

NVRTC nvrtcDestroyProgram(gs_program** handle) { return gs_program_destroy(handle); }

// "sm_90", "compute_90a"
static int choose(gs_program* p, const char* architecture) {
  int virtual = !strncmp(architecture, "compute_", 8);
  if (!virtual && strncmp(architecture, "sm_", 3)) return 0;
  p->has_image = !virtual;
  gs_program_option(p, "-DGPUSIM_TEXT=%d", virtual);
  int number = atoi(strchr(architecture, '_') + 1);
  for (int i = 0; i < ARCHITECTURE_COUNT; i++) {
    if (ARCHITECTURES[i] == number) return 1;
  }
  return 0;
}

NVRTC nvrtcCompileProgram(gs_program* p, int count, const char* const* options) {
  static const char* const chosen[] = {"-arch=", "--gpu-architecture=", NULL};
  static const char* const ignored[] = {"--fmad", "-fmad", "--use_fast_math", "-use_fast_math", "-lineinfo",
                                        "--generate-line-info", "-G", "--device-debug", "-default-device",
                                        "--device-as-default-execution-space", "-rdc", "--relocatable-device-code",
                                        "--maxrregcount", "-maxrregcount", "-dw", "--ftz", "-ftz", "--prec-div",
                                        "-prec-div", "--prec-sqrt", "-prec-sqrt", "--extra-device-vectorization",
                                        "--restrict", "-restrict", "-w", "--disable-warnings", "-std=", "--std=", "-time",
                                        "-dopt", "--dopt", "-Xptxas", "--ptxas-options", "-diag-suppress",
                                        "--diag-suppress", "-err-no", "--display-error-number", NULL};
  static const gs_dialect nvrtc = {"nvrtc", chosen, choose, ignored};
  if (!gs_program_valid(p)) return GS_PROGRAM_INVALID;
  p->has_image = 1;
  gs_program_option(p, "-D__CUDACC_RTC__");
  gs_program_option(p, "-DGPUSIM_TOOLKIT=%d", NVRTC_VERSION);
  gs_program_option(p, "-D__CUDA_ARCH__=900");
  return gs_program_compile(p, &nvrtc, count, options);
}

NVRTC nvrtcAddNameExpression(gs_program* p, const char* expression) { return gs_program_add_expression(p, expression); }
NVRTC nvrtcGetLoweredName(gs_program* p, const char* expression, const char** symbol) {
  return gs_program_symbol(p, expression, symbol);
}

NVRTC nvrtcGetPTXSize(gs_program* p, size_t* size) { return gs_program_image_size(p, 1, size); }
NVRTC nvrtcGetPTX(gs_program* p, char* to) { return gs_program_image(p, 1, to); }

// There is none for a virtual architecture.
NVRTC nvrtcGetCUBINSize(gs_program* p, size_t* size) { return gs_program_image_size(p, p && p->has_image, size); }
NVRTC nvrtcGetCUBIN(gs_program* p, char* to) { return gs_program_image(p, p && p->has_image, to); }

NVRTC nvrtcGetProgramLogSize(gs_program* p, size_t* size) { return gs_program_log_size(p, size); }
NVRTC nvrtcGetProgramLog(gs_program* p, char* to) { return gs_program_log(p, to); }
