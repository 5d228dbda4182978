"""Phrases that do not belong in a comment, a message or a text, with what to write instead.

Words of a phrase may be on different lines. `(a|b)` gives alternatives; the phrases are regular
expressions otherwise, too, without regard to case.
"""
import re

BANNED = [
    ('young (area|areas)', 'minor heap'),
    ('old (block|blocks)', 'major block, block of the major heap'),
    ('late (root|roots)', 'incrementally scanned roots'),
    ('detours?', 're-execution'),
    ('stopped words', 'saved registers'),
    ('unread words', 'unscanned words'),
    ('(provoke|provokes|provoked|provoking)', 'stress'),
    ('(let|lets|letting) go of (the|a|its) (machine|lock)', 'release the runtime lock'),
    ('(have|has|having|takes?|holds?) the machine', 'hold the runtime lock'),
    ('so many', 'n, that many'),
    ('but for (the|a|an|that|those|its|this)', 'except'),
    ('for want of', 'without'),
    ('who (calls|runs|reads|uses|wants|asks|needs|allocates|waits|writes|has|holds)',
     'the caller, code that'),
    ('whoever', 'the caller, code that'),
    ('(is|are|was|were|be|been) told', 'is notified, gets, receives'),
    ('(tell|tells|told) (of|from)', 'report, distinguish'),
    ('such (a one|ones)', 'one, such a block'),
    ('what is due', 'pending actions, pending callbacks'),
    ('(in want|at want) of', 'without'),
    ('for good', 'permanently'),
    ('one (a|an) (line|word|argument|dimension|frame|row)', 'one per line, one per word'),
    ('(a|one) (row|byte|bit|rule|line|word|letter) (a|an) '
     '(line|word|instruction|primitive|argument|frame)', 'one row per instruction'),
    ('(is|are|was|were) no (function|closure|double|table of|list of|leaks?|pause|copy|pc|image|'
     'bytecode|instructions?|argument|result|error|multiple|range|call)', 'is not a'),
    ('of no known', 'unknown'),
    ('flow comes', 'control reaches'),
    ('(becomes?|became) due', 'become pending, become ready'),
    ('by a mistake', 'because of a bug'),
    ('(thread|stack|function) of C.s', 'a C thread'),
    ('comes? behind', 'follows'),
    ('makes no sense', 'is invalid'),
    ("processor(?:'s)? times?", 'CPU time'),
    ('quick paths?', 'fast path'),
    ('rare (half|halves)', 'slow path'),
    ('store barrier', 'write barrier'),
    ('heads? of (a loop|the loop|loops)', 'loop header'),
    ('rounds? of (a|the|its) loop', 'iteration'),
    ('ways into (a|the|each|this) (row|block|label)', 'predecessors'),
    ('flow (goes|does not go) on', 'control continues'),
    ('control comes', 'control reaches, control returns'),
    ('gone on with', 'continued'),
    ('known of (a|an|the|each)', 'known about'),
    ('asks of (a|an|the)', 'requires of'),
    ('one look at', 'one load of, one comparison with'),
    ('in vain', 'without a result; ignored; not found'),
    ('(it|that|this) is none', 'it is not one, there is none'),
    ('present (row|closure|block|body|instruction|depth|numbers?)', 'current'),
    ('(stood|stands?) still', 'is paused'),
    ('the world outside', 'the outside world'),
    ('D(4|5|8|10|12)', 'the reason itself: no ids of decisions'),
]
# Files with comments or texts that are neither C nor Python nor scripts.
TEXTS = ('.md', '.ml', '.mli', '.js', '.html', '.el')
GAP = r'[\s*#/]+'
PATTERNS = [(re.compile(r'\b' + phrase.replace(' ', GAP) + r'\b', re.I), instead)
            for phrase, instead in BANNED]
# Of a lowercase text: finds whether it has any of them, many times faster than one after another.
ANY = re.compile(r'\b(?:%s)\b' % '|'.join(phrase.lower().replace(' ', GAP).replace('(', '(?:')
                                          .replace('(?:?', '(?') for phrase, _ in BANNED))


def problems(sources):
    """Yields `FILE:LINE: "phrase": write instead` for code, scripts and texts."""
    for source in sources:
        if source.path.startswith('tests/lint/phrases') or not (
                source.is_code() or source.path.endswith(TEXTS)):
            continue
        text = '\n'.join(source.lines)
        if not ANY.search(text.lower()):
            continue
        for pattern, instead in PATTERNS:
            for found in pattern.finditer(text):
                phrase = re.sub(GAP, ' ', found.group(0))
                yield '%s:%d: "%s": write: %s' % (
                    source.path, text.count('\n', 0, found.start()) + 1, phrase, instead)
