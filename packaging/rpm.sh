#!/usr/bin/env bash
# rpm.sh NAME ROOT OUT VERSION GLIBC: makes the .rpm of what system_root.sh laid out; called by package.sh.
#
# It asks for glibc alone, by the name that the packages of glibc give themselves on every distribution; scripts it has none: those
# distributions tell systemd of new units by themselves, and whether an agent begins anew is its owner's to say.
set -euo pipefail
name=$1
root=$(realpath "$2")
version=$4
glibc=$5
arch=$(uname -m)
work=$3/rpm
mkdir -p "$work"
cat >"$work/$name.spec" <<EOT
Name: $name
Version: $version
Release: 1
License: Apache-2.0
AutoReqProv: no
Requires: libc.so.6(GLIBC_$glibc)(64bit)
$(packaging/description.sh "$name" rpm)

%install
cp -a "$root/." "%{buildroot}/"

%files
%defattr(-,root,root)
/usr/bin/$name
/usr/lib/$name
/usr/lib/systemd/system/*.service
/usr/lib/tmpfiles.d/$name.conf
%doc /usr/share/doc/$name
%dir /etc/rankscope
%config(noreplace) /etc/rankscope/agent.toml
EOT
# Nothing is stripped or linked to anew, and neither this machine's name nor the time is in it.
rpmbuild -bb --quiet --target "$arch-linux" \
  --define "_topdir $work" --define "_rpmdir $work/made" --define "_builddir $work" --define "_buildhost localhost" \
  --define "use_source_date_epoch_as_buildtime 1" --define "clamp_mtime_to_source_date_epoch 1" \
  --define "__os_install_post %{nil}" --define "debug_package %{nil}" --define "_build_id_links none" \
  --define "_binary_payload w9.gzdio" --define "_dbpath $work/db" "$work/$name.spec" >"$work/log" 2>&1 || {
  cat "$work/log" >&2
  exit 1
}
mv "$work/made/$arch/$name-$version-1.$arch.rpm" "$3/"
rm -rf "$work"
