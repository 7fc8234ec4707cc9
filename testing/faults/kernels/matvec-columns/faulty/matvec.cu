// SPDX-License-Identifier: Apache-2.0
struct Shape {
  int rows, columns, stride;
};

class Matrix {
  const float* data;
  Shape shape;

 public:
  __device__ Matrix(const float* data, Shape shape) : data(data), shape(shape) {}
  __device__ float at(int row, int column) const {
    return data[row * shape.stride + column];
  }
  __device__ int columns() const { return shape.columns; }
};

// y = A v, a row for each item
extern "C" __global__ void matvec(Shape shape, const float* a, const float* v, float* y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= shape.rows) return;
  Matrix matrix(a, shape);
  float sum = 0;
  for (int c = 0; c <= matrix.columns(); c++) {
    sum += matrix.at(row, c) * v[c];
  }
  y[row] = sum;
}
