// SPDX-License-Identifier: Apache-2.0
// Compiles kernels for the host's processor: what the faces of run-time compilers are made of.
#ifndef GPUSIM_COMPILER_H
#define GPUSIM_COMPILER_H

#include "report.h"

// Files that sources include by name.
typedef struct {
  int count;
  char **names, **texts;
} gs_headers;

// Compiles a source that is called name. The options are those of the host's compiler. Returns 0 and
// the image, or not 0; in both cases what the compiler had to say.
int gs_compile(const char* source, const char* name, const gs_headers* headers, const char* const* options,
               int option_count, gs_text* image, gs_text* log);

// A source and what was made of it, as run-time compilers have them; their result codes are the same too.
enum gs_program_code {
  GS_PROGRAM_OK,
  GS_PROGRAM_OUT_OF_MEMORY,
  GS_PROGRAM_CREATION_FAILURE,
  GS_PROGRAM_INVALID_INPUT,
  GS_PROGRAM_INVALID,
  GS_PROGRAM_INVALID_OPTION,
  GS_PROGRAM_COMPILATION,
  GS_PROGRAM_BUILTIN_OPERATION,
  GS_PROGRAM_NO_EXPRESSIONS_AFTER_COMPILATION,
  GS_PROGRAM_NO_NAMES_BEFORE_COMPILATION,
  GS_PROGRAM_EXPRESSION_NOT_VALID,
};

enum { GS_PROGRAM_OPTIONS = 64 };

// Kernels that are named by expressions, such as instances of templates, and the symbols that they get.
typedef struct {
  int count;
  char **expressions, **symbols;
} gs_instances;

typedef struct {
  unsigned magic;
  char *source, *name;
  gs_headers headers;
  gs_instances instances;
  int has_begun, compiled;
  int has_image;  // for the face: whether there is code for a device, and not for a kind of devices only
  gs_text image, log;
  char* options[GS_PROGRAM_OPTIONS];  // for the host's compiler
  int option_count;
} gs_program;

// What a face's options are.
typedef struct {
  const char* compiler;             // what it calls itself in messages
  const char* const* architecture;  // beginnings of options that choose one, up to their '='; then NULL
  int (*choose)(gs_program* program, const char* architecture);  // whether it is known
  const char* const* ignored;       // beginnings of options without a meaning on the host; then NULL
} gs_dialect;

int gs_program_create(gs_program** result, const char* source, const char* name, int headers,
                      const char* const* texts, const char* const* names);
int gs_program_destroy(gs_program** handle);
int gs_program_compile(gs_program* program, const gs_dialect* dialect, int count, const char* const* options);
// Adds an option for the host's compiler, to the compilation that has begun.
void gs_program_option(gs_program* program, const char* format, ...) __attribute__((format(printf, 2, 3)));
// Before a program is compiled; and the symbol afterwards, which belongs to the program.
int gs_program_add_expression(gs_program* program, const char* expression);
int gs_program_symbol(gs_program* program, const char* expression, const char** symbol);
int gs_program_valid(gs_program* program);
int gs_program_log_size(gs_program* program, size_t* size);
int gs_program_log(gs_program* program, char* to);
// The size is 0 and there is nothing to get if there is not, whichever the face asks for.
int gs_program_image_size(gs_program* program, int is_there, size_t* size);
int gs_program_image(gs_program* program, int is_there, char* to);

int gs_instance_add(gs_instances* instances, const char* expression);
const char* gs_instance_symbol(const gs_instances* instances, const char* expression);  // NULL if it is unknown
void gs_instances_free(gs_instances* instances);
// Makes a function a kernel with a name.
void gs_describe(gs_text* out, const char* name, const char* function);
// Appends to a source what makes its instances kernels.
void gs_instances_write(const gs_instances* instances, gs_text* source);

// Replaces the markers of the prelude in preprocessed text, and appends what tells of the kernels.
void gs_rewrite(const char* text, gs_text* out);

#endif
