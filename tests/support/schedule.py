"""The order of the parts of a bounded run, and their time (see bounded)."""
import time

import timed

MOST_OF_IT = 0.9  # share of the cores' time that is planned: parts do not end at the same time
LEAST = 3  # seconds; a timed part does not start with less


class Part:
    """A command that ends with `N passed, M failed`.

    Its words may contain {seconds} and {seed}; {seconds} makes it a timed part. cost: about how
    many seconds of one core it needs on an idle machine. needs: the build folder that it uses."""
    makes = None

    def __init__(self, name, cost, words, env=None, needs='build'):
        self.name, self.cost, self.words, self.env = name, cost, words, env or {}
        self.needs = needs
        self.seed = 0
        self.is_timed = any('{seconds}' in word for word in words)

    def command(self, seconds):
        return [word.replace('{seconds}', str(int(seconds))).replace('{seed}', str(self.seed))
                for word in self.words]


class Build(Part):
    """A command that makes or updates a build folder, before the parts that need it."""

    def __init__(self, folder, cost, words, env):
        super().__init__('building ' + folder, cost, words, env, needs=None)
        self.makes = folder


def cost(parts):
    return sum(part.cost for part in parts)


class Schedule:
    """Needs: end in seconds of time.monotonic; builds: those that parts need, in this order."""

    def __init__(self, builds, parts, end, cores, seed, grace):
        self.end, self.cores, self.grace = end, cores, grace
        for i, part in enumerate(parts):
            part.seed = seed + i  # each starts elsewhere, so together they cover more
        self.builds = list(builds)
        self.built = {None} | {part.needs for part in parts} - {build.makes for build in builds}
        self.timed = timed.rotated([p for p in parts if p.is_timed], seed)
        self.left_out = []
        self.whole = []
        self.choose(timed.rotated([p for p in parts if not p.is_timed], seed))
        self.running = {}  # part: its estimated end
        self.timed_is_next = False  # the two kinds alternate

    def choose(self, whole):
        """Takes the whole parts for which the time suffices, the longest first."""
        left = max(self.end - time.monotonic(), 0)
        room = left * self.cores * MOST_OF_IT - cost(self.builds)
        both = cost(whole) + cost(self.timed)
        # With too little time the two kinds keep their proportion.
        allowed = room if both <= room else room * cost(whole) / both
        for part in whole:
            fits = part.cost <= left * MOST_OF_IT
            if fits and (cost(self.whole) + part.cost <= allowed or not self.whole):
                self.whole.append(part)
            else:
                self.left_out.append((part, 'it needs about %.0f s' % part.cost))
        self.whole.sort(key=lambda part: -part.cost)

    def share(self, part):
        """Seconds for a timed part: its share of the time without builds and whole parts."""
        now = time.monotonic()
        left = self.end - self.grace - now
        busy = sum(max(until - now, 0) for until in self.running.values())
        room = left * self.cores - busy - cost(self.whole) - cost(self.builds)
        return min(left, room * part.cost / (cost(self.timed) or 1))

    def next(self):
        """(part, seconds for a timed one), or None if nothing can start now. One build is made at a
        time, in parallel with parts that do not need it."""
        if self.builds and not any(part.makes for part in self.running):
            build = self.builds.pop(0)
            return self.started(build, build.cost)
        while True:
            timed_ones = [p for p in self.timed if p.needs in self.built]
            whole = [p for p in self.whole if p.needs in self.built]
            if timed_ones and (self.timed_is_next or not whole):
                part = timed_ones[0]
                seconds = self.share(part)
                self.timed.remove(part)
                if seconds >= LEAST:
                    return self.started(part, seconds)
            elif whole:
                part = whole[0]
                self.whole.remove(part)
                if part.cost <= self.end - time.monotonic():
                    return self.started(part, part.cost)
            else:
                return None
            self.left_out.append((part, 'out of time'))

    def started(self, part, seconds):
        self.running[part] = time.monotonic() + seconds
        if not part.makes:
            self.timed_is_next = not part.is_timed
        return part, seconds

    def ended(self, part, good):
        del self.running[part]
        if part.makes and good:
            self.built.add(part.makes)

    def close(self):
        """Nothing runs and nothing can start: the rest is left out."""
        for part in self.whole + self.timed:
            self.left_out.append((part, '%s was not built' % part.needs))
        self.whole, self.timed = [], []
