// timeline.js - the run from left to right: live memory, the process's memory, allocation and
// CPU time by module, collector, phases.
// A range is selected by dragging over it, with its two handles, or by keys; a click selects a
// moment. The axis is time or, stable from run to run, allocated memory.

const LANES = [['live', 84], ['resident', 24], ['alloc', 44],
  ['processor', 28], ['gc', 26], ['phases', 18]];

class Timeline {
  // actions: range(from, to, done), moment(t), all(), tip(html, event), untip()
  constructor(box, profile, actions) {
    Object.assign(this, {box, profile, actions});
    this.lanesCanvas = element('canvas');
    this.rangeCanvas = element('canvas', {className: 'over'});
    this.handles = ['start', 'end'].map(name => {
      const handle = element('div', {className: 'handle', tabIndex: 0});
      handle.setAttribute('role', 'slider');
      handle.setAttribute('aria-label', name + ' of the selected time');
      handle.onkeydown = e => this.onKey(e, name);
      return handle;
    });
    box.append(this.lanesCanvas, this.rangeCanvas, ...this.handles);
    box.onpointerdown = e => this.onDown(e);
    box.onpointermove = e => this.onMove(e);
    box.onpointerup = e => this.onUp(e);
    box.onpointercancel = () => { this.drag = null; };
    box.onpointerleave = () => actions.untip();
    box.ondblclick = () => actions.all();
    this.step = Math.max(1, 10 ** Math.floor(Math.log10(profile.end / 2000)));
    this.lanes = LANES.filter(([name]) => (name !== 'gc' || profile.events.start.length > 0) &&
      (name !== 'resident' || profile.resident.time.length > 1) &&
      (name !== 'processor' || profile.ticks.time.length > 0) &&
      (name !== 'phases' || profile.facts.phases.length > 0));
    this.births = new Float64Array(profile.samples + 1); // hits born before each sample
    for (let i = 0; i < profile.samples; i++)
      this.births[i + 1] = this.births[i] + (profile.source[i] === FIBER ? 0 : profile.hits[i]);
  }

  // Where a time is on the axis, 0 to 1, and back.
  place(time) {
    const {profile, births} = this;
    if (this.axis === 'time') return Math.min(1, time / Math.max(1, profile.end));
    const n = countWhile(profile.samples, i => profile.born[i] <= time);
    return births[n] / Math.max(1, births[profile.samples]);
  }
  timeAt(place) {
    const {profile, births} = this;
    let time = place * profile.end;
    if (this.axis === 'alloc') {
      const n = countWhile(profile.samples, i => births[i + 1] < place * births[profile.samples]);
      time = n < profile.samples ? profile.born[n] : profile.end;
    }
    if (place >= 1) return profile.end;
    return Math.max(0, Math.min(profile.end, Math.round(time / this.step) * this.step));
  }

  // Sums the samples of a scope into steps as wide as two pixels: what is live at the end of a step,
  // or at the run's peak if that is in the step and more was live then. modules: the numbers of the
  // colours of modules (modulesOf).
  measure(scope, s, modules) {
    const {profile} = this, n = Math.max(50, Math.min(1500, Math.floor(this.box.clientWidth / 2)));
    Object.assign(this, {axis: s.axis, steps: n});
    const stepOf = time => time === Infinity ? n
      : Math.min(n - 1, Math.floor(this.place(time) * n));
    const live = {};
    for (const bound of ['proven', 'uncollected']) {
      const until = profile.until[bound], change = live[bound] = new Float64Array(n + 1);
      const peak = peakOf(profile, bound);
      let most = 0;
      for (let i = 0; i < profile.samples; i++) {
        if (!scope.kept[i] || until[i] < profile.born[i]) continue;
        change[stepOf(profile.born[i])] += profile.hits[i];
        if (peak !== null && profile.born[i] <= peak && until[i] >= peak) most += profile.hits[i];
        if (until[i] < profile.end) change[stepOf(until[i] + 1)] -= profile.hits[i];
      }
      accumulate(change);
      if (peak !== null) change[stepOf(peak)] = Math.max(change[stepOf(peak)], most);
    }
    const alloc = Array.from({length: palette.length + 1}, () => new Float64Array(n));
    for (let i = 0; i < profile.samples; i++)
      if (scope.kept[i] && profile.source[i] !== FIBER)
        alloc[modules.ofNode[profile.node[i]]][stepOf(profile.born[i])] += profile.hits[i];
    Object.assign(this, {live, alloc});
    this.measurePauses(stepOf);
    this.measureTicks(stepOf, modules);
  }

  // Ticks by the colours of modules; the last ones are the collector's.
  measureTicks(stepOf, modules) {
    const {time, location, running, collecting} = this.profile.ticks;
    const keys = this.profile.keyOf.module;
    this.ticks = Array.from({length: palette.length + 2}, () => new Float64Array(this.steps));
    time.forEach((t, i) => {
      const ticks = running[i] + collecting[i], last = stepOf(t);
      const first = Math.min(last, stepOf(Math.max(0, t - ticks * this.profile.facts.tick_ns)));
      for (let step = first; step <= last; step++) {
        const part = 1 / (last - first + 1);
        this.ticks[modules.rank[keys[location[i]]]][step] += running[i] * part;
        this.ticks[palette.length + 1][step] += collecting[i] * part;
      }
    });
  }

  measurePauses(stepOf) {
    const {start, kind, duration, cause} = this.profile.events;
    this.pauses = new Float64Array(this.steps); // the longest, and its cause
    this.causes = new Uint8Array(this.steps);
    start.forEach((time, i) => {
      const step = stepOf(time);
      if (kind[i] !== 0 || duration[i] <= this.pauses[step]) return;
      this.pauses[step] = duration[i];
      this.causes[step] = cause[i];
    });
  }

  bytes(hits) { return estimateBytes(this.profile.scale, {hits, fiberHits: 0}).value; }

  // Draws the lanes, without the selection.
  drawLanes() {
    const height = this.lanes.reduce((sum, [, h]) => sum + h + 4, 16), width = this.box.clientWidth;
    const g = sized(this.lanesCanvas, width, height), color = colors();
    Object.assign(this, {width, axisTop: height - 16});
    let y = 0;
    for (const [name, h] of this.lanes) {
      this[name + 'Lane'](g, y, h, width, color);
      g.fillStyle = color.dim;
      g.textAlign = 'left';
      if (this.topText) g.fillText(this.topText, 4, y + 8);
      this.topText = '';
      g.fillStyle = color.line;
      g.fillRect(0, y + h + 1, width, 1);
      y += h + 4;
    }
    this.drawAxis(g, y, width, color);
  }

  liveLane(g, y, h, width, color) {
    const {profile, steps, live} = this, word = profile.scale.wordBytes, x = i => i / steps * width;
    const heap = profile.facts.counters.map(c => [this.place(c.time) * width, c.heap_words * word]);
    const top = Math.max(1, this.bytes(live.uncollected.reduce((a, b) => Math.max(a, b), 0)),
      ...heap.map(p => p[1]));
    const at = bytes => y + h - (h - 16) * bytes / top;
    const path = (array, close) => {
      g.beginPath();
      if (close) g.moveTo(0, y + h);
      for (let i = 0; i < steps; i++) {
        g.lineTo(x(i), at(this.bytes(array[i])));
        g.lineTo(x(i + 1), at(this.bytes(array[i])));
      }
      if (close) g.lineTo(width, y + h);
    };
    g.fillStyle = color.accent;
    g.globalAlpha = 0.45;
    path(live.proven, true);
    g.fill();
    g.globalAlpha = 1;
    g.strokeStyle = color.accent;
    g.lineWidth = 1.5;
    path(live.uncollected, false);
    g.stroke();
    g.strokeStyle = color.dim;
    g.setLineDash([4, 3]);
    g.lineWidth = 1;
    g.beginPath();
    heap.forEach(([hx, bytes], i) => {
      if (i > 0) g.lineTo(hx, at(heap[i - 1][1]));
      g.lineTo(hx, at(bytes));
    });
    g.stroke();
    g.setLineDash([]);
    this.topText = 'live memory, up to ' + bytesText(top);
  }

  // Stacked bars, one for each step, as high as their sum is beside `most`; returns the largest.
  stack(g, y, h, width, parts, colorOf, share) {
    const {steps} = this, w = width / steps;
    const totals = parts[0].map((v, i) => parts.reduce((sum, a) => sum + a[i], 0));
    const most = totals.reduce((a, b) => Math.max(a, b), 1e-9);
    for (let i = 0; i < steps; i++) {
      let base = y + h;
      for (let m = 0; m < parts.length && totals[i] > 0; m++) {
        const part = (h - 14) * parts[m][i] / (share ? totals[i] : most);
        g.fillStyle = colorOf(m);
        g.fillRect(i * w, base -= part, Math.max(1, w), part);
      }
    }
    return most;
  }

  residentLane(g, y, h, width, color) {
    const {time, bytes} = this.profile.resident, most = bytes.reduce((a, b) => Math.max(a, b), 1);
    g.fillStyle = color.dim;
    g.globalAlpha = 0.5;
    time.forEach((t, i) => {
      const x = this.place(t) * width, height = (h - 13) * bytes[i] / most;
      const next = i + 1 < time.length ? this.place(time[i + 1]) * width : width;
      g.fillRect(x, y + h - height, Math.max(1, next - x), height);
    });
    g.globalAlpha = 1;
    this.topText = 'resident memory of the process, up to ' + bytesText(most);
  }

  processorLane(g, y, h, width, color) {
    const fill = m => m > palette.length ? color.accent : palette[m] || otherFill;
    this.stack(g, y, h, width, this.ticks, fill, this.axis === 'alloc');
    const used = this.ticks.reduce((sum, a) => a.reduce((x, n) => x + n, sum), 0);
    this.topText = 'CPU time by module, ' +
      secondsText(used * this.profile.facts.tick_ns / 1e9);
  }

  allocLane(g, y, h, width) {
    const most = this.stack(g, y, h, width, this.alloc, m => palette[m] || otherFill,
      this.axis === 'alloc');
    const {steps} = this;
    const seconds = this.profile.end / 1e9 / steps;
    if (this.axis === 'time' && seconds > 0)
      this.topText = 'allocated by module, up to ' + bytesText(this.bytes(most) / seconds) + '/s';
  }

  gcLane(g, y, h, width, color) {
    const {pauses, steps} = this, most = pauses.reduce((a, b) => Math.max(a, b), 0);
    g.fillStyle = color.accent;
    pauses.forEach((p, i) => {
      const height = p > 0 ? Math.max(1, (h - 13) * p / most) : 0;
      g.fillRect(i * width / steps, y + h - height, Math.max(1, width / steps - 0.5), height);
    });
    this.topText = 'pauses of the collector, up to ' + secondsText(most / 1e9);
  }

  phasesLane(g, y, h, width, color) {
    this.profile.facts.phases.slice(0, 2000).forEach(([start, end, name], i) => {
      const x = this.place(start) * width;
      const w = this.place(end === null ? Infinity : end) * width - x;
      g.fillStyle = palette[i % palette.length];
      g.fillRect(x, y, Math.max(1, w - 1), h);
      g.fillStyle = color.onBar;
      if (w > 30) fitText(g, name, x + 4, y + h / 2, w - 6);
    });
  }

  drawAxis(g, y, width, color) {
    const marks = Math.max(2, Math.floor(width / 130));
    g.fillStyle = color.dim;
    for (let i = 0; i <= marks; i++) {
      g.textAlign = i === 0 ? 'left' : i === marks ? 'right' : 'center';
      const place = i / marks;
      g.fillText(this.axis === 'time' ? secondsText(place * this.profile.end / 1e9)
        : bytesText(this.bytes(place * this.births[this.profile.samples])), place * width, y + 8);
    }
    g.textAlign = 'left';
  }

  // What is not selected is dimmed; a moment is a line.
  drawRange(s) {
    const {width, axisTop: height} = this, color = colors();
    const g = sized(this.rangeCanvas, width, height);
    const to = resolve(s.to, this.profile, s.live);
    const a = (s.what === 'live' ? 1 : this.place(s.from)) * width, b = this.place(to) * width;
    g.fillStyle = color.bg;
    g.globalAlpha = 0.62;
    if (s.what !== 'live') {
      g.fillRect(0, 0, a, height);
      g.fillRect(b, 0, width - b, height);
    }
    g.globalAlpha = 1;
    g.fillStyle = color.text;
    g.fillRect(Math.min(width - 2, Math.max(0, b - 1)), 0, 2, height);
    if (s.what !== 'live' && s.from > 0) g.fillRect(a - 1, 0, 2, height);
    this.handles.forEach((handle, i) => {
      const time = i === 0 ? s.from : to;
      handle.hidden = i === 0 && s.what === 'live';
      handle.style.left = (i === 0 ? a : b) + 'px';
      handle.setAttribute('aria-valuemin', 0);
      handle.setAttribute('aria-valuemax', this.profile.end / 1e9);
      handle.setAttribute('aria-valuenow', time / 1e9);
      handle.setAttribute('aria-valuetext', secondsText(time / 1e9));
    });
    this.selection = s;
  }

  eventTime(e) {
    const r = this.box.getBoundingClientRect();
    return this.timeAt(Math.max(0, Math.min(1, (e.clientX - r.left) / r.width)));
  }

  onDown(e) {
    if (e.button !== 0) return;
    const handle = this.handles.indexOf(e.target), s = this.selection;
    const other = handle === 0 ? resolve(s.to, this.profile, s.live) : s.from;
    this.drag = {x: e.clientX, from: handle >= 0 && !(handle === 1 && s.what === 'live') ? other
      : this.eventTime(e), moved: false, moment: handle === 1 && s.what === 'live'};
    this.box.setPointerCapture(e.pointerId);
  }

  onMove(e) {
    const time = this.eventTime(e);
    if (!this.drag) { this.actions.tip(this.textAt(e), e); return; }
    if (Math.abs(e.clientX - this.drag.x) > 3) this.drag.moved = true;
    if (this.drag.moved) this.select(time, false);
  }

  onUp(e) {
    const drag = this.drag, time = this.eventTime(e);
    if (!drag) return;
    if (drag.moved) this.select(time, true); else this.actions.moment(time);
    this.drag = null;
  }

  select(time, done) {
    const {from, moment} = this.drag;
    if (moment) this.actions.moment(time);
    else if (from !== time) this.actions.range(Math.min(from, time), Math.max(from, time), done);
  }

  onKey(e, name) {
    const s = this.selection, to = resolve(s.to, this.profile, s.live);
    const unit = Math.max(this.step, this.timeAt(0.01)) * (e.shiftKey ? 10 : 1);
    const by = {ArrowLeft: -unit, ArrowDown: -unit, ArrowRight: unit, ArrowUp: unit,
      Home: -this.profile.end, End: this.profile.end}[e.key];
    if (by === undefined) return;
    e.preventDefault();
    const clamp = time => Math.max(0, Math.min(this.profile.end, time));
    if (s.what === 'live') this.actions.moment(clamp(to + by));
    else if (name === 'start')
      this.actions.range(Math.min(clamp(s.from + by), to - this.step), to, true);
    else this.actions.range(s.from, Math.max(clamp(to + by), s.from + this.step), true);
  }

  // What is known at the pointer.
  textAt(e) {
    const r = this.box.getBoundingClientRect(), place = (e.clientX - r.left) / r.width;
    const i = Math.max(0, Math.min(this.steps - 1, Math.floor(place * this.steps)));
    const at = secondsText(this.timeAt(i / this.steps) / 1e9), lines = ['at ' + at];
    const bound = name => bytesText(this.bytes(this.live[name][i]));
    if (this.profile.facts.markings > 0) lines.push('proven live: ' + bound('proven'));
    lines.push('not yet collected: ' + bound('uncollected'));
    lines.push('allocated in this step: ' +
      bytesText(this.bytes(this.alloc.reduce((sum, a) => sum + a[i], 0))));
    if (this.pauses[i] > 0) lines.push('longest pause: ' + secondsText(this.pauses[i] / 1e9) +
      (this.causes[i] > 0 ? ', ' + this.profile.facts.causes[this.causes[i]] : ''));
    return lines.join('\n');
  }
}
