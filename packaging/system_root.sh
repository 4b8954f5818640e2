#!/usr/bin/env bash
# system_root.sh NAME STAGE ROOT: lays out in ROOT what a .deb or an .rpm installs, of what package.sh put together; called by that.
set -euo pipefail
name=$1
stage=$2
root=$3
doc=$root/usr/share/doc/$name
mkdir -p "$root"/usr/{bin,lib/"$name"} "$doc"
cp -r "$stage/bin" "$stage/lib" "$root/usr/lib/$name/"
ln -s "../lib/$name/bin/$name" "$root/usr/bin/$name"
cp CHANGELOG.md "$doc/"

# One file, as Debian has it: ours, then each licence under the name of what it is for.
{
  printf 'rankscope, under the Apache License 2.0: /usr/share/common-licenses/Apache-2.0\n'
  for licence in "$stage/share/doc/$name"/licences/*; do
    [ -f "$licence" ] || continue
    printf '\n\n== %s\n\n' "$(basename "$licence")"
    cat "$licence"
  done
} >"$doc/copyright"

if [ "$name" = rankscope ]; then
  cp -r "$stage"/share/{bash-completion,fish} "$root/usr/share/"
  install -Dm644 "$stage/share/zsh/site-functions/_rankscope" "$root/usr/share/zsh/vendor-completions/_rankscope"
  mkdir -p "$root/usr/share/man/man1"
  gzip -9nc "$stage/share/man/man1/rankscope.1" >"$root/usr/share/man/man1/rankscope.1.gz"
else
  install -Dm644 examples/deploy/rankscope-agent.service "$root/usr/lib/systemd/system/rankscope-agent.service"
  install -Dm644 examples/deploy/rankscope-snoop.service "$root/usr/lib/systemd/system/rankscope-snoop.service"
  install -Dm644 examples/deploy/rankscope-agent.tmpfiles "$root/usr/lib/tmpfiles.d/rankscope-agent.conf"
  install -Dm644 examples/deploy/agent.toml "$root/etc/rankscope/agent.toml"
fi
find "$root" -type d -exec chmod 755 {} + -o -type f ! -path '*/bin/*' -exec chmod 644 {} +
