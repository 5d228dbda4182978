"""Which part of a bounded run comes next, and for how long (see bounded)."""
import time

import timed

MOST_OF_IT = 0.9  # of the time of all cores can be planned for: parts do not end all at once
LEAST = 3  # seconds; a timed part is not begun for less


class Part:
    """A command that ends with `N passed, M failed`.

    Its words may have {seconds} and {seed} in them: the first makes it a timed part. cost: seconds
    of one core that it needs on an idle machine, about."""

    def __init__(self, name, cost, words, env=None):
        self.name, self.cost, self.words, self.env = name, cost, words, env or {}
        self.seed = 0
        self.is_timed = any('{seconds}' in word for word in words)

    def command(self, seconds):
        return [word.replace('{seconds}', str(int(seconds))).replace('{seed}', str(self.seed))
                for word in self.words]


def cost(parts):
    return sum(part.cost for part in parts)


class Schedule:
    """Needs: now and end in seconds of time.monotonic."""

    def __init__(self, parts, end, cores, seed, grace):
        self.end, self.cores, self.grace = end, cores, grace
        for i, part in enumerate(parts):
            part.seed = seed + i  # each begins elsewhere: together they get further
        self.timed = timed.rotated([p for p in parts if p.is_timed], seed)
        self.left_out = []
        self.whole = []
        self.choose(timed.rotated([p for p in parts if not p.is_timed], seed))
        self.running = {}  # part: when it will have ended, about

    def choose(self, whole):
        """Takes the whole parts that there is time for, the longest first."""
        left = max(self.end - time.monotonic(), 0)
        room = left * self.cores * MOST_OF_IT
        both = cost(whole) + cost(self.timed)
        # With too little time for everything either kind gets what it would have of enough.
        allowed = room if both <= room else room * cost(whole) / both
        for part in whole:
            fits = part.cost <= left * MOST_OF_IT
            if fits and (cost(self.whole) + part.cost <= allowed or not self.whole):
                self.whole.append(part)
            else:
                self.left_out.append((part, 'it needs about %.0f s' % part.cost))
        self.whole.sort(key=lambda part: -part.cost)

    def share(self, part):
        """Seconds for a timed part: its share of what the whole parts leave."""
        now = time.monotonic()
        left = self.end - self.grace - now
        busy = sum(max(until - now, 0) for until in self.running.values())
        room = left * self.cores - busy - cost(self.whole)
        return min(left, room * part.cost / (cost(self.timed) or 1))

    def next(self, prefer_timed):
        """(part, seconds for a timed one), or None."""
        while self.timed or self.whole:
            if self.timed and (prefer_timed or not self.whole):
                part = self.timed[0]
                seconds = self.share(part)
                self.timed.pop(0)
                if seconds >= LEAST:
                    return self.started(part, seconds)
            else:
                part = self.whole.pop(0)
                if part.cost <= self.end - time.monotonic():
                    return self.started(part, part.cost)
            self.left_out.append((part, 'the time was over'))
        return None

    def started(self, part, seconds):
        self.running[part] = time.monotonic() + seconds
        return part, seconds

    def ended(self, part):
        del self.running[part]
