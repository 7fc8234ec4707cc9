// SPDX-License-Identifier: Apache-2.0
/* Calls of a library of the vendor: matrix products by cuBLAS. */
#include "raw.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *handle;

static handle blas;
static int (*gemm)(handle, int, int, int, int, int, const float *, const float *, int, const float *, int, const float *,
                   float *, int);
static size_t matrix_rows; /* of the matrices below; 0 while there are none */
static CUdeviceptr matrices[3];

static void *need(void *library, const char *name) {
  void *found = dlsym(library, name);
  if (found == NULL) {
    die("cuBLAS has no %s", name);
  }
  return found;
}

static void open_library(void) {
  static const char *names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
  void *library = NULL;
  for (int i = 0; i < 3 && library == NULL; i++) {
    library = dlopen(names[i], RTLD_NOW);
  }
  if (library == NULL) {
    die("%s", dlerror());
  }
  int (*create)(handle *);
  int (*set_stream)(handle, CUstream);
  *(void **)&create = need(library, "cublasCreate_v2");
  *(void **)&set_stream = need(library, "cublasSetStream_v2");
  *(void **)&gemm = need(library, "cublasSgemm_v2");
  if (create(&blas) != 0 || set_stream(blas, stream) != 0) {
    die("cuBLAS cannot be used");
  }
}

/* Matrices of ones, so that every element of the product is the number of rows. */
static void need_matrices(size_t rows) {
  if (rows == matrix_rows) {
    return;
  }
  for (int i = 0; i < 3; i++) {
    if (matrix_rows > 0) {
      CALL(cuMemFree, matrices[i]);
    }
    CALL(cuMemAlloc, &matrices[i], 4 * rows * rows);
  }
  matrix_rows = rows;
  float one = 1;
  unsigned bits;
  memcpy(&bits, &one, sizeof bits);
  for (int i = 0; i < 2; i++) {
    CALL(cuMemsetD32Async, matrices[i], bits, rows * rows, stream);
  }
}

int library_case(const char *name, size_t rows, int steps, long long *sum) {
  if (strcmp(name, "gemm") != 0) {
    return 0;
  }
  if (blas == NULL) {
    open_library();
  }
  need_matrices(rows);
  float one = 1;
  float zero = 0;
  CALL(cuStreamSynchronize, stream);
  long long start = now();
  for (int i = 0; i < steps; i++) {
    int n = (int)rows;
    int status = gemm(blas, 0, 0, n, n, n, &one, (const float *)matrices[1], n, (const float *)matrices[0], n, &zero,
                      (float *)matrices[2], n);
    if (status != 0) {
      die("cublasSgemm: status %d", status);
    }
  }
  CALL(cuStreamSynchronize, stream);
  *sum = now() - start;
  float expected = (float)rows;
  unsigned bits;
  memcpy(&bits, &expected, sizeof bits);
  expect_word(matrices[2] + 4 * (rows * rows - 1), bits);
  return 1;
}
