"""OpenStack Swift with its s3api, from Debian, as an S3 store that checks signatures: for tests.

All four servers run as this user on free ports of loopback, with their data in a temporary folder. Swift wants no disk of its own:
`mount_check = false` takes a folder, on any file system with extended attributes of users (ext4, xfs, overlayfs on them, tmpfs from Linux
6.6 on). Memcached is left out: Swift says so in its log at each request and reads what it would have cached.
"""

import os
import shutil
import socket
import subprocess
import tempfile

from waiting import until

PROGRAMS = ["swift-ring-builder", *(f"swift-{name}-server" for name in ("proxy", "account", "container", "object"))]
KEY_ID = "test:tester"
SECRET = "testing-of-swift"

STORAGE = """[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
workers = 0
user = {user}
swift_dir = {etc}
devices = {devices}
mount_check = false
fallocate_reserve = 0
log_address = {etc}/nobody-listens
[pipeline:main]
pipeline = {name}-server
[app:{name}-server]
use = egg:swift#{name}
"""

PROXY = """[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
workers = 0
user = {user}
swift_dir = {etc}
log_address = {etc}/nobody-listens
[pipeline:main]
pipeline = catch_errors cache listing_formats bulk s3api tempauth copy slo dlo symlink proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:bulk]
use = egg:swift#bulk
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
[filter:symlink]
use = egg:swift#symlink
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = {secret} .admin
"""


def missing():
    """Why Swift cannot run here; "" when it can."""
    lacking = [program for program in PROGRAMS if shutil.which(program) is None]
    if lacking:
        return f"{', '.join(lacking)}: not installed (./dev setup)"
    with tempfile.NamedTemporaryFile() as file:
        try:
            os.setxattr(file.name, "user.rankscope", b"x" * 1000)
        except OSError as error:
            return f"{tempfile.gettempdir()} has no extended attributes: {error}"
    return ""


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Swift:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="rankscope_swift_")  # pylint: disable=consider-using-with
        self.etc = os.path.join(self.folder.name, "etc")
        devices = os.path.join(self.folder.name, "devices")
        os.makedirs(self.etc)
        os.makedirs(os.path.join(devices, "d1"))
        self.write(
            "swift.conf",
            "[swift-hash]\nswift_hash_path_prefix = a\nswift_hash_path_suffix = b\n"
            "[storage-policy:0]\nname = Policy-0\ndefault = yes\n",
        )
        names = ("account", "container", "object", "proxy")
        self.ports = dict(zip(names, free_ports(4)))
        user = subprocess.run(["id", "-un"], capture_output=True, check=True, text=True).stdout.strip()
        self.processes = []
        for name in names:
            values = {"port": self.ports[name], "user": user, "etc": self.etc, "devices": devices, "name": name}
            self.write(f"{name}.conf", (PROXY if name == "proxy" else STORAGE).format(secret=SECRET, **values))
            if name != "proxy":
                self.make_ring(name)
        for name in names:
            self.processes.append(self.run(name))
        self.endpoint = f"http://127.0.0.1:{self.ports['proxy']}"
        until(self.answers, self.logs)

    def write(self, name, text):
        with open(os.path.join(self.etc, name), "w", encoding="utf-8") as file:
            file.write(text)

    def make_ring(self, name):
        builder = os.path.join(self.etc, f"{name}.builder")
        device = f"r1z1-127.0.0.1:{self.ports[name]}/d1"
        for words in (["create", "4", "1", "0"], ["add", device, "1"], ["rebalance"]):
            subprocess.run(["swift-ring-builder", builder, *words], check=True, capture_output=True)

    def run(self, name):
        with open(os.path.join(self.etc, f"{name}.log"), "ab") as log:
            return subprocess.Popen(
                [f"swift-{name}-server", os.path.join(self.etc, f"{name}.conf"), "-v"],
                env=dict(os.environ, SWIFT_DIR=self.etc),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def answers(self):
        try:
            for port in self.ports.values():
                socket.create_connection(("127.0.0.1", port), timeout=5).close()
            return True
        except OSError:
            return False

    def logs(self):
        text = ""
        for name in self.ports:
            with open(os.path.join(self.etc, f"{name}.log"), "rb") as log:
                text += f"{name}: {log.read()[-500:].decode('utf-8', 'replace')}\n"
        return text

    def stop(self):
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()
        self.folder.cleanup()
