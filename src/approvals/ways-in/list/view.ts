/** The lists a person can see. */
export const SECTIONS = ['waiting', 'asked', 'decided', 'all'] as const;
export type Section = (typeof SECTIONS)[number];

/** A view of the lists: the start of all open ones, or a page of one section. */
export type View =
  | {
      readonly section: 'both';
      /** Only requests with this id, as typed, or with this link to their message; includes decided ones. */
      readonly id?: string;
    }
  | {
      readonly section: Section;
      /** The cursors of this page and those before it, except the first. */
      readonly trail: readonly string[];
    };

export const OVERVIEW: View = { section: 'both' };

export const DECIDED: View = { section: 'decided', trail: [] };
export const ALL: View = { section: 'all', trail: [] };

/** The sections of a view, in order. */
export function sectionsOf(view: View): readonly Section[] {
  if (view.section !== 'both') return [view.section];
  return view.id === undefined ? ['waiting', 'asked'] : ['waiting', 'asked', 'decided'];
}

/** A button's value holds 2,000 characters, a cursor up to 81. */
const TRAIL_MAX = 24;

export function pageAfter(view: View, section: Section, cursor: string): View {
  return { section, trail: [...trailOf(view), cursor].slice(-TRAIL_MAX) };
}

/** undefined on a first page. */
export function pageBefore(view: View): View | undefined {
  if (view.section === 'both' || view.trail.length === 0) return undefined;
  return { ...view, trail: view.trail.slice(0, -1) };
}

/** The cursor of the page; undefined: the first page. */
export function beginningOf(view: View): string | undefined {
  return trailOf(view).at(-1);
}

/** For a button's value. */
export function writeView(view: View): string {
  return [view.section, ...trailOf(view)].join(' ');
}

/** Anything else is the overview: values come back from outside. */
export function readView(value: string): View {
  const [section, ...trail] = value.split(' ');
  const known = SECTIONS.find((each) => each === section);
  return known === undefined ? OVERVIEW : { section: known, trail };
}

function trailOf(view: View): readonly string[] {
  return view.section === 'both' ? [] : view.trail;
}
