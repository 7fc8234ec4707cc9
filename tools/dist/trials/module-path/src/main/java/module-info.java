// SPDX-License-Identifier: Apache-2.0
module com.example.modules {
  requires org.jhal;

  exports com.example.modules to
      org.jhal.kernels; // which calls the kernel
}
