#!/usr/bin/env bash
# package.sh BUILD: makes the packages of BUILD/bin/rankscope, rankscope-agent and librankscope in BUILD/package. `./dev package` builds first.
#
#   rankscope-VERSION-linux-ARCH.tar.gz   a folder to unpack anywhere
#   rankscope_VERSION_ARCH.deb            the same in /usr/lib/rankscope, with what Debian expects in /usr/bin and /usr/share
#   rankscope-VERSION-py3-none-manylinux_2_34_x86_64.whl   the Python package with its library, for pip
#   rankscope-VERSION-linux-ARCH.debug    symbols: gdb -s FILE, or beside bin/rankscope as rankscope.debug; the agent's
#                                         likewise in rankscope-agent-VERSION-...
#
# The same commit with the same compiler and libraries gives the same bytes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$(realpath "$1")
glibc_limit=2.34
version=$(sed -n 's/^project(rankscope VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CMakeLists.txt)}
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC
out=$build/package
name=rankscope-$version-linux-$(uname -m)
stage=$out/$name
rm -rf "$out"
mkdir -p "$stage"

cmake --install "$build" --prefix "$stage" >/dev/null
# What the program needs beyond glibc, as the loader finds it here; DuckDB is installed already.
for library in $(ldd "$stage"/bin/* | awk '$2 == "=>" && !/libduckdb/ { print $3 }'); do
  [ "$(packaging/owner.sh "$library")" = libc6 ] || echo "$library"
done | sort -u >"$out/libraries"
xargs -a "$out/libraries" cp -L -t "$stage/lib"
packaging/licences.sh "$stage" <"$out/libraries"
rm "$out/libraries"
packaging/gcc_runtime.sh "$stage/lib"

for program in rankscope rankscope-agent; do
  objcopy --only-keep-debug "$stage/bin/$program" "$out/$program.debug"
  strip --strip-unneeded "$stage/bin/$program"
  objcopy --add-gnu-debuglink="$out/$program.debug" "$stage/bin/$program"
done
strip --strip-unneeded "$stage"/lib/*
mv "$out/rankscope.debug" "$out/$name.debug"
mv "$out/rankscope-agent.debug" "$out/${name/rankscope/rankscope-agent}.debug"
glibc=$(packaging/check_symbols.py "$glibc_limit" "$stage")

program=$stage/bin/rankscope
share=$stage/share
mkdir -p "$share"/{man/man1,bash-completion/completions,zsh/site-functions,fish/vendor_completions.d}
"$program" manual >"$share/man/man1/rankscope.1"
"$program" completion bash >"$share/bash-completion/completions/rankscope"
"$program" completion zsh >"$share/zsh/site-functions/_rankscope"
"$program" completion fish >"$share/fish/vendor_completions.d/rankscope.fish"
cp CHANGELOG.md "$share/doc/rankscope/"
find "$stage" -type d -exec chmod 755 {} + -o -type f -exec chmod 644 {} +
chmod 755 "$stage"/bin/*

tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --format=gnu -C "$out" -c "$name" |
  gzip -9n >"$out/$name.tar.gz"
packaging/deb.sh "$stage" "$out" "$version" "$glibc"
packaging/wheel.py "$build" "$version" "$stage/share/doc/rankscope"
rm -rf "$stage"
echo "made of rankscope $version, for glibc $glibc or newer:"
(cd "$out" && du -h -- *)
