#!/usr/bin/env bash
# package.sh BUILD: makes the packages of BUILD/bin/rankscope, rankscope-agent and librankscope in BUILD/package. `./dev package` builds first.
#
#   rankscope-VERSION-linux-ARCH.tar.gz   a folder to unpack anywhere
#   rankscope_VERSION_ARCH.deb            the same in /usr/lib/rankscope, with what Debian expects in /usr/bin and /usr/share
#   rankscope-VERSION-py3-none-manylinux_2_34_x86_64.whl   the Python package with its library, for pip
#   rankscope-agent-VERSION-linux-ARCH.tar.gz, rankscope-agent_VERSION_ARCH.deb, rankscope-agent-VERSION-1.ARCH.rpm
#                                         the daemon of hosts alone, the last two with its unit and its settings
#   NAME-VERSION-linux-ARCH.debug         symbols: gdb -s FILE, or beside bin/NAME as NAME.debug
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
rm -rf "$out"
mkdir -p "$out/runtime"
packaging/gcc_runtime.sh "$out/runtime"

stage_of() { echo "$out/$1-$version-linux-$(uname -m)"; }

# stage NAME INSTALL_OPTION...: the program with all that it needs beyond glibc, as the loader finds it here; DuckDB is installed already.
stage() {
  local name=$1 stage
  stage=$(stage_of "$name")
  mkdir -p "$stage/lib"
  cmake --install "$build" --prefix "$stage" "${@:2}" >/dev/null
  for library in $(ldd "$stage/bin/$name" | awk '$2 == "=>" && !/libduckdb/ { print $3 }'); do
    [ "$(packaging/owner.sh "$library")" = libc6 ] || echo "$library"
  done | sort -u >"$out/libraries"
  xargs -a "$out/libraries" cp -L -t "$stage/lib"
  packaging/licences.sh "$name" "$stage" <"$out/libraries"
  rm "$out/libraries"
  cp "$out"/runtime/* "$stage/lib/"
  objcopy --only-keep-debug "$stage/bin/$name" "$out/$name.debug"
  strip --strip-unneeded "$stage/bin/$name" "$stage"/lib/*
  objcopy --add-gnu-debuglink="$out/$name.debug" "$stage/bin/$name"
  mv "$out/$name.debug" "$stage.debug"
  cp CHANGELOG.md "$stage/share/doc/$name/"
}

# pack NAME: the tar.gz and the .deb of what is staged; the folder of the latter stays.
pack() {
  local name=$1 stage glibc
  stage=$(stage_of "$name")
  glibc=$(packaging/check_symbols.py "$glibc_limit" "$stage")
  find "$stage" -type d -exec chmod 755 {} + -o -type f -exec chmod 644 {} +
  chmod 755 "$stage"/bin/*
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --format=gnu -C "$out" -c "$(basename "$stage")" |
    gzip -9n >"$stage.tar.gz"
  packaging/system_root.sh "$name" "$stage" "$out/root"
  packaging/deb.sh "$name" "$out/root" "$out" "$version" "$glibc"
  if [ "$name" = rankscope-agent ]; then packaging/rpm.sh "$name" "$out/root" "$out" "$version" "$glibc"; fi
  rm -rf "$out/root"
  echo "made of $name $version, for glibc $glibc or newer"
}

stage rankscope
program=$(stage_of rankscope)/bin/rankscope
share=$(stage_of rankscope)/share
mkdir -p "$share"/{man/man1,bash-completion/completions,zsh/site-functions,fish/vendor_completions.d}
"$program" manual >"$share/man/man1/rankscope.1"
"$program" completion bash >"$share/bash-completion/completions/rankscope"
"$program" completion zsh >"$share/zsh/site-functions/_rankscope"
"$program" completion fish >"$share/fish/vendor_completions.d/rankscope.fish"
pack rankscope
packaging/wheel.py "$build" "$version" "$share/doc/rankscope"

stage rankscope-agent --component agent
share=$(stage_of rankscope-agent)/share
mkdir -p "$share/examples"
cp examples/deploy/{agent.toml,rankscope-agent.service,rankscope-snoop.service,rankscope-agent.tmpfiles} "$share/examples/"
pack rankscope-agent

rm -rf "$out/runtime" "$(stage_of rankscope)" "$(stage_of rankscope-agent)"
(cd "$out" && du -h -- *)
