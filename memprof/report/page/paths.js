// paths.js - the selected samples summed by call path: query/paths.c in JavaScript.
//
// A tree of paths has a parent and a key for each path; path 0 is the root and parents come first.
// A function that calls itself, or a hidden frame, is no step of its own. Trees depend on the
// stacks only and are kept; `weigh` sums the picked samples into one, in a unit.

class Paths {
  constructor(profile, scope, by) {
    Object.assign(this, {profile, scope, by, keys: profile.keyOf[by], texts: profile.texts[by]});
    this.parent = [0];
    this.key = [-1];
    this.known = new Map();
  }

  keyOfNode(node) { return this.keys[this.profile.location[node]]; }

  step(path, key) {
    const id = path * this.texts.length + key;
    let child = this.known.get(id);
    if (child === undefined) {
      this.known.set(id, child = this.parent.length);
      this.parent.push(path);
      this.key.push(key);
    }
    return child;
  }

  // For each node the outermost frame of a function, 0: it is not in the stack.
  outermost(key) {
    const {parent} = this.profile, found = new Uint32Array(parent.length);
    for (let i = 1; i < parent.length; i++)
      found[i] = found[parent[i]] ||
        (this.keyOfNode(i) === key && !this.scope.hidden[i] ? i : 0);
    return found;
  }

  // Sums hits of the nodes (and blocks and samples, whatever the weights are) by path.
  sumNodes(weights) {
    const sums = new Float64Array(this.parent.length);
    for (let i = 0; i < weights.length; i++)
      if (weights[i] > 0 && this.pathOf[i] >= 0) sums[this.pathOf[i]] += weights[i];
    for (let i = sums.length - 1; i > 0; i--) sums[this.parent[i]] += sums[i];
    return sums;
  }


  text(path) { return path === 0 ? 'all' : this.texts[this.key[path]]; }

  // The children of each path, as lists linked by `next`; made anew when there are more paths.
  link() {
    if (this.first && this.first.length === this.parent.length) return;
    this.first = new Uint32Array(this.parent.length);
    this.next = new Uint32Array(this.parent.length);
    for (let i = this.parent.length - 1; i > 0; i--) {
      this.next[i] = this.first[this.parent[i]];
      this.first[this.parent[i]] = i;
    }
  }

  // The children with a weight, the largest first.
  children(path) {
    const list = [];
    this.link();
    for (let c = this.first[path]; c !== 0; c = this.next[c]) if (this.sums[c] > 0) list.push(c);
    return list.sort((a, b) => this.sums[b] - this.sums[a] || this.key[a] - this.key[b]);
  }

  // For each path, whether it goes through the given one.
  below(path) {
    const inside = new Uint8Array(this.parent.length);
    inside[path] = 1;
    for (let i = path + 1; i < inside.length; i++) inside[i] |= inside[this.parent[i]];
    return inside;
  }

  // The keys of a path, joined; and the deepest path of such a text.
  address(path) {
    const keys = [];
    for (; path !== 0; path = this.parent[path]) keys.unshift(this.key[path]);
    return keys.join('.');
  }
  find(address) {
    let path = 0;
    for (const key of address === '' ? [] : address.split('.').map(Number)) {
      if (this.grow) this.grow(path);
      const child = this.known.get(path * this.texts.length + key);
      if (child === undefined) break;
      path = child;
    }
    return path;
  }
}

// From the program's start, or from a function, inwards.
class Inward extends Paths {
  constructor(profile, scope, by, key = -1) {
    super(profile, scope, by);
    const {parent} = profile, start = key >= 0 ? this.outermost(key) : null;
    this.pathOf = new Int32Array(parent.length);
    if (key >= 0) this.pathOf[0] = -1;
    for (let i = 1; i < parent.length; i++) {
      if (key >= 0 && !start[i]) { this.pathOf[i] = -1; continue; }
      const above = start && start[i] === i ? 0 : this.pathOf[parent[i]], own = this.keyOfNode(i);
      this.pathOf[i] = scope.hidden[i] || (above !== 0 && this.key[above] === own) ? above
        : this.step(above, own);
    }
    // Complete: arrays that are quicker to read, and the path of each sample.
    this.parent = Uint32Array.from(this.parent);
    this.key = Int32Array.from(this.key);
    this.ofSample = Int32Array.from(profile.node, node => this.pathOf[node]);
    this.sums = new Float64Array(this.parent.length);
  }

  weigh(picked, unit) {
    const {sums, parent} = this;
    addByKey(sums.fill(0), this.ofSample, picked, weightIn(this.profile, unit));
    for (let i = sums.length - 1; i > 0; i--) sums[parent[i]] += sums[i];
  }
}

// From the allocation, or from a function, outwards. A stack's path grows only where it is large
// enough to be drawn.
class Outward extends Paths {
  constructor(profile, scope, by, key = -1) {
    super(profile, scope, by);
    const {parent} = profile, n = parent.length;
    this.start = key >= 0 ? this.outermost(key) : scope.shown;
    this.caller = new Uint32Array(n); // the next step: the innermost caller with another key
    for (let i = 1; i < n; i++) {
      const above = scope.shown[parent[i]];
      this.caller[i] = above !== 0 && this.keyOfNode(above) === this.keyOfNode(i)
        ? this.caller[above] : above;
    }
    this.pathOf = new Int32Array(n);
    const all = [];
    for (let i = 0; i < n; i++)
      if (key < 0 || this.start[i] !== 0) all.push(i, this.start[i]); else this.pathOf[i] = -1;
    this.waiting = [all]; // of each path: pairs of a node and its next frame; null: has grown
    this.least = 0;
  }

  grow(path) {
    const pairs = this.waiting[path];
    if (!pairs) return;
    this.waiting[path] = null;
    for (let i = 0; i < pairs.length; i += 2) {
      const frame = pairs[i + 1];
      if (frame === 0) continue;
      const child = this.step(path, this.keyOfNode(frame));
      if (!this.waiting[child]) this.waiting[child] = [];
      this.waiting[child].push(pairs[i], this.caller[frame]);
      this.pathOf[pairs[i]] = child;
    }
  }

  weigh(picked, unit, share = 0.0005) {
    const {profile} = this;
    const weights = addByKey(new Float64Array(profile.parent.length), profile.node, picked,
      weightIn(profile, unit));
    let total = 0;
    for (let i = 0; i < weights.length; i++) if (this.pathOf[i] >= 0) total += weights[i];
    const large = path => this.sums[path] > 0 && this.sums[path] >= share * total;
    this.sums = this.sumNodes(weights);
    for (let path = 0; path < this.parent.length; path++) {
      if (!this.waiting[path] || !large(path)) continue;
      const pairs = this.waiting[path], before = this.parent.length;
      this.grow(path);
      if (this.parent.length > this.sums.length) {
        const wider = new Float64Array(Math.max(this.parent.length, 2 * this.sums.length));
        wider.set(this.sums);
        this.sums = wider;
      }
      if (this.parent.length > before || pairs.length > 0)
        for (let i = 0; i < pairs.length; i += 2)
          if (this.pathOf[pairs[i]] !== path) this.sums[this.pathOf[pairs[i]]] += weights[pairs[i]];
    }
    this.sums = this.sums.slice(0, this.parent.length);
  }
}
