// selection.js - what is shown: one object, which is also the address's fragment, a sentence and a
// line for the command line. Its fields are named as the options of `bactrian prof`.
//
//   what    alloc, live, born (in the range and live at its end), promoted, minor-dead, major-dead
//   from    ns; to: ns, 'peak' or 'end'. Of live: to is the moment.

const whats = {'alloc': 'allocated', 'live': 'live', 'born': 'allocated in range, live at its end',
  'promoted': 'promoted', 'minor-dead': 'died in the minor heap',
  'major-dead': 'died in the major heap'};
const bys = {fn: 'function', site: 'allocated at', file: 'file', module: 'module',
  phase: 'phase', source: 'kind of memory', tag: 'kind of block', domain: 'domain',
  thread: 'thread'};
const units = ['bytes', 'words', 'blocks', 'samples'];
const liveTexts = {proven: 'proven live', uncollected: 'not yet collected'};
const tabs = {flame: 'Flame graph', sandwich: 'Callers and callees', sites: 'Table',
  lifetimes: 'Lifetimes', gc: 'Collector', growth: 'Growth',
  advice: 'Advice', holders: 'Holders', source: 'Source', diff: 'Compare', run: 'Recording'};

const defaults = {tab: 'flame', what: 'live', from: 0, to: 'peak', live: 'proven', by: 'fn',
  unit: 'bytes', inverted: false, phase: '', domain: '', thread: '', focus: '', ignore: '', hide: '', size: '', life: '',
  search: '', fn: '', file: '', zoom: '', axis: 'time', color: 'module'};
const choices = {tab: Object.keys(tabs), what: Object.keys(whats), live: Object.keys(liveTexts),
  by: Object.keys(bys), unit: units, axis: ['time', 'alloc'], color: ['module', 'fate']};

// What the steps of call paths are: samples' own attributes are none.
const stepsOf = s => ['site', 'fn', 'file', 'module'].includes(s.by) ? s.by : 'fn';
const isLive = s => s.what === 'live' || s.what === 'born';

// The fragment holds the fields that differ from the selection that the page begins with: the
// defaults, and what `prof html` was given.
function toHash(selection, profile) {
  const out = new URLSearchParams();
  for (const key in defaults)
    if (selection[key] !== profile.begin[key]) out.set(key, selection[key]);
  return '#' + out;
}

const beginOf = profile => fromHash('#' + profile.facts.begin, {...profile, begin: defaults});

function fromHash(hash, profile) {
  const given = new URLSearchParams(hash.slice(1)), s = {...profile.begin};
  for (const key in defaults) {
    const value = given.get(key);
    if (value === null || (choices[key] && !choices[key].includes(value))) continue;
    if (key === 'inverted') s.inverted = value === 'true';
    else if (key === 'from' || key === 'to') s[key] = momentOf(value, profile, s[key]);
    else s[key] = value;
  }
  if (profile.facts.markings === 0) s.live = 'uncollected';
  const to = resolve(s.to, profile, s.live);
  if (!(s.from < to) && s.what !== 'live') s.from = 0;
  return s;
}

function momentOf(text, profile, otherwise) {
  if (text === 'peak' || text === 'end') return text;
  const ns = Math.round(Number(text));
  return ns >= 0 && ns <= profile.end ? ns : otherwise;
}

const peakOf = (profile, live) => live === 'proven' ? profile.facts.peak_proven
  : profile.facts.peak_uncollected;
const resolve = (to, profile, live) =>
  to === 'peak' ? peakOf(profile, live) : to === 'end' ? profile.end : to;

// The name of the call stacks that `prof html` was given, while they are selected; or ''.
const scopeOfBegin = (s, profile) => ['focus', 'ignore', 'hide']
  .every(key => s[key] === profile.begin[key]) ? profile.facts.scope : '';

// "1..2", "..2", "1..": [low, high]; null: no limit there. `read` reads one bound.
function boundsOf(text, read) {
  const m = /^(.*?)\.\.(.*)$/.exec(text.trim());
  if (text.trim() === '') return [null, null];
  if (!m) return undefined;
  const bounds = [m[1], m[2]].map(t => t === '' ? null : read(t));
  return bounds.some(b => b !== null && !(b >= 0)) ? undefined : bounds;
}
const readNumber = text => /^\d+$/.test(text) ? Number(text) : NaN;
function readTime(text) {
  const m = /^(\d+(?:\.\d+)?)(ns|us|ms|s|min|h|)$/.exec(text);
  const lengths = {ns: 1, us: 1e3, ms: 1e6, s: 1e9, '': 1e9, min: 60e9, h: 3600e9};
  return m ? Math.trunc(Number(m[1]) * lengths[m[2]]) : NaN;
}

// Whether a time range is selected: of the events that are shown, not the moment of live blocks.
const hasRange = s => s.what !== 'live' && (s.from > 0 || s.to !== 'end');

function sizesText(size) {
  const [low, high] = boundsOf(size, readNumber);
  return !(high > 0) ? `at least ${low} words` : !(low > 0) ? `at most ${high} words`
    : `${low} to ${high} words`;
}

function sentenceOf(s, profile) {
  const at = resolve(s.to, profile, s.live), time = ns => secondsText(ns / 1e9);
  let text = s.what === 'promoted' ? 'promoted to the major heap' : whats[s.what];
  if (isLive(s)) {
    const named = s.to === 'peak' || s.to === 'end';
    text = liveTexts[s.live] + (named ? ` at the ${s.to} (${time(at)})` : ' at ' + time(at));
    const began = profile.markings.began, last = began[began.length - 1];
    if (s.live === 'proven' && began.length > 0 && at > last && last < profile.facts.finished_at)
      text += `, as of the last marking (${time(last)})`;
  }
  const window = [hasRange(s) ? `from ${time(s.from)} to ${time(at)}` : '',
    s.phase ? 'in phase ' + s.phase : ''].filter(part => part).join(', ');
  if (isLive(s)) text += window ? ', allocated ' + window : '';
  else text += ' ' + (window || 'in the whole run');
  if (s.domain) text += ', in domain ' + s.domain;
  if (s.thread) text += ', in thread ' + s.thread;
  const scope = scopeOfBegin(s, profile);
  if (scope) text += ', through ' + scope;
  else {
    if (s.focus) text += ', through ' + s.focus;
    if (s.ignore) text += ', not through ' + s.ignore;
    if (s.hide) text += ', hiding ' + s.hide;
  }
  if (s.size) text += ', blocks of ' + sizesText(s.size);
  if (s.life) text += `, lifetimes of ${s.life}`;
  return text;
}

// The options that select the same, as words of a shell's command.
function selectors(s, profile) {
  const words = [], moment = t => typeof t === 'number' ? timeWord(t) : t;
  if (isLive(s)) words.push('--at', moment(s.to));
  else if (s.what !== 'alloc') words.push('--show', s.what);
  if (s.what !== 'live' && s.from > 0) words.push('--from', moment(s.from));
  if (s.what !== 'live' && s.to !== 'end') words.push('--to', moment(s.to));
  if (s.live !== 'proven' && profile.facts.markings > 0) words.push('--live', s.live);
  for (const key of ['phase', 'domain', 'thread', 'focus', 'ignore', 'hide', 'size', 'life'])
    if (s[key]) words.push('--' + key, s[key]);
  if (scopeOfBegin(s, profile)) words.push('--scope', profile.facts.scope);
  if (s.unit !== 'bytes') words.push('--unit', s.unit);
  return words;
}

// files: of a comparison both, in order; of a source its name after the profile.
function commandOf(s, profile, files = [profile.facts.file]) {
  const verbs = {flame: 'flame', sandwich: 'tree', sites: 'table', lifetimes: 'lifetimes', gc: 'gc',
    growth: 'grow', advice: 'advise', holders: 'leaks', source: 'annotate', diff: 'diff', run: 'stats'};
  let words = selectors(s, profile);
  if (['run', 'growth', 'advice', 'holders'].includes(s.tab)) words = [];
  if (s.tab === 'gc') {
    words = s.from > 0 ? ['--from', timeWord(s.from)] : [];
    if (typeof s.to === 'number') words.push('--to', timeWord(s.to));
  }
  if (s.tab === 'flame') words.push('--by', stepsOf(s));
  if (['sites', 'lifetimes', 'diff'].includes(s.tab)) words.push('--by', s.by);
  if (s.tab === 'diff') words.push('--raw');
  if (s.tab === 'flame' && s.inverted) words.push('--inverted');
  if (s.tab === 'sandwich' && s.fn) words.push('--callers', '^' + quotePattern(s.fn) + '$');
  return ['bactrian', 'prof', verbs[s.tab], ...files, ...words].map(shellWord).join(' ');
}

// A pattern of --focus, --ignore and --hide that selects a key's locations.
function patternOf(text, by) {
  if (by === 'site') return '^' + quotePattern(text) + '$';
  if (by === 'file') return '\\(' + quotePattern(text) + '[:)]';
  if (by === 'module') return '[(/]' + quotePattern(text[0].toLowerCase() + text.slice(1)) + '\\.';
  return text.endsWith(')') && text.includes(' (')
    ? '^' + quotePattern(text.slice(0, -1)) + '[:)]' : '^' + quotePattern(text) + '$';
}
