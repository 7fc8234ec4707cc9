#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures copies and transfers of a Vulkan device by the driver's kernel and by the runtime's own commands
# (the option copies), beside each other and beside another device, and prints medians and ratios.
#
#   vulkan-copies.sh HAL [PEER]
#
# HAL is the command hal, such as that of an unpacked kit, PEER a device of the same hardware (cuda). VULKAN_DEVICE names
# the Vulkan device (vulkan://0), ROUNDS how often each is measured (5).
set -eu
hal=${1:?"usage: $0 HAL [PEER]"}
peer=${2:-cuda}
device=${VULKAN_DEVICE:-vulkan://0}

# Measures device $1 beside device $2.
measure() {
  echo "== $1 beside $2"
  "$hal" bench --device "$1" --peer "$2" --rounds "${ROUNDS:-5}" --warm-up 300 \
    --case 'transfer-*' --case copy-chain | grep -E '^(copy|transfer)-|^jvm|^device|^peer|GB/s|time |failed|fails' || true
}

measure "$device?copies=kernel" "$device?copies=runtime"
for copies in kernel runtime auto; do
  measure "$device?copies=$copies" "$peer"
done
