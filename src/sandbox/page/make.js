// @ts-check

/** @param {string} name @param {string} className @param {string} [text] */
export function make(name, className, text) {
  const node = document.createElement(name);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

/**
 * Lets a button do one thing at a time. It is not `disabled` meanwhile: that would take the focus from it.
 * @param {HTMLElement} button
 * @param {() => Promise<unknown>} work
 */
export function oneAtATime(button, work) {
  return async () => {
    if (button.hasAttribute('aria-disabled')) return;
    button.setAttribute('aria-disabled', 'true');
    try {
      await work();
    } finally {
      button.removeAttribute('aria-disabled');
    }
  };
}
