"""The page in a browser without a window: searched, zoomed, compared with the verbs' figures."""
import json
import os
import shutil
import subprocess
import unittest

import ctf
import support

FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
         '--disable-background-networking', '--disable-component-update', '--disable-sync',
         '--window-size=1000,1400', '--remote-debugging-pipe']


class Browser:
    """Chromium, spoken to by the DevTools protocol over two pipes."""

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
            if answer.get('id') == self.number:
                return answer['result']

    def open(self, path):
        target = self.call('Target.createTarget', url='file://' + path)['targetId']
        self.page = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        while not self.ask('location.protocol === "file:" && document.readyState === "complete"'):
            pass

    def ask(self, expression):
        result = self.call('Runtime.evaluate', self.page, expression=expression,
                           returnByValue=True)
        if 'exceptionDetails' in result:
            raise AssertionError(result['exceptionDetails'])
        return result['result'].get('value')

    def type(self, text):
        self.call('Input.insertText', self.page, text=text)

    def click(self, x, y):
        for kind in ('mousePressed', 'mouseReleased'):
            self.call('Input.dispatchMouseEvent', self.page, type=kind, x=x, y=y, button='left',
                      clickCount=1)

    def close(self):
        self.process.terminate()
        self.process.wait(20)
        os.close(self.to)
        os.close(self.back)


@unittest.skipUnless(shutil.which('chromium'), 'no chromium')
class Page(support.Case):
    def setUp(self):
        super().setUp()
        self.write('small.ctf', ctf.small().bytes)
        self.prof('html', 'small.ctf', '-o', 'page.html')
        self.browser = Browser(self.folder)
        self.addCleanup(self.browser.close)
        self.browser.open(os.path.join(self.folder, 'page.html'))

    def text(self, name):
        return self.browser.ask('document.getElementById("%s").textContent' % name)

    def click_bar(self, name):
        """Clicks the bar of a function in the picture."""
        x, y = self.browser.ask(
            '(() => { const c = document.getElementById("flame");'
            ' c.scrollIntoView({block: "center"}); const r = c.getBoundingClientRect();'
            ' const b = boxes.find(b => b.n.name.startsWith(%s));'
            ' return [r.left + b.x + b.w / 2, r.top + b.y * ROW + ROW / 2]; })()' %
            json.dumps(name))
        self.browser.click(x, y)

    def press(self, key):
        self.browser.ask('document.querySelector("button[data-key=%s]").click()' % key)

    def test_it_shows_what_the_verbs_print(self):
        for key, words in (('alloc', []), ('peak', ['--at', 'peak']), ('end', ['--at', 'end']),
                           ('promoted', ['--show', 'promoted'])):
            self.press(key)
            shown = self.browser.ask('[...document.querySelectorAll("#sites tr")].slice(1)'
                                     '.map(r => [r.cells[0].textContent, r.cells[5].textContent])')
            rows = json.loads(self.prof('table', 'small.ctf', '--json', *words))['rows']
            self.assertEqual(shown, [['%.1f %%' % (100 * r['share']), r['name']] for r in rows])

    def test_search_marks_and_counts(self):
        self.press('alloc')
        self.browser.ask('document.getElementById("search").focus()')
        self.browser.type('Tree')
        self.assertEqual(self.text('matched'), 'matched in the bars: 32.0 kB, 43.0 %')
        self.assertEqual(self.browser.ask('document.querySelectorAll("#sites .hit").length'), 2)
        self.assertIn('search=Tree', self.browser.ask('location.hash'))

    def test_a_click_zooms_and_reset_shows_all(self):
        self.press('alloc')
        width = ('(name => { const b = boxes.find(b => b.n.name.startsWith(name));'
                 ' return b ? b.w / document.getElementById("flame").clientWidth : 0; })')
        before = self.browser.ask(width + '("Tree.insert")')
        self.assertAlmostEqual(before, 0.43, places=2)
        self.click_bar('Tree.insert')
        self.assertEqual(self.browser.ask(width + '("Tree.insert")'), 1)
        self.assertEqual(self.browser.ask(width + '("Main.load")'), 0)
        self.browser.ask('document.getElementById("reset").click()')
        self.assertAlmostEqual(self.browser.ask(width + '("Tree.insert")'), before)
