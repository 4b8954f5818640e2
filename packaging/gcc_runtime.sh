#!/usr/bin/env bash
# gcc_runtime.sh FOLDER: puts libstdc++.so.6 and libgcc_s.so.1 into FOLDER, linked from Debian's own archives of GCC's code.
#
# Debian's shared ones need glibc 2.36 and 2.35, each for one function. Those two functions are defined in gcc_runtime/, so that
# what is shipped runs with glibc 2.34, that of RHEL 9 and older than Ubuntu 22.04's. Left out of libstdc++ is what only programs
# built by a GCC of 2012 or before ask for; check_symbols.py finds anything that is missed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/gcc_runtime"
out=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

file_of() { g++ -print-file-name="$1"; }
compile() { g++ -std=c++20 -O2 -fPIC -fvisibility=hidden -fno-exceptions -c "$1.cc" -o "$work/$1.o"; }
# link SONAME SCRIPT INPUT...
link() {
  g++ -shared -nostdlib -o "$out/$1" -Wl,-soname,"$1" -Wl,--version-script="$2" -Wl,-z,defs -Wl,-z,relro -Wl,--hash-style=gnu \
    -Wl,--build-id=none "$(file_of crti.o)" "$(file_of crtbeginS.o)" "${@:3}" "$(file_of crtendS.o)" "$(file_of crtn.o)"
}

# In the archives libgcc's functions are hidden, so each that Debian's library exports gets another name, and a jump from its own
# name to that. (Symbols in brackets are for programs linked long ago.)
objdump -T "$(file_of libgcc_s.so.1)" |
  awk '/ g +DF / && !/\*UND\*/ && !/\(/ { print $NF, $(NF - 1) }' | LC_ALL=C sort >"$work/exports"
awk '{ print $1, "hidden" $1 }' "$work/exports" >"$work/renames"
awk '{ printf ".globl %s\n.type %s, @function\n%s: jmp hidden%s\n", $1, $1, $1, $1 }
     END { print ".section .note.GNU-stack, \"\", @progbits" }' "$work/exports" >"$work/jumps.s"
awk '{ names[$2] = names[$2] $1 "; " }
     END { for (version in names) printf "%s { global: %s};\n", version, names[version]; print "none { local: *; };" }' \
  "$work/exports" >"$work/versions"
g++ -c "$work/jumps.s" -o "$work/jumps.o"
for archive in libgcc libgcc_eh; do
  objcopy --redefine-syms="$work/renames" "$(file_of $archive.a)" "$work/$archive.a"
done
compile dl_find_object
link libgcc_s.so.1 "$work/versions" "$work/jumps.o" -Wl,--start-group "$work/libgcc_eh.a" "$work/libgcc.a" -Wl,--end-group \
  "$work/dl_find_object.o" -lc

compile arc4random
compile condition_variable
link libstdc++.so.6 "$(file_of libstdc++_pic.map)" -Wl,--whole-archive "$(file_of libstdc++_pic.a)" -Wl,--no-whole-archive \
  "$work/condition_variable.o" "$(file_of libstdc++.a)" "$work/arc4random.o" -lm -lc "$out/libgcc_s.so.1" \
  "$(file_of libgcc.a)" -lc "$(file_of ld-linux-x86-64.so.2)"
