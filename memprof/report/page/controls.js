// controls.js - what is around the views: the run's figures, the controls, the selection as a
// sentence and a command line, the legend.

// Fields of the selection that have a control of the same name.
const selects = ['what', 'live', 'by', 'unit', 'axis', 'color', 'phase', 'domain', 'thread'];
const inputs = ['focus', 'ignore', 'hide', 'size', 'life', 'fn'];
const filters = ['phase', 'domain', 'thread', 'focus', 'ignore', 'hide', 'size', 'life'];

function describeRun() {
  const facts = P.facts, run = facts.stats.run;
  const name = facts.context || facts.program || facts.file;
  $('title').textContent = name;
  document.title = 'Memory profile of ' + name;
  $('subtitle').textContent = [secondsText(P.end / 1e9), run.outcome, run.started,
    countText(facts.all_samples) + ' sampled blocks', 'one sample per ' +
    bytesText(P.scale.wordBytes / P.scale.rate)].filter(x => x).join(' · ');
  const notes = facts.stats.notes.concat(thinningNotes(facts), sourceNotes());
  $('notes').replaceChildren(...notes.map(note => element('li', {textContent: note})));
  makeCards();
  recordingTables($('recording'), $('calibration'), facts);
}

function thinningNotes(facts) {
  const notes = [];
  if (facts.keep < 1)
    notes.push(`The page holds ${countText(P.samples)} of ${countText(facts.all_samples)} ` +
      `samples: each hit was kept with probability ${facts.keep.toPrecision(3)}, so its ` +
      'intervals are wider than those of `bactrian prof`.');
  if (facts.all_events > facts.events)
    notes.push(`Of ${countText(facts.all_events)} events of the collector the longest are here.`);
  if (facts.all_ticks > facts.ticks)
    notes.push(`Of ${countText(facts.all_ticks)} ticks ${countText(facts.ticks)} are here, which ` +
      'stand for all.');
  if (facts.phases_left_out > 0)
    notes.push(`${countText(facts.phases_left_out)} phases are left out.`);
  return notes;
}

function sourceNotes() {
  const {names, leftOut} = page.sources || {}, notes = [];
  if (!page.sources) return notes;
  if (names.length === 0) notes.push('No source file was found below the folder where the page ' +
    'was made: make it where the program was compiled, or name that folder with --source.');
  if (leftOut > 0) notes.push(`${countText(leftOut)} source files are left out: all together they ` +
    'are larger than 4 MB, or they are no texts.');
  return notes;
}

// Each figure is a button that shows what it consists of.
function makeCards() {
  const card = (title, fields, value, more) => {
    const button = element('button', {onclick: () => change({...fields, zoom: ''})},
      element('span', {textContent: title}), element('b', {textContent: value}),
      element('span', {textContent: more}));
    button.fields = fields;
    $('cards').append(button);
  };
  const estimated = (title, fields) => {
    const s = {...defaults, ...fields, by: 'site'}, scope = scopeOf(P, s);
    const e = groupsOf(P, scope, s, pick(P, scope, s, page.buffer)).total.estimate;
    card(title, fields, bytesText(e.value), marginText(e, bytesText) || 'exact');
  };
  const live = {from: 0, what: 'live'}, proven = P.facts.markings > 0;
  estimated('allocated', {from: 0, what: 'alloc', to: 'end'});
  if (proven) estimated('proven live at its peak', {...live, live: 'proven', to: 'peak'});
  estimated('not yet collected at its peak', {...live, live: 'uncollected', to: 'peak'});
  estimated('live at the end', {...live, live: proven ? 'proven' : 'uncollected', to: 'end'});
  const pause = collectorRows(P, 0, Infinity).find(row => row.name === P.facts.gc_kinds[0]);
  if (pause) card('pauses, p99', {tab: 'gc'}, secondsText(pause.p99),
    `max ${secondsText(pause.max)}, ${shareText(pause.share)} of the run`);
}

function makeControls() {
  const same = list => Object.fromEntries(list.map(text => [text, text]));
  const phases = [...new Set(P.facts.phases.map(phase => phase[2]))];
  const numbers = i => same([...new Set(P.facts.thread_numbers.map(pair => pair[i]))]
    .filter(n => n >= 0).sort((a, b) => a - b));
  const texts = {domain: {'': 'any', ...numbers(0)}, thread: {'': 'any', ...numbers(1)}, what: whats, by: bys, unit: same(units), phase: {'': 'any', ...same(phases)},
    live: P.facts.markings > 0 ? liveTexts : {uncollected: liveTexts.uncollected}};
  for (const id in texts)
    $(id).append(...Object.entries(texts[id])
      .map(([value, text]) => element('option', {value, textContent: text})));
  for (const id of ['domain', 'thread']) $(id).parentNode.hidden = $(id).length < 3;
  for (const id of [...selects, ...inputs]) $(id).onchange = () => change({[id]: $(id).value});
  $('inverted').onchange = () => change({inverted: $('inverted').value === 'true'});
  $('search').oninput = () => change({search: $('search').value}, false);
  const presets = {'whole run': {from: 0, to: 'end'},
    'at the peak': {from: 0, to: 'peak', what: 'live'},
    'at the end': {from: 0, to: 'end', what: 'live'}};
  for (const text in presets)
    $('presets').append(element('button',
      {textContent: text, onclick: () => change(presets[text])}));
  if (page.sources)
    $('file').append(...page.sources.names.map(name =>
      element('option', {value: name, textContent: name})));
  $('file').onchange = () => change({file: $('file').value});
  $('whole').onchange = draw;
  for (const tab in tabs) makeTab(tab);
  $('functions').append(...P.texts.fn.slice(0, 5000).map(value => element('option', {value})));
  $('help').onclick = () => $('keys').showModal();
  $('certain').onchange = draw;
  $('swap').onclick = () => { page.swapped = !page.swapped; draw(); };
  $('other').onchange = () => openReport($('other').files[0]);
  document.ondragover = e => e.preventDefault();
  document.ondrop = e => { e.preventDefault(); openReport(e.dataTransfer.files[0]); };
  $('theme').onclick = () => {
    page.theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    setTheme();
    draw();
  };
  $('copy').onclick = () => navigator.clipboard.writeText($('command').textContent).then(
    () => { $('copy').textContent = 'copied'; },
    () => getSelection().selectAllChildren($('command')));
}

function openReport(file) {
  if (file) readReport(file).catch(error => { $('problem').textContent = error.message; });
}

function makeTab(tab) {
  if (tab === 'gc' && P.events.start.length === 0) return;
  if (tab === 'source' && !page.sources) return;
  if (tab in page.reports && page.reports[tab].length === 0) return;
  const button = element('button', {id: 'show-' + tab, textContent: tabs[tab],
    onclick: () => change({tab})});
  button.setAttribute('role', 'tab');
  button.onkeydown = e => {
    const next = {ArrowLeft: button.previousSibling, ArrowRight: button.nextSibling}[e.key];
    if (!next) return;
    next.focus();
    next.click();
    e.stopPropagation();
  };
  button.setAttribute('aria-controls', 'tab-' + tab);
  $('tab-' + tab).setAttribute('aria-labelledby', 'show-' + tab);
  $('tabs').append(button);
}

const unitText = e => estimateText(e, unitShow(S.unit)) + (S.unit === 'bytes' ? '' : ' ' + S.unit);

// Where all words and blocks were counted, the total is exact, as in the tables.
const total = () => isExact(P, page.scope, S)
  ? groupsOf(P, page.scope, S, page.picked).total.estimate
  : estimators[S.unit](P.scale, page.sum);

function drawSelection() {
  for (const id of [...selects, ...inputs, 'search'])
    if ($(id) !== document.activeElement || $(id).tagName === 'SELECT') $(id).value = S[id];
  $('inverted').value = String(S.inverted);
  $('inverted').hidden = S.tab !== 'flame' && S.tab !== 'diff';
  $('live').hidden = !isLive(S);
  $('sentence').textContent = unitText(total()) + ', ' + sentenceOf(S, P);
  const files = [P, page.other].map(p => p ? p.facts.file : 'AFTER');
  if (page.swapped) files.reverse();
  $('command').textContent = S.tab === 'diff' ? commandOf(S, P, files)
    : S.tab === 'holders' ? commandOf(S, P, [P.facts.file, 'SNAPSHOT'])
    : S.tab === 'source' ? commandOf(S, P, [P.facts.file, sourceFile()]) : commandOf(S, P);
  $('copy').textContent = 'copy';
  $('chips').replaceChildren(...filters.filter(key => S[key]).map(key =>
    element('button', {className: 'chip', title: 'remove: ' + S[key],
      textContent: `${key}: ${S[key]} ✕`, onclick: () => change({[key]: ''})})));
  for (const card of $('cards').children) {
    const fits = Object.entries(card.fields).every(([key, value]) => S[key] === value);
    card.setAttribute('aria-pressed', fits);
  }
}

function drawLegend() {
  const byFate = S.color === 'fate' && S.tab === 'flame';
  if ($('legend').dataset.fate === String(byFate)) return;
  $('legend').dataset.fate = byFate;
  const item = (color, text, line) => element('span', {}, swatch(color, 11, line), text);
  const items = [item('var(--accent)', 'not yet collected', 'line')];
  if (P.facts.markings > 0)
    items.unshift(item('color-mix(in srgb, var(--accent) 45%, var(--bg))', 'proven live'));
  if (P.facts.counters.length > 0) items.push(item('none', 'major heap', 'dashed'));
  page.modules.names.forEach((name, i) => items.push(item(palette[i], name)));
  items.push(item(otherFill, 'other modules'));
  if (byFate)
    items.push('bars: live at the end ', ...fateFills.map((fill, i) =>
      item(fill, i === 0 ? 'nothing' : i === 4 ? 'all' : '')));
  $('legend').replaceChildren(...items);
}
