"""Roots with nothing of this machine in them: with glibc alone, for the packages, and a bare Debian 12, for the README's commands.

Root itself is needed to change the root, or user namespaces. Mounts are in a mount namespace of what runs there, so they end with it."""

import glob
import os
import re
import shutil
import subprocess

from waiting import LIMIT_S

UNSHARE = ["unshare", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
SUITE = "bookworm"
# What of the environment says how to reach the network.
OF_NETWORK = re.compile(r"(https?|no|all|ftp)_proxy|npm_config_.*|ssl_cert_file|node_extra_ca_certs", re.IGNORECASE)


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False, **options)


def inside(folder, mounts, variables, command):
    """The words that run a command with `folder` as its root. What cannot be mounted is left out: $ORIGIN needs /proc, which every
    system has."""
    enter = "".join(f'mount --rbind {one} "$0{one}" 2>/dev/null; ' for one in mounts) + 'exec env -i "$@"'
    return [*UNSHARE, "sh", "-c", enter, folder, *variables, "/usr/sbin/chroot", folder, *command]


class Glibc:
    """A folder to change the root to, with libc6 of this machine and an entry of dpkg that says so."""

    def __init__(self, folder):
        self.folder = folder
        for name in (
            "usr/bin",
            "usr/lib",
            "usr/lib64",
            "tmp",
            "proc",
            "opt",
            "var/lib/dpkg/updates",
            "var/lib/dpkg/info",
        ):
            os.makedirs(os.path.join(folder, name))
        for name in ("bin", "lib", "lib64"):
            os.symlink("usr/" + name, os.path.join(folder, name))
        for path in run("dpkg-query", "-L", "libc6").stdout.splitlines():
            if not os.path.isfile(path):
                continue
            target = folder + os.path.realpath(os.path.dirname(path)) + "/" + os.path.basename(path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy2(path, target)
        if os.path.islink("/lib64/ld-linux-x86-64.so.2"):
            shutil.copy2(os.path.realpath("/lib64/ld-linux-x86-64.so.2"), folder + "/usr/lib64/ld-linux-x86-64.so.2")
        with open(os.path.join(folder, "var/lib/dpkg/status"), "w", encoding="utf-8") as file:
            file.write(run("dpkg-query", "-s", "libc6").stdout + "\n")

    def run(self, program, *arguments, expect=0, variable="LC_ALL=C"):
        """Runs a program of the root in it."""
        result = run(*inside(self.folder, ["/proc"], [variable], [program, *arguments]))
        assert (
            result.returncode == expect
        ), f"{program} {arguments}: exit code {result.returncode}\n{result.stdout[-2000:]}{result.stderr[-2000:]}"
        return result.stdout, result.stderr


class Debian:
    """A bare Debian 12 in `cache`/fresh, a copy of what debootstrap made in `cache`/bookworm once. How to reach the network is as this
    machine has it: apt's sources and options, npm's, certificates, proxies. The root stays until the next one is made.
    """

    def __init__(self, cache):
        self.cache = cache
        self.folder = os.path.join(cache, "fresh")

    def make(self):
        base = os.path.join(self.cache, SUITE)
        if not os.path.isdir(base):
            remove(base + ".new")
            os.makedirs(self.cache, exist_ok=True)
            subprocess.run(["debootstrap", "--variant=minbase", SUITE, base + ".new", mirror()], check=True)
            os.rename(base + ".new", base)
        remove(self.folder)
        subprocess.run(["cp", "-a", "--reflink=auto", base, self.folder], check=True)
        self._take_settings()

    def _take_settings(self):
        sources = [path for path in apt_files("sources.list", "sources.list.d/*") if SUITE in text_of(path)]
        if sources:
            remove(self.folder + "/etc/apt/sources.list")
        options = [path for path in apt_files("apt.conf", "apt.conf.d/*") if "Acquire" in text_of(path)]
        npm = [
            path for path in ("/etc/npmrc", "/usr/etc/npmrc", os.path.expanduser("~/.npmrc")) if os.path.isfile(path)
        ]
        certificates = glob.glob("/usr/local/share/ca-certificates/**/*.crt", recursive=True)
        # Debian's npm looks in /etc, others below their prefix; the user there is root.
        places = {path: path for path in (*sources, *options, *certificates, "/etc/resolv.conf", "/etc/hosts")}
        places.update((path, "/root/.npmrc" if path.endswith("/.npmrc") else "/etc/npmrc") for path in npm)
        for path, place in places.items():
            os.makedirs(os.path.dirname(self.folder + place), exist_ok=True)
            shutil.copy(path, self.folder + place)

    def clone(self, repository, place):
        """HEAD of the repository."""
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", repository, self.folder + place], check=True)

    def run(self, *command):
        """Its exit code; what it says goes where ours goes."""
        variables = [
            "HOME=/root",
            "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "TERM=dumb",
            *(f"{name}={value}" for name, value in os.environ.items() if OF_NETWORK.fullmatch(name)),
        ]
        return subprocess.run(
            inside(self.folder, ["/proc", "/dev"], variables, command), check=False, stdin=subprocess.DEVNULL
        ).returncode


def text_of(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def apt_files(*patterns):
    return [path for pattern in patterns for path in sorted(glob.glob("/etc/apt/" + pattern)) if os.path.isfile(path)]


def mirror():
    """Where this machine has Debian from."""
    for path in apt_files("sources.list", "sources.list.d/*.sources", "sources.list.d/*.list"):
        for found in re.finditer(r"^(?:URIs:|deb(?: \[[^]]*\])?) *(\S+/debian)/?(?:\s|$)", text_of(path), re.MULTILINE):
            return found.group(1)
    return "http://deb.debian.org/debian"


def remove(path):
    """All of it that is no other file system."""
    subprocess.run(["rm", "-rf", "--one-file-system", path], check=True)
