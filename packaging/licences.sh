#!/usr/bin/env bash
# licences.sh NAME STAGE <LIBRARIES: puts the licences of all that is in the package into STAGE/share/doc/NAME: of rankscope, of
# the libraries, whose paths come line by line, and of what is compiled in. (Boost's asks for none with compiled code.)
set -euo pipefail
doc=$2/share/doc/$1
mkdir -p "$doc/licences"
cp LICENSE "$doc/"
cp /usr/share/doc/libcli11-dev/copyright "$doc/licences/libcli11-dev"
cp /usr/share/doc/libtomlplusplus-dev/copyright "$doc/licences/libtomlplusplus-dev"
if [ "$1" = rankscope ]; then
  cp third_party/duckdb/LICENSE "$doc/licences/duckdb"
  cp third_party/tree-sitter-python/LICENSE "$doc/licences/tree-sitter-python"
  cp web/node_modules/preact/LICENSE "$doc/licences/preact"
  cp web/node_modules/@preact/signals/LICENSE "$doc/licences/preact-signals"
  cp /usr/share/doc/libtree-sitter-dev/copyright "$doc/licences/libtree-sitter-dev"
  cp /usr/share/doc/libeigen3-dev/copyright "$doc/licences/libeigen3-dev"
fi
if [ "$1" = rankscope-agent ] && [ -e /usr/share/doc/libbpf-dev/copyright ]; then
  cp /usr/share/doc/libbpf-dev/copyright "$doc/licences/libbpf-dev"
fi
while read -r library; do
  owner=$(packaging/owner.sh "$library")
  cp -L "/usr/share/doc/$owner/copyright" "$doc/licences/$owner"
done
# Texts that Debian's files only point to.
{ grep -ohE '/usr/share/common-licenses/[A-Za-z0-9.+-]*[A-Za-z0-9]' "$doc"/licences/* || true; } | sort -u | while read -r text; do
  mkdir -p "$doc/licences/common-licenses"
  cp -L "$text" "$doc/licences/common-licenses/"
done
