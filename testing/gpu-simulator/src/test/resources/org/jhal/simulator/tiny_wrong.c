// SPDX-License-Identifier: Apache-2.0
// A face that does not compile.
#error "on purpose"
