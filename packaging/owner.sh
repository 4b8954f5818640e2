#!/usr/bin/env bash
# owner.sh FILE: the Debian package that FILE belongs to. The loader finds files by way of /lib, which is /usr/lib; dpkg knows a
# file by one of the two.
set -euo pipefail
path=$(realpath "$1")
for known in "$path" "${path#/usr}"; do
  if owner=$(dpkg-query -S "$known" 2>/dev/null); then
    echo "${owner%%:*}"
    exit
  fi
done
echo "owner.sh: $1 is of no Debian package" >&2
exit 1
