#!/usr/bin/env bash
# deb.sh STAGE OUT VERSION GLIBC: makes the .deb of what package.sh put together; called by that.
set -euo pipefail
stage=$1
version=$3
glibc=$4
arch=$(dpkg --print-architecture)
# Who answers for a package made outside of Debian: who wrote its last commit.
maintainer=$(git log -1 --format='%an <%ae>' 2>/dev/null || echo "unknown <root@localhost>")
root=$2/deb
doc=$root/usr/share/doc/rankscope
mkdir -p "$root/DEBIAN" "$root"/usr/{bin,lib/rankscope} "$root"/usr/share/{man/man1,lintian/overrides} "$doc"
cp -r "$stage/bin" "$stage/lib" "$root/usr/lib/rankscope/"
for program in rankscope rankscope-agent; do ln -s "../lib/rankscope/bin/$program" "$root/usr/bin/$program"; done
cp -r "$stage"/share/{bash-completion,fish} "$root/usr/share/"
install -Dm644 "$stage/share/zsh/site-functions/_rankscope" "$root/usr/share/zsh/vendor-completions/_rankscope"
gzip -9nc "$stage/share/man/man1/rankscope.1" >"$root/usr/share/man/man1/rankscope.1.gz"
cp CHANGELOG.md "$doc/"
{
  printf 'rankscope (%s) unstable; urgency=medium\n\n  * CHANGELOG.md in this folder says what changed.\n\n' "$version"
  printf ' -- %s  %s\n' "$maintainer" "$(date -R -d "@$SOURCE_DATE_EPOCH")"
} | gzip -9n >"$doc/changelog.gz"
cp packaging/lintian-overrides "$root/usr/share/lintian/overrides/rankscope"

# One file, as Debian has it: ours, then each licence under the name of what it is for.
{
  printf 'rankscope, under the Apache License 2.0: /usr/share/common-licenses/Apache-2.0\n'
  for licence in "$stage"/share/doc/rankscope/licences/*; do
    [ -f "$licence" ] || continue
    printf '\n\n== %s\n\n' "$(basename "$licence")"
    cat "$licence"
  done
} >"$doc/copyright"

cat >"$root/DEBIAN/control" <<EOT
Package: rankscope
Version: $version
Architecture: $arch
Maintainer: $maintainer
Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f1)
Depends: libc6 (>= $glibc)
Section: devel
Priority: optional
Description: finds out why an AI job is slow
 rankscope reads the PyTorch profiler traces of all ranks of a job and says
 where the time of every device went: computing, communication that nothing
 hides, copies, and idle time by cause. As a report in the terminal or a page
 with plots, as tables, and by SQL over the events of all ranks.
EOT
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
find "$root" -type d -exec chmod 755 {} + -o -type f ! -path '*/bin/*' -exec chmod 644 {} +
# Sets owners to root, and times later than SOURCE_DATE_EPOCH to that.
dpkg-deb --root-owner-group --build "$root" "$2/rankscope_${version}_$arch.deb" >/dev/null
rm -rf "$root"
