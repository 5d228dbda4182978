// flame.js - call paths as nested bars on a canvas, with keys and a mirror for screen readers.
//
// Only the rows in view are drawn: the canvas sticks to the top of a box that scrolls over all
// rows. Bars narrower than half a pixel are joined to one grey bar; a chain of calls that all
// have nearly the same weight is one row, "11 frames", until it is opened.

const ROW = 20, NARROW = 0.5, STRAIGHT = 0.9, CHAIN = 4;

class Flame {
  // actions: select(path), zoom(path), command(name, path), tip(path, event), untip()
  constructor(box, label, actions) {
    Object.assign(this, {box, actions, rows: [], at: 0, opened: false});
    this.canvas = element('canvas', {tabIndex: 0});
    this.canvas.setAttribute('role', 'tree');
    this.canvas.setAttribute('aria-label', label);
    this.height = element('div');
    box.append(this.canvas, this.height);
    box.onscroll = () => this.draw();
    this.canvas.onpointermove = e => this.onMove(e);
    this.canvas.onpointerleave = () => { this.actions.untip(); this.pointed = null; this.draw(); };
    this.canvas.onclick = e => this.onClick(e);
    this.canvas.onkeydown = e => this.onKey(e);
    this.canvas.onfocus = this.canvas.onblur = () => this.draw();
  }

  // style(path): {fill, hit}; text(path): its figures.
  show(paths, zoom, style, text) {
    if (paths !== this.paths || zoom !== this.zoom) { this.opened = false; this.at = zoom; }
    Object.assign(this, {paths, zoom, style, text});
    this.refresh();
  }

  // The row and place of each bar that is wide enough.
  place() {
    const {paths, zoom} = this, width = this.box.clientWidth, rows = this.rows = [];
    const put = bar => (rows[bar.y] = rows[bar.y] || []).push(bar);
    let level = [{path: zoom, x: 0, w: width, y: 0}];
    put(level[0]);
    level[0] = this.skipChain(level[0], put);
    while (level.length > 0) {
      const next = [];
      for (const bar of level) {
        let x = bar.x, rest = 0, count = 0;
        for (const path of paths.children(bar.path)) {
          const w = bar.w * paths.sums[path] / paths.sums[bar.path];
          if (w < NARROW) { rest += w; count++; continue; }
          const child = {path, x, w, y: bar.y + 1};
          put(child);
          next.push(child);
          x += w;
        }
        if (rest >= NARROW) put({path: bar.path, x, w: rest, y: bar.y + 1, rest: count});
      }
      level = next;
    }
    this.height.style.height = rows.length * ROW + 'px';
  }

  // Puts one row for a long chain below a bar; returns the bar at its end. What leaves the chain on
  // its way is not drawn.
  skipChain(bar, put) {
    const {paths} = this, chain = [];
    for (let path = bar.path; ;) {
      const child = paths.children(path)[0];
      if (child === undefined || paths.sums[child] < STRAIGHT * paths.sums[path]) break;
      chain.push(path = child);
    }
    if (this.opened || chain.length < CHAIN) return bar;
    const end = chain[chain.length - 1], w = bar.w * paths.sums[end] / paths.sums[bar.path];
    const last = {path: end, x: 0, w, y: bar.y + 2};
    put({path: chain[0], x: 0, w: bar.w * paths.sums[chain[0]] / paths.sums[bar.path], y: bar.y + 1,
      chain});
    put(last);
    return last;
  }

  draw() {
    if (!this.paths) return;
    const height = Math.max(ROW, Math.min(this.box.clientHeight, this.rows.length * ROW));
    const g = sized(this.canvas, this.box.clientWidth, height), top = this.box.scrollTop;
    const color = colors(), focused = document.activeElement === this.canvas;
    const last = Math.ceil((top + height) / ROW);
    for (let y = Math.floor(top / ROW); y < Math.min(last, this.rows.length); y++)
      for (const bar of this.rows[y]) {
        const style = bar.rest || bar.chain ? {fill: color.rest} : this.style(bar.path);
        const w = Math.max(bar.w - 1, 0.5), py = y * ROW - top;
        g.fillStyle = style.hit ? color.hit : style.fill;
        g.fillRect(bar.x, py, w, ROW - 1);
        if (style.inner) this.drawInner(g, bar, w, py, style.inner);
        else if (!bar.rest && !bar.chain) this.drawInterval(g, bar, py);
        g.fillStyle = style.hit ? color.onHit : color.onBar;
        const label = (style.sign || '') + this.label(bar);
        if (w > 30) fitText(g, label, bar.x + 4, py + ROW / 2, w - 6);
        const current = !bar.rest && !bar.chain && bar.path === this.at;
        if (current && focused || bar === this.pointed) {
          g.strokeStyle = color.text;
          g.lineWidth = 2;
          g.strokeRect(bar.x + 1, py + 1, Math.max(w - 2, 1), ROW - 3);
        }
      }
  }

  // What one of two profiles has more, hatched if it is explained by chance.
  drawInner(g, bar, w, py, {from, to, fill}) {
    const x = bar.x + w * from, width = w * (to - from);
    g.fillStyle = fill || colors().card;
    if (fill) g.fillRect(x, py, width, ROW - 1);
    else for (let i = 0; i < width; i += 5) g.fillRect(x + i, py, 1, ROW - 1);
  }

  // A whisker from the interval's low bound to the bar's end, if the interval exceeds 5 % of it.
  drawInterval(g, bar, py) {
    const e = bar.w > 60 && this.estimate ? this.estimate(this.paths.sums[bar.path]) : null;
    if (!e || e.high - e.low <= 0.05 * e.value) return;
    const low = e.low / e.value * (bar.w - 2);
    g.fillStyle = colors().onBar;
    g.globalAlpha = 0.55;
    g.fillRect(bar.x + low, py + ROW - 4, bar.w - 2 - low, 1);
    g.fillRect(bar.x + low, py + ROW - 6, 1, 5);
    g.globalAlpha = 1;
  }

  label(bar) {
    if (bar.rest) return bar.rest + ' smaller';
    if (!bar.chain) return this.paths.text(bar.path);
    const texts = bar.chain.map(path => this.paths.text(path).replace(/ \(.*/, ''));
    return `${texts.length - 1} frames: ${texts.slice(0, -1).join(' > ')}`;
  }

  barAt(e) {
    const r = this.canvas.getBoundingClientRect(), x = e.clientX - r.left;
    const row = this.rows[Math.floor((e.clientY - r.top + this.box.scrollTop) / ROW)] || [];
    return row.find(bar => x >= bar.x && x < bar.x + bar.w) || null;
  }

  onMove(e) {
    const bar = this.barAt(e);
    if (bar !== this.pointed) { this.pointed = bar; this.draw(); }
    if (bar) this.actions.tip(bar, e); else this.actions.untip();
  }

  // With a finger the first tap selects, the second zooms.
  onClick(e) {
    const bar = this.barAt(e);
    if (!bar) return;
    if (bar.chain) { this.opened = true; this.refresh(); return; }
    if (bar.rest) return;
    const first = e.pointerType === 'touch' && bar.path !== this.at;
    this.go(bar.path);
    if (!first) this.actions.zoom(bar.path);
  }

  // The mirror follows when nothing has changed for a moment: while one drags, it is not needed.
  refresh() {
    this.place();
    this.draw();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.mirror(), 100);
  }

  go(path) {
    this.at = path;
    this.canvas.setAttribute('aria-activedescendant', this.idOf(path));
    const y = this.rows.findIndex(row => row.some(bar => bar.path === path && !bar.rest));
    const top = this.box.scrollTop, height = this.box.clientHeight;
    if (y >= 0 && (y * ROW < top || (y + 1) * ROW > top + height))
      this.box.scrollTop = Math.max(0, y * ROW - height / 2);
    this.draw();
    this.actions.select(path);
  }

  onKey(e) {
    const {paths, at, zoom} = this;
    const siblings = () => at === zoom ? [at] : paths.children(paths.parent[at]);
    const beside = step => { const all = siblings(); return all[all.indexOf(at) + step]; };
    const moves = {ArrowUp: () => at === zoom ? undefined : paths.parent[at],
      ArrowDown: () => paths.children(at)[0], ArrowLeft: () => beside(-1),
      ArrowRight: () => beside(1), Home: () => zoom};
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (moves[e.key]) {
      const path = moves[e.key]();
      if (path !== undefined) { this.open(path); this.go(path); }
    } else if (e.key === 'Enter') this.actions.zoom(at);
    else if (e.key === 'Backspace') this.actions.zoom(zoom === 0 ? 0 : paths.parent[zoom]);
    else if ('fxisl'.includes(e.key) && at !== 0) this.actions.command(e.key, at);
    else return;
    e.preventDefault();
    e.stopPropagation();
  }

  // Opens the chain if the path is in it.
  open(path) {
    if (this.opened || this.rows.some(row => row.some(b => b.path === path && !b.chain && !b.rest)))
      return;
    this.opened = true;
    this.refresh();
  }

  idOf(path) { return this.canvas.getAttribute('aria-label').replace(/\W+/g, '-') + path; }

  // The widest bars as a tree that screen readers find inside the canvas.
  mirror() {
    const bars = this.rows.flat().filter(b => !b.rest && !b.chain)
      .sort((a, b) => b.w - a.w).slice(0, 100).sort((a, b) => a.y - b.y || a.x - b.x);
    this.canvas.replaceChildren(...bars.map(bar => {
      const item = element('div', {id: this.idOf(bar.path),
        textContent: this.paths.text(bar.path) + ', ' + this.text(this.paths.sums[bar.path])});
      item.setAttribute('role', 'treeitem');
      item.setAttribute('aria-level', bar.y + 1);
      item.setAttribute('aria-selected', bar.path === this.at);
      return item;
    }));
    if (bars.length > 0) this.canvas.setAttribute('aria-activedescendant', this.idOf(this.at));
  }
}
