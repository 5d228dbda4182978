"""The pages of the OCaml modules that the build makes (stdlib/ml/meson.build)."""
import html
import os
import re
import unittest

from support import Case


class ApiPages(Case):
    def page(self, name):
        build = os.path.dirname(os.path.dirname(os.path.dirname(self.place.bactrian)))
        folder = os.path.join(build, 'stdlib', 'ml', 'api')
        if not os.path.exists(folder):
            raise unittest.SkipTest('there is no ocamldoc')
        with open(os.path.join(folder, name), encoding='utf-8') as file:
            return file.read()

    def test_every_value_has_a_text(self):
        for name, count in (('Bactrian.Memprof', 6), ('Bactrian.Profile', 7),
                            ('Bactrian.Profile.Data', 4), ('Ffi', 70), ('Ffi.Carray', 8)):
            parts = re.split(r'<span id="VAL(?=[^"]+">)', self.page(name + '.html'))[1:]
            self.assertGreaterEqual(len(parts), count, name)
            for part in parts:
                self.assertIn('<div class="info', part, '%s: %s' % (name, part[:60]))

    def test_the_example_runs(self):
        page = html.unescape(re.sub('<[^>]+>', '', re.search(
            r'<pre class="codepre"><code class="code">(.*?)</code></pre>',
            self.page('Bactrian.Profile.html'), re.S).group(1)))
        self.place.write('index.ml', page)
        self.expect(self.bactrian('index.ml'), out='100000 words\n')
        shown = self.bactrian('prof', 'summary', 'index.prof')
        self.assertIn('Index.index', shown.out)
        self.assertNotIn('string_of_int', shown.out)

    def test_the_first_page_leads_to_all(self):
        links = re.findall(r'href="([^"#]+)', self.page('index.html'))
        for name in ('Bactrian.html', 'Bactrian.Memprof.html', 'Bactrian.Profile.html', 'Ffi.html',
                     'libbactrian.html'):
            self.assertIn(name, links)
