/** What can be listed for somebody. */
export const SECTIONS = ['waiting', 'asked', 'decided', 'all'] as const;
export type Section = (typeof SECTIONS)[number];

/** What of the lists somebody looks at: what is open for them, from its beginning, or a page of one section. */
export type View =
  | {
      readonly section: 'both';
      /** Only requests that this names, as somebody typed it; decided ones too. */
      readonly id?: string;
    }
  | {
      readonly section: Section;
      /** Where this page and each before it begin, but for the first. */
      readonly trail: readonly string[];
    };

export const OVERVIEW: View = { section: 'both' };

export const DECIDED: View = { section: 'decided', trail: [] };
export const ALL: View = { section: 'all', trail: [] };

/** The sections that a view shows, in their order. */
export function sectionsOf(view: View): readonly Section[] {
  if (view.section !== 'both') return [view.section];
  return view.id === undefined ? ['waiting', 'asked'] : ['waiting', 'asked', 'decided'];
}

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
  const known = SECTIONS.find((each) => each === section);
  return known === undefined ? OVERVIEW : { section: known, trail };
}

function trailOf(view: View): readonly string[] {
  return view.section === 'both' ? [] : view.trail;
}
