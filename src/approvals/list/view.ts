/** What waits for the decision of whoever looks, and what they asked for. */
export type Section = 'waiting' | 'asked';

/** What of the lists somebody looks at: both from their beginning, or a page of one. */
export type View =
  | {
      readonly section: 'both';
      /** Only requests that this names, as somebody typed it. */
      readonly id?: string;
    }
  | {
      readonly section: Section;
      /** Where this page and each before it begin, but for the first. */
      readonly trail: readonly string[];
    };

export const OVERVIEW: View = { section: 'both' };

/** A button's value takes 2,000 characters, a cursor up to 37. */
const TRAIL_MAX = 50;

export function pageAfter(view: View, section: Section, cursor: string): View {
  return { section, trail: [...trailOf(view), cursor].slice(-TRAIL_MAX) };
}

/** undefined on a first page. */
export function pageBefore(view: View): View | undefined {
  if (view.section === 'both' || view.trail.length === 0) return undefined;
  return { ...view, trail: view.trail.slice(0, -1) };
}

/** Where the page begins; undefined: at the beginning. */
export function beginningOf(view: View): string | undefined {
  return trailOf(view).at(-1);
}

/** For a button: it comes back with the press. */
export function writeView(view: View): string {
  return [view.section, ...trailOf(view)].join(' ');
}

/** What is no view is the overview: values come back from outside. */
export function readView(value: string): View {
  const [section, ...trail] = value.split(' ');
  return section === 'waiting' || section === 'asked' ? { section, trail } : OVERVIEW;
}

function trailOf(view: View): readonly string[] {
  return view.section === 'both' ? [] : view.trail;
}
