// The run-time compiler: what it makes is for the simulated driver library, under both of its names.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"

#define NVRTC __attribute__((visibility("default"))) int

enum {
  SUCCESS,
  OUT_OF_MEMORY,
  PROGRAM_CREATION_FAILURE,
  INVALID_INPUT,
  INVALID_PROGRAM,
  INVALID_OPTION,
  COMPILATION,
};
enum { MAGIC = 0x5E17C0DE, OPTIONS = 64 };

typedef struct {
  unsigned magic;
  char *source, *name;
  int compiled, virtual_architecture;
  gs_text image, log;
} program;

static const int ARCHITECTURES[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
enum { ARCHITECTURE_COUNT = sizeof ARCHITECTURES / sizeof *ARCHITECTURES };

NVRTC nvrtcVersion(int* major, int* minor) {
  if (!major || !minor) return INVALID_INPUT;
  *major = 13;
  *minor = 0;
  return SUCCESS;
}

__attribute__((visibility("default"))) const char* nvrtcGetErrorString(int code) {
  static const char* const texts[] = {"NVRTC_SUCCESS",
                                      "NVRTC_ERROR_OUT_OF_MEMORY",
                                      "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                      "NVRTC_ERROR_INVALID_INPUT",
                                      "NVRTC_ERROR_INVALID_PROGRAM",
                                      "NVRTC_ERROR_INVALID_OPTION",
                                      "NVRTC_ERROR_COMPILATION",
                                      "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE"};
  return code >= 0 && code <= 7 ? texts[code] : "NVRTC_ERROR unknown";
}

NVRTC nvrtcGetNumSupportedArchs(int* count) {
  if (!count) return INVALID_INPUT;
  *count = ARCHITECTURE_COUNT;
  return SUCCESS;
}

NVRTC nvrtcGetSupportedArchs(int* architectures) {
  if (!architectures) return INVALID_INPUT;
  memcpy(architectures, ARCHITECTURES, sizeof ARCHITECTURES);
  return SUCCESS;
}

NVRTC nvrtcCreateProgram(program** result, const char* source, const char* name, int headers, const char* const* texts,
                         const char* const* names) {
  (void)texts;
  (void)names;
  if (!result || !source) return INVALID_INPUT;
  if (headers) return PROGRAM_CREATION_FAILURE;  // headers from memory are not simulated
  program* p = calloc(1, sizeof *p);
  p->magic = MAGIC;
  p->source = strdup(source);
  p->name = strdup(name && *name ? name : "default_program");
  *result = p;
  return SUCCESS;
}

NVRTC nvrtcDestroyProgram(program** handle) {
  if (!handle || !*handle || (*handle)->magic != MAGIC) return INVALID_PROGRAM;
  program* p = *handle;
  p->magic = 0;
  free(p->source);
  free(p->name);
  free(p->image.chars);
  free(p->log.chars);
  free(p);
  *handle = NULL;
  return SUCCESS;
}

static int begins(const char* text, const char* prefix) { return !strncmp(text, prefix, strlen(prefix)); }

// "sm_90", "compute_90a": whether it is one, and which kind.
static int architecture(program* p, const char* text) {
  int virtual = begins(text, "compute_");
  if (!virtual && !begins(text, "sm_")) return 0;
  int number = atoi(strchr(text, '_') + 1);
  p->virtual_architecture = virtual;
  for (int i = 0; i < ARCHITECTURE_COUNT; i++) {
    if (ARCHITECTURES[i] == number) return 1;
  }
  return 0;
}

// Options without a meaning on the host.
static int ignored(const char* option) {
  static const char* const known[] = {"--fmad",      "-fmad",         "--use_fast_math", "-use_fast_math", "-lineinfo",
                                      "--generate-line-info", "-G",   "--device-debug",  "-default-device",
                                      "--device-as-default-execution-space", "-rdc", "--relocatable-device-code",
                                      "--maxrregcount", "-maxrregcount", "-dw", "--ftz", "-ftz", "--prec-div",
                                      "-prec-div", "--prec-sqrt", "-prec-sqrt", "--extra-device-vectorization",
                                      "--restrict", "-restrict", "-w", "--disable-warnings", "-std=", "--std=", "-time",
                                      "-dopt", "--dopt", "-Xptxas", "--ptxas-options", "-diag-suppress",
                                      "--diag-suppress", "-err-no", "--display-error-number"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (begins(option, known[i])) return 1;
  }
  return 0;
}

static int translate(program* p, int count, const char* const* options, char** out, int* out_count) {
  for (int i = 0; i < count; i++) {
    const char* option = options[i];
    const char* value = strchr(option, '=');
    const char* define = begins(option, "--define-macro=") ? value + 1 : begins(option, "-D") ? option + 2 : NULL;
    if (define && !*define && i + 1 < count) define = options[++i];
    if (begins(option, "-arch=") || begins(option, "--gpu-architecture=")) {
      if (!architecture(p, value + 1)) {
        gs_text_add(&p->log, "nvrtc: error: invalid value for --gpu-architecture (-arch)\n");
        return INVALID_OPTION;
      }
    } else if (define && *out_count < OPTIONS) {
      char* text = malloc(strlen(define) + 3);
      sprintf(text, "-D%s", define);
      out[(*out_count)++] = text;
    } else if (!ignored(option)) {
      gs_text_add(&p->log, "nvrtc: error: unrecognized option %s found\n", option);
      return INVALID_OPTION;
    }
  }
  return SUCCESS;
}

NVRTC nvrtcCompileProgram(program* p, int count, const char* const* options) {
  if (!p || p->magic != MAGIC) return INVALID_PROGRAM;
  char* host[OPTIONS + 1];
  int host_count = 0;
  p->log.length = p->image.length = 0;
  p->compiled = 0;
  host[host_count++] = strdup("-D__CUDACC_RTC__");
  host[host_count++] = strdup("-D__CUDA_ARCH__=900");
  int code = translate(p, count, options, host, &host_count);
  if (!code) {
    code = gs_compile(p->source, p->name, (const char* const*)host, host_count, &p->image, &p->log) ? COMPILATION
                                                                                                    : SUCCESS;
  }
  p->compiled = code == SUCCESS;
  while (host_count) free(host[--host_count]);
  return code;
}

static int size_of(program* p, size_t* size, size_t value) {
  if (!p || p->magic != MAGIC) return INVALID_PROGRAM;
  if (!size) return INVALID_INPUT;
  *size = value;
  return SUCCESS;
}

static int copy_of(program* p, char* to, int compiled) {
  if (!p || p->magic != MAGIC || !compiled) return INVALID_PROGRAM;
  if (!to) return INVALID_INPUT;
  memcpy(to, p->image.chars, p->image.length);
  return SUCCESS;
}

NVRTC nvrtcGetPTXSize(program* p, size_t* size) { return size_of(p, size, p && p->compiled ? p->image.length : 0); }
NVRTC nvrtcGetPTX(program* p, char* to) { return copy_of(p, to, p && p->compiled); }

// There is none for a virtual architecture.
NVRTC nvrtcGetCUBINSize(program* p, size_t* size) {
  return size_of(p, size, p && p->compiled && !p->virtual_architecture ? p->image.length : 0);
}

NVRTC nvrtcGetCUBIN(program* p, char* to) { return copy_of(p, to, p && p->compiled && !p->virtual_architecture); }

NVRTC nvrtcGetProgramLogSize(program* p, size_t* size) { return size_of(p, size, p ? p->log.length + 1 : 0); }

NVRTC nvrtcGetProgramLog(program* p, char* to) {
  if (!p || p->magic != MAGIC) return INVALID_PROGRAM;
  if (!to) return INVALID_INPUT;
  memcpy(to, p->log.chars ? p->log.chars : "", p->log.length);
  to[p->log.length] = 0;
  return SUCCESS;
}
