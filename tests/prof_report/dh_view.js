// dh_view.js - runs valgrind's DHAT viewer on a profile under node and prints the text of its page.
//   node dh_view.js VIEWER PROFILE
// The page's elements are stood in for by objects that keep text and children; any other member
// of an element may be set, and methods of unknown names do nothing.
'use strict';
const fs = require('fs'), vm = require('vm');

class Element {
  constructor(text) {
    this.children = []; this.text = text || ''; this.style = {};
    this.classList = {add() {}, remove() {}, toggle() {}, contains: () => false};
  }
  appendChild(child) { this.children.push(child); child.parentNode = this; return child; }
  cloneNode() { return new Element(this.text); }
  replaceChild(child, old) {
    this.children[this.children.indexOf(old)] = child;
    child.parentNode = this;
    return old;
  }
  insertBefore(child) { return this.appendChild(child); }
  removeChild(child) { this.children = this.children.filter(c => c !== child); return child; }
  get firstChild() { return this.children[0] || null; }
  get lastChild() { return this.children[this.children.length - 1] || null; }
  set textContent(text) { this.children = []; this.text = text; }
  get textContent() { return this.text + this.children.map(c => c.textContent).join(''); }
  get offsetHeight() { return 0; }
  addEventListener() {}
  setAttribute() {}
  get childNodes() { return this.children; }
  get options() { return this.children; }
  get selectedIndex() { return 0; }
}

const document = {body: new Element(), title: '', location: {search: ''},
  createElement: () => new Element(), createTextNode: text => new Element(text),
  getElementById: () => new Element()};
const page = vm.createContext({document, window: {}, URLSearchParams, console,
  performance: {now: () => 0}, alert: text => { throw new Error(text); }, navigator: {}});
vm.runInContext(fs.readFileSync(process.argv[2], 'utf8'), page);
page.profile = fs.readFileSync(process.argv[3], 'utf8');
vm.runInContext(`onLoad(); gFilename = 'profile'; gData = JSON.parse(profile);
  buildTree(); displayTree(0, 0, 0);`, page);
console.log(document.body.textContent);
