/** The anchors of a page's headings, as GitHub makes them. */
export function anchorsOf(page: string): string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
}

/** The text under the heading with this anchor, up to the next heading of its level or above; empty without it. */
export function sectionOf(page: string, anchor: string): string {
  const headings = [...page.matchAll(/^(#+) (.+)$/gm)];
  const at = headings.findIndex(([, , heading = '']) => anchorOf(heading) === anchor);
  const [whole = '', level = ''] = headings[at] ?? [];
  const next = headings.slice(at + 1).find(([, other = '']) => other.length <= level.length);
  const start = headings[at]?.index;
  return start === undefined ? '' : page.slice(start + whole.length, next?.index);
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
