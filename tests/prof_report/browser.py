"""Chromium without a window, driven by the DevTools protocol."""
import base64
import json
import os
import subprocess
import time

FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
         '--disable-background-networking', '--disable-component-update', '--disable-sync',
         '--disable-renderer-backgrounding', '--disable-background-timer-throttling',
         '--disable-backgrounding-occluded-windows', '--window-size=1000,1400',
         '--remote-debugging-pipe']


KEYS = {'Enter': 13, 'Backspace': 8, 'Escape': 27, 'Home': 36, 'End': 35, 'ArrowLeft': 37,
        'ArrowUp': 38, 'ArrowRight': 39, 'ArrowDown': 40, 'Tab': 9}


class Browser:
    """The protocol is spoken over two pipes."""

    def __init__(self, folder):
        there, ours = os.pipe()
        back, theirs = os.pipe()

        def move_pipes():
            # Both ends move away from 3 and 4 before they become these.
            high = [os.dup2(fd, 20 + i) for i, fd in enumerate((there, theirs))]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)
        self.process = subprocess.Popen(
            ['chromium', *FLAGS, '--user-data-dir=' + os.path.join(folder, 'browser')],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=move_pipes, close_fds=False)
        os.close(there)
        os.close(theirs)
        self.to, self.back, self.number, self.rest = ours, back, 0, b''
        self.events = []

    def call(self, method, session=None, **params):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': params}
        if session:
            message['sessionId'] = session
        os.write(self.to, json.dumps(message).encode() + b'\0')
        while True:
            while b'\0' not in self.rest:
                data = os.read(self.back, 65536)
                if not data:
                    raise OSError('chromium is gone')
                self.rest += data
            one, self.rest = self.rest.split(b'\0', 1)
            answer = json.loads(one)
            if 'method' in answer:
                self.events.append(answer)
            if answer.get('id') == self.number:
                return answer['result']

    def open(self, path, wait=60):
        """Opens a report and waits until it is drawn. Keeps the messages of its requests."""
        self.target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.page = self.call('Target.attachToTarget', targetId=self.target,
                              flatten=True)['sessionId']
        self.call('Page.enable', self.page)
        self.call('Network.enable', self.page)
        self.events.clear()
        self.call('Page.navigate', self.page, url='file://' + path)
        end = time.monotonic() + wait
        while self.ask('document.querySelector("[data-ready]") !== null') is not True:
            problem = self.ask('(document.getElementById("problem") || {}).textContent')
            if problem or time.monotonic() > end:
                raise AssertionError('the page is not drawn: %s' % problem)
            time.sleep(0.02)

    def shut(self):
        self.call('Target.closeTarget', targetId=self.target)

    def size(self, width, height, theme='light'):
        self.call('Emulation.setDeviceMetricsOverride', self.page, width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.call('Emulation.setEmulatedMedia', self.page,
                  features=[{'name': 'prefers-color-scheme', 'value': theme}])

    def ask(self, expression):
        """The value of an expression, or of the promise that it is."""
        result = self.call('Runtime.evaluate', self.page, expression=expression,
                           returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in result:
            raise AssertionError(result['exceptionDetails'])
        return result['result'].get('value')

    def drawn(self):
        """Waits for the next frame."""
        self.ask('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')

    def type(self, text):
        self.call('Input.insertText', self.page, text=text)
        self.drawn()

    def key(self, key, shift=False):
        code = KEYS.get(key, ord(key.upper()) if len(key) == 1 else 0)
        common = {'key': key, 'windowsVirtualKeyCode': code, 'modifiers': 8 if shift else 0}
        if len(key) == 1:
            common['text'] = key
        self.call('Input.dispatchKeyEvent', self.page, type='keyDown', **common)
        self.call('Input.dispatchKeyEvent', self.page, type='keyUp', **common)
        self.drawn()

    def mouse(self, kind, x, y, count=1):
        self.call('Input.dispatchMouseEvent', self.page, type=kind, x=x, y=y, button='left',
                  buttons=1, clickCount=count)

    def click(self, x, y):
        self.mouse('mousePressed', x, y)
        self.mouse('mouseReleased', x, y)
        self.drawn()

    def drag(self, x, y, to_x):
        self.mouse('mousePressed', x, y)
        for step in range(1, 5):
            self.mouse('mouseMoved', x + (to_x - x) * step / 4, y)
        self.mouse('mouseReleased', to_x, y)
        self.drawn()

    def swipe(self, points):
        """A finger on these points, one after the other."""
        for i, (x, y) in enumerate(points):
            self.call('Input.dispatchTouchEvent', self.page, touchPoints=[{'x': x, 'y': y}],
                      type='touchMove' if i > 0 else 'touchStart')
        self.call('Input.dispatchTouchEvent', self.page, type='touchEnd', touchPoints=[])
        self.drawn()

    def picture(self, path):
        data = self.call('Page.captureScreenshot', self.page)['data']
        with open(path, 'wb') as file:
            file.write(base64.b64decode(data))

    def close(self):
        self.process.terminate()
        self.process.wait(20)
        os.close(self.to)
        os.close(self.back)
