// SPDX-License-Identifier: Apache-2.0
// Programs of run-time compilers: sources, their options, and what came of them.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"

enum { MAGIC = 0x5E17C0DE };

int gs_program_valid(gs_program* p) { return p && p->magic == MAGIC; }

static char** copy(int count, const char* const* texts) {
  char** copies = calloc((size_t)count + 1, sizeof *copies);
  for (int i = 0; i < count; i++) copies[i] = strdup(texts[i]);
  return copies;
}

static void release(int count, char** copies) {
  for (int i = 0; i < count; i++) free(copies[i]);
  free(copies);
}

int gs_program_create(gs_program** result, const char* source, const char* name, int headers,
                      const char* const* texts, const char* const* names) {
  if (!result || !source || headers < 0 || (headers && (!texts || !names))) return GS_PROGRAM_INVALID_INPUT;
  for (int i = 0; i < headers; i++) {
    if (!texts[i] || !names[i]) return GS_PROGRAM_INVALID_INPUT;
    if (*names[i] == '/' || strstr(names[i], "..")) return GS_PROGRAM_CREATION_FAILURE;  // would be outside a folder
  }
  gs_program* p = calloc(1, sizeof *p);
  p->magic = MAGIC;
  p->source = strdup(source);
  p->name = strdup(name && *name ? name : "default_program");
  p->headers = (gs_headers){headers, copy(headers, names), copy(headers, texts)};
  *result = p;
  return GS_PROGRAM_OK;
}

static void clear_options(gs_program* p) {
  while (p->option_count) free(p->options[--p->option_count]);
}

int gs_program_destroy(gs_program** handle) {
  if (!handle || !gs_program_valid(*handle)) return GS_PROGRAM_INVALID;
  gs_program* p = *handle;
  p->magic = 0;
  clear_options(p);
  free(p->source);
  free(p->name);
  release(p->headers.count, p->headers.names);
  release(p->headers.count, p->headers.texts);
  gs_instances_free(&p->instances);
  free(p->image.chars);
  free(p->log.chars);
  free(p);
  *handle = NULL;
  return GS_PROGRAM_OK;
}

void gs_program_option(gs_program* p, const char* format, ...) {
  if (p->option_count == GS_PROGRAM_OPTIONS) return;
  va_list list;
  va_start(list, format);
  if (vasprintf(&p->options[p->option_count], format, list) >= 0) p->option_count++;
  va_end(list);
}

static int begins(const char* text, const char* prefix) { return !strncmp(text, prefix, strlen(prefix)); }

static const char* find(const char* const* prefixes, const char* option) {
  for (; *prefixes; prefixes++) {
    if (begins(option, *prefixes)) return *prefixes;
  }
  return NULL;
}

static int translate(gs_program* p, const gs_dialect* dialect, int count, const char* const* options) {
  for (int i = 0; i < count; i++) {
    const char* option = options[i];
    const char* architecture = find(dialect->architecture, option);
    const char* define = begins(option, "--define-macro=") ? strchr(option, '=') + 1
                         : begins(option, "-D")            ? option + 2
                                                           : NULL;
    if (define && !*define && i + 1 < count) define = options[++i];
    if (architecture) {
      if (!dialect->choose(p, option + strlen(architecture))) {
        gs_text_add(&p->log, "%s: error: invalid value in %s\n", dialect->compiler, option);
        return GS_PROGRAM_INVALID_OPTION;
      }
    } else if (define) {
      gs_program_option(p, "-D%s", define);
    } else if (!find(dialect->ignored, option)) {
      gs_text_add(&p->log, "%s: error: unrecognized option %s found\n", dialect->compiler, option);
      return GS_PROGRAM_INVALID_OPTION;
    }
  }
  return GS_PROGRAM_OK;
}

int gs_program_compile(gs_program* p, const gs_dialect* dialect, int count, const char* const* options) {
  if (!gs_program_valid(p)) return GS_PROGRAM_INVALID;
  p->log.length = p->image.length = 0;
  p->compiled = 0;
  p->has_begun = 1;
  int code = translate(p, dialect, count, options);
  gs_text source = {0};
  gs_text_append(&source, p->source, strlen(p->source));
  gs_instances_write(&p->instances, &source);
  if (!code &&
      gs_compile(source.chars, p->name, &p->headers, (const char* const*)p->options, p->option_count, &p->image,
                 &p->log)) {
    code = GS_PROGRAM_COMPILATION;
  }
  p->compiled = code == GS_PROGRAM_OK;
  free(source.chars);
  clear_options(p);
  return code;
}

int gs_program_add_expression(gs_program* p, const char* expression) {
  if (!gs_program_valid(p)) return GS_PROGRAM_INVALID;
  if (!expression) return GS_PROGRAM_INVALID_INPUT;
  if (p->has_begun) return GS_PROGRAM_NO_EXPRESSIONS_AFTER_COMPILATION;
  return gs_instance_add(&p->instances, expression) ? GS_PROGRAM_OUT_OF_MEMORY : GS_PROGRAM_OK;
}

int gs_program_symbol(gs_program* p, const char* expression, const char** symbol) {
  if (!gs_program_valid(p)) return GS_PROGRAM_INVALID;
  if (!expression || !symbol) return GS_PROGRAM_INVALID_INPUT;
  if (!p->compiled) return GS_PROGRAM_NO_NAMES_BEFORE_COMPILATION;
  *symbol = gs_instance_symbol(&p->instances, expression);
  return *symbol ? GS_PROGRAM_OK : GS_PROGRAM_EXPRESSION_NOT_VALID;
}

static int size_of(gs_program* p, size_t* size, size_t value) {
  if (!gs_program_valid(p)) return GS_PROGRAM_INVALID;
  if (!size) return GS_PROGRAM_INVALID_INPUT;
  *size = value;
  return GS_PROGRAM_OK;
}

int gs_program_image_size(gs_program* p, int is_there, size_t* size) {
  return size_of(p, size, gs_program_valid(p) && p->compiled && is_there ? p->image.length : 0);
}

int gs_program_image(gs_program* p, int is_there, char* to) {
  if (!gs_program_valid(p) || !p->compiled || !is_there) return GS_PROGRAM_INVALID;
  if (!to) return GS_PROGRAM_INVALID_INPUT;
  memcpy(to, p->image.chars, p->image.length);
  return GS_PROGRAM_OK;
}

int gs_program_log_size(gs_program* p, size_t* size) {
  return size_of(p, size, gs_program_valid(p) ? p->log.length + 1 : 0);
}

int gs_program_log(gs_program* p, char* to) {
  if (!gs_program_valid(p)) return GS_PROGRAM_INVALID;
  if (!to) return GS_PROGRAM_INVALID_INPUT;
  memcpy(to, p->log.chars ? p->log.chars : "", p->log.length);
  to[p->log.length] = 0;
  return GS_PROGRAM_OK;
}
