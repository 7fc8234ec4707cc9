// SPDX-License-Identifier: Apache-2.0
/*
 * As much of cuBLAS and hipBLAS as the example calls. Its device is the host, and each product is done at once.
 * NAME(function) is what the library calls a function, and AS_IT_IS the operation that leaves a matrix as it is.
 */
#include <stddef.h>

static char the_handle;
static void *the_stream;

/* How often a stream was set since the handle was made. */
int stream_sets;

int NAME(Create)(void **handle) {
  *handle = &the_handle;
  the_stream = NULL;
  stream_sets = 0;
  return 0;
}

int NAME(Destroy)(void *handle) { return handle == &the_handle ? 0 : 1; }

int NAME(SetStream)(void *handle, void *stream) {
  the_stream = stream;
  stream_sets++;
  return handle == &the_handle ? 0 : 1;
}

/* Fails on a stream that was not set. */
int NAME(Sgemm)(void *handle, int operation_a, int operation_b, int m, int n, int k, const float *alpha, const float *a,
                int stride_a, const float *b, int stride_b, const float *beta, float *c, int stride_c) {
  if (handle != &the_handle || the_stream == NULL || operation_a != AS_IT_IS || operation_b != AS_IT_IS) {
    return 7;
  }
  for (int row = 0; row < m; row++) {
    for (int column = 0; column < n; column++) {
      float sum = 0;
      for (int i = 0; i < k; i++) {
        sum += a[row + i * stride_a] * b[i + column * stride_b];
      }
      float *element = &c[row + column * stride_c];
      *element = *alpha * sum + (*beta == 0 ? 0 : *beta * *element);
    }
  }
  return 0;
}
