// @ts-check

/** @typedef {{ key: string, facts: unknown, draw: () => HTMLElement }} Item */

/** What a node was drawn from, as JSON. @type {WeakMap<HTMLElement, string>} */
const sources = new WeakMap();

/**
 * Makes the box hold the items in their order. What is drawn already is left alone, so that it is not read out twice.
 * @param {HTMLElement} box
 * @param {readonly Item[]} items `key` is the item's own in this box; `facts` is all that its looks depend on
 */
export function drawItems(box, items) {
  const known = new Map(childrenOf(box).map((node) => [node.dataset.key, node]));
  const nodes = items.map(({ key, facts, draw }) => {
    const source = JSON.stringify(facts);
    const old = known.get(key);
    if (old && sources.get(old) === source) return old;
    const node = draw();
    node.dataset.key = key;
    sources.set(node, source);
    return node;
  });
  keepFocus(box, () => place(box, nodes));
}

/** @param {HTMLElement} box */
function childrenOf(box) {
  // Only drawItems fills a box, with HTML elements alone.
  return /** @type {HTMLElement[]} */ ([...box.children]);
}

/** Puts the nodes into the box without moving those that stand right. @param {HTMLElement} box @param {readonly HTMLElement[]} nodes */
function place(box, nodes) {
  const wanted = new Set(nodes);
  for (const child of childrenOf(box)) {
    if (!wanted.has(child)) child.remove();
  }
  nodes.forEach((node, index) => {
    if (box.children[index] !== node) box.insertBefore(node, box.children[index] ?? null);
  });
}

/**
 * Gives the focus back to the control of the same keys; where that is gone, to what held it.
 * @param {HTMLElement} box
 * @param {() => void} change
 */
function keepFocus(box, change) {
  const focused = document.activeElement;
  const path = keysBetween(box, focused);
  change();
  if (path.length === 0 || document.activeElement === focused) return;
  let place = box;
  for (const key of path) {
    const next = place.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (!(next instanceof HTMLElement)) break;
    place = next;
  }
  place.focus({ preventScroll: true });
}

/** Keys on the way from the box to something in it, the outermost first. @param {HTMLElement} box @param {Element | null} inner */
function keysBetween(box, inner) {
  /** @type {string[]} */
  const keys = [];
  if (!box.contains(inner)) return keys;
  for (let node = inner; node instanceof HTMLElement && node !== box; node = node.parentElement) {
    if (node.dataset.key !== undefined) keys.unshift(node.dataset.key);
  }
  return keys;
}
