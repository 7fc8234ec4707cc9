// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.jhal.spring;

import org.jspecify.annotations.NullMarked;
