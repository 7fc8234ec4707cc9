// SPDX-License-Identifier: Apache-2.0
// The smallest run-time compiler: an image or a log, in the caller's buffers.
#include <stdlib.h>
#include <string.h>

#include "compiler.h"

__attribute__((visibility("default"))) int tinyCompile(const char* source, char* image, size_t* size, char* log,
                                                       size_t log_size) {
  gs_text made = {0}, said = {0};
  gs_headers none = {0};
  int code = gs_compile(source, "tiny.cpp", &none, NULL, 0, &made, &said);
  if (!code && made.length > *size) code = -2;
  if (!code) memcpy(image, made.chars, made.length);
  *size = made.length;
  strncpy(log, said.chars ? said.chars : "", log_size - 1);
  free(made.chars);
  free(said.chars);
  return code;
}
