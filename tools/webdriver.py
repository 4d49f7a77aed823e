# SPDX-License-Identifier: GPL-2.0-or-later
"""A browser without a window, by the W3C WebDriver protocol; needs Debian's chromium and chromium-driver.

Only what the pages of the reports need: open a file, set theme and width, run a script, press keys,
take a picture, print to PDF.  Nothing is fetched from a network.
"""
import base64
import json
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request

KEYS = {"ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015",
        "Home": "\ue011", "End": "\ue010", "Space": " "}
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-dev-shm-usage", "--hide-scrollbars"]


def missing():
    """What is not installed, or None."""
    for name in ("chromium", "chromedriver"):
        if not shutil.which(name):
            return "no " + name
    return None


class Browser:
    """One browser; `with Browser() as b:`."""

    def __enter__(self):
        self.profile = tempfile.mkdtemp(prefix="vsysemu-browser")
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        self.base = "http://127.0.0.1:%d" % port
        self.driver = subprocess.Popen([shutil.which("chromedriver"), "--port=%d" % port],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self._wait()
            options = {"binary": shutil.which("chromium"),
                       "args": FLAGS + ["--user-data-dir=" + self.profile]}
            always = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
            made = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": always}})
        except BaseException:
            self.__exit__()
            raise
        self.base += "/session/" + made["sessionId"]
        return self

    def __exit__(self, *unused):
        if "/session/" in self.base:
            try:
                self._ask("DELETE", "", None)
            except OSError:
                pass
        self.driver.terminate()
        self.driver.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def _wait(self):
        for _ in range(300):
            try:
                if self._ask("GET", "/status", None)["ready"]:
                    return
            except OSError:
                pass
            time.sleep(0.1)
        raise RuntimeError("chromedriver does not answer")

    def _ask(self, method, path, body):
        data = None if body is None else json.dumps(body).encode()
        q = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(q, timeout=120) as a:
            return json.load(a)["value"]

    def devtools(self, command, **params):
        """One command of the browser's own protocol."""
        return self._ask("POST", "/goog/cdp/execute", {"cmd": command, "params": params})

    def open(self, page):
        self._ask("POST", "/url", {"url": pathlib.Path(page).resolve().as_uri()})

    def theme(self, dark):
        self.devtools("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def size(self, width, height=0):
        """Window of @width pixels; @height 0: as high as the page."""
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height or 800,
                      deviceScaleFactor=1, mobile=False)
        if not height:
            high = self.run("return document.documentElement.scrollHeight")
            self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=max(200, min(high, 12000)),
                          deviceScaleFactor=1, mobile=False)

    def run(self, script, *args):
        return self._ask("POST", "/execute/sync", {"script": script, "args": list(args)})

    def press(self, *keys):
        """Keys as a person presses them: names of KEYS or one character each."""
        steps = []
        for k in keys:
            steps += [{"type": t, "value": KEYS.get(k, k)} for t in ("keyDown", "keyUp")]
        self._ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": steps}]})

    def complaints(self):
        """What the page wrote to the browser's console since the last call."""
        return [line["message"] for line in self._ask("POST", "/se/log", {"type": "browser"})]

    def picture(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self._ask("GET", "/screenshot", None)))

    def pdf(self, path):
        sheet = {"page": {"width": 21.0, "height": 29.7}, "background": False}
        pathlib.Path(path).write_bytes(base64.b64decode(self._ask("POST", "/print", sheet)))
