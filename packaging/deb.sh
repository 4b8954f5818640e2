#!/usr/bin/env bash
# deb.sh NAME ROOT OUT VERSION GLIBC: makes the .deb of what system_root.sh laid out; called by package.sh.
set -euo pipefail
name=$1
version=$4
glibc=$5
arch=$(dpkg --print-architecture)
# Who answers for a package made outside of Debian: who wrote its last commit.
maintainer=$(git log -1 --format='%an <%ae>' 2>/dev/null || echo "unknown <root@localhost>")
root=$3/deb
cp -a "$2" "$root"
mkdir -p "$root/DEBIAN" "$root/usr/share/lintian/overrides"
{
  printf '%s (%s) unstable; urgency=medium\n\n  * CHANGELOG.md in this folder says what changed.\n\n' "$name" "$version"
  printf ' -- %s  %s\n' "$maintainer" "$(date -R -d "@$SOURCE_DATE_EPOCH")"
} | gzip -9n >"$root/usr/share/doc/$name/changelog.gz"
sed "s/^rankscope:/$name:/" packaging/lintian-overrides >"$root/usr/share/lintian/overrides/$name"
# Settings are kept as they were changed.
if [ -d "$root/etc" ]; then (cd "$root" && find etc -type f -printf '/%p\n' | sort) >"$root/DEBIAN/conffiles"; fi

section=devel
[ "$name" = rankscope ] || section='admin'
cat >"$root/DEBIAN/control" <<EOT
Package: $name
Version: $version
Architecture: $arch
Maintainer: $maintainer
Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f1)
Depends: libc6 (>= $glibc)
Section: $section
Priority: optional
$(packaging/description.sh "$name" deb)
EOT
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
find "$root" -type d -exec chmod 755 {} + -o -type f ! -path '*/bin/*' -exec chmod 644 {} +
# Sets owners to root, and times later than SOURCE_DATE_EPOCH to that.
dpkg-deb --root-owner-group --build "$root" "$3/${name}_${version}_$arch.deb" >/dev/null
rm -rf "$root"
