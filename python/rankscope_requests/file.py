"""A file of lines that never grows beyond a bound: when it is half as long as that it becomes PATH.1, and a new one begins with a header of its own."""

import os


class BoundedFile:
    def __init__(self, path, most_bytes, header):
        self.path = path
        self._half = most_bytes // 2
        self._header = header
        self._size = 0
        self._file = None
        self._open()

    def append(self, text):
        """All of it or nothing, at once, so that the file is readable whenever the process ends. OSError where the disk does not take it."""
        if self._file is None or self._size >= self._half:
            self._open()
        self._write(text.encode("utf-8", "replace"))

    def close(self):
        if self._file is not None:
            self._file.close()
        self._file = None

    def _open(self):
        self.close()
        if os.path.isfile(self.path) and os.path.getsize(self.path) > 0:
            os.replace(self.path, self.path + ".1")
        self._file = open(self.path, "ab", buffering=0)
        self._size = 0
        self._write(self._header().encode("utf-8", "replace"))

    def _write(self, data):
        done = 0
        try:
            while done < len(data):
                done += self._file.write(data[done:])
        except OSError:
            if done:
                self._file.truncate(self._size)  # a half line would spoil the one behind it
            raise
        self._size += len(data)
