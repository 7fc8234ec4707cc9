// Compiles kernels for the host's processor: what the faces of run-time compilers are made of.
#ifndef GPUSIM_COMPILER_H
#define GPUSIM_COMPILER_H

#include "report.h"

// Compiles a source that is called name. The options are those of the host's compiler. Returns 0 and
// the image, or not 0; in both cases what the compiler had to say.
int gs_compile(const char* source, const char* name, const char* const* options, int option_count, gs_text* image,
               gs_text* log);

// Replaces the markers of the prelude in preprocessed text, and appends what tells of the kernels.
void gs_rewrite(const char* text, gs_text* out);

#endif
