// SPDX-License-Identifier: Apache-2.0
// The run-time compiler, and what tells which architectures it knows. What it makes is for the simulated runtime: a
// library for the host's processor that stands in for a code object.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"

#define EXPORT __attribute__((visibility("default")))
#define HIPRTC EXPORT int

static const struct {
  const char *name, *features;  // those that may be named with it
  int wavefront;
} ARCHITECTURES[] = {
    {"gfx906", "sramecc xnack", 64}, {"gfx908", "sramecc xnack", 64}, {"gfx90a", "sramecc xnack", 64},
    {"gfx942", "sramecc xnack", 64}, {"gfx1030", "", 32},             {"gfx1100", "", 32},
};
enum { ARCHITECTURE_COUNT = sizeof ARCHITECTURES / sizeof *ARCHITECTURES };

// The index of "gfx90a:sramecc+:xnack-"; -1 if it, or one of the features, is unknown.
static int find(const char* full) {
  char text[64];
  snprintf(text, sizeof text, "%s", full);
  char* rest = strchr(text, ':');
  if (rest) *rest++ = 0;
  for (int i = 0; i < ARCHITECTURE_COUNT; i++) {
    if (strcmp(text, ARCHITECTURES[i].name)) continue;
    while (rest) {
      char* feature = rest;
      rest = strchr(feature, ':');
      if (rest) *rest++ = 0;
      size_t length = strlen(feature);
      if (length < 2 || !strchr("+-", feature[length - 1])) return -1;
      feature[length - 1] = 0;
      if (!strstr(ARCHITECTURES[i].features, feature)) return -1;
    }
    return i;
  }
  return -1;
}

// ---- what knows the architectures: functions of the code object manager ----

#define TARGET "amdgcn-amd-amdhsa--"

HIPRTC amd_comgr_get_isa_count(size_t* count) {
  *count = ARCHITECTURE_COUNT;
  return 0;
}

HIPRTC amd_comgr_get_isa_name(size_t index, const char** name) {
  static char names[ARCHITECTURE_COUNT][64];
  if (index >= ARCHITECTURE_COUNT) return 2;
  snprintf(names[index], sizeof names[index], TARGET "%s", ARCHITECTURES[index].name);
  *name = names[index];
  return 0;
}

HIPRTC amd_comgr_get_isa_metadata(const char* name, uint64_t* metadata) {
  if (strncmp(name, TARGET, strlen(TARGET)) || find(name + strlen(TARGET)) < 0) return 2;
  *metadata = 1;
  return 0;
}

HIPRTC amd_comgr_destroy_metadata(uint64_t metadata) { return metadata == 1 ? 0 : 2; }

// ---- the compiler ----

EXPORT const char* hiprtcGetErrorString(int code) {
  static const char* const texts[] = {"HIPRTC_SUCCESS",
                                      "HIPRTC_ERROR_OUT_OF_MEMORY",
                                      "HIPRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                      "HIPRTC_ERROR_INVALID_INPUT",
                                      "HIPRTC_ERROR_INVALID_PROGRAM",
                                      "HIPRTC_ERROR_INVALID_OPTION",
                                      "HIPRTC_ERROR_COMPILATION",
                                      "HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                      "HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                                      "HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                      "HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID"};
  return code >= 0 && code <= 10 ? texts[code] : "HIPRTC_ERROR_UNKNOWN";
}

HIPRTC hiprtcCreateProgram(gs_program** result, const char* source, const char* name, int headers,
                           const char* const* texts, const char* const* names) {
  return gs_program_create(result, source, name, headers, texts, names);
}

HIPRTC hiprtcDestroyProgram(gs_program** handle) { return gs_program_destroy(handle); }

// As the real one does it.
static int choose(gs_program* p, const char* architecture) {
  int index = find(architecture);
  if (index < 0) {
    fprintf(stderr, "hiprtc: the architecture %s is not known\n", architecture);
    abort();
  }
  p->has_image = 1;
  gs_program_option(p, "-DGPUSIM_ARCHITECTURE=\"%s\"", architecture);
  gs_program_option(p, "-DGPUSIM_WARP_SIZE=%d", ARCHITECTURES[index].wavefront);
  gs_program_option(p, "-D__%s__", ARCHITECTURES[index].name);
  return 1;
}

HIPRTC hiprtcCompileProgram(gs_program* p, int count, const char* const* options) {
  static const char* const chosen[] = {"--gpu-architecture=", "--offload-arch=", NULL};
  static const char* const ignored[] = {"-O", "-std=", "--std=", "-g", "-W", "-f", "-w", "-m", NULL};
  static const gs_dialect hiprtc = {"hiprtc", chosen, choose, ignored};
  if (!gs_program_valid(p)) return GS_PROGRAM_INVALID;
  p->has_image = 0;
  gs_program_option(p, "-D__HIPCC_RTC__");
  gs_program_option(p, "-D__HIP_DEVICE_COMPILE__=1");
  int code = gs_program_compile(p, &hiprtc, count, options);
  if (code == GS_PROGRAM_INVALID_OPTION) return GS_PROGRAM_COMPILATION;  // the real one does not tell them apart
  return code || p->has_image ? code : GS_PROGRAM_COMPILATION;           // nothing chose an architecture
}

HIPRTC hiprtcAddNameExpression(gs_program* p, const char* expression) {
  return gs_program_add_expression(p, expression);
}
HIPRTC hiprtcGetLoweredName(gs_program* p, const char* expression, const char** symbol) {
  return gs_program_symbol(p, expression, symbol);
}

HIPRTC hiprtcGetCodeSize(gs_program* p, size_t* size) { return gs_program_image_size(p, p && p->has_image, size); }
HIPRTC hiprtcGetCode(gs_program* p, char* to) { return gs_program_image(p, p && p->has_image, to); }
HIPRTC hiprtcGetProgramLogSize(gs_program* p, size_t* size) { return gs_program_log_size(p, size); }
HIPRTC hiprtcGetProgramLog(gs_program* p, char* to) { return gs_program_log(p, to); }
