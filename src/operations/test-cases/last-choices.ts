import * as z from 'zod';
import type { Core } from '../../core/core.ts';
import type { NewTestCase } from '../../core/service/create-test-case.ts';
import type { Form } from '../../core/slack/form.ts';
import { changeValue } from '../../core/store/change-value.ts';
import type { Store } from '../../core/store/store.ts';
import { unlessAway } from '../../core/store/unless-away.ts';
import { type TestPlaces, testProjectWith } from './catalogue.ts';
import { OPTION_MAX } from './fields.ts';

/** The project and suite of the channel's last test case, which usually fit the next one too. */
interface LastChoices extends Pick<NewTestCase, 'projectId' | 'suiteId'> {
  /** Suites that the service took and nobody has listed, the last one first. */
  readonly typed?: readonly (readonly [projectId: string, suiteId: string])[];
}

/** Unused choices are dropped after this time. */
const LIFETIME_MS = 90 * 86_400_000;
const TYPED_MAX = 20;

/** undefined: there are none, or the store is unavailable. */
export async function recallChoices(
  store: Store,
  channel: string,
): Promise<LastChoices | undefined> {
  return decode(await unlessAway(store.get(keyOf(channel)), undefined));
}

/** Throws StoreError. */
export async function rememberChoices(
  store: Store,
  channel: string,
  { projectId, suiteId }: NewTestCase,
  places: TestPlaces,
): Promise<void> {
  const { suites = [] } = testProjectWith(places, projectId) ?? {};
  const isTyped = suiteId !== undefined && !suites.some(({ id }) => id === suiteId);
  const place = { key: keyOf(channel), lifetimeMs: LIFETIME_MS };
  await changeValue(store, place, (text) => {
    const known = decode(text)?.typed ?? [];
    const others = known.filter(([project, suite]) => project !== projectId || suite !== suiteId);
    const typed = isTyped ? [[projectId, suiteId] as const, ...others] : known;
    const last: LastChoices = { projectId, ...(suiteId !== undefined && { suiteId }) };
    const kept = { ...last, ...(typed.length > 0 && { typed: typed.slice(0, TYPED_MAX) }) };
    return { after: JSON.stringify(kept), result: undefined };
  });
}

/** The test projects, with suites that were typed in the channel beside those that are listed. */
export function withTyped<Places extends TestPlaces>(
  places: Places,
  { typed = [] }: Partial<LastChoices> = {},
): TestPlaces {
  if (typed.length === 0) return places;
  const testProjects = places.catalogue.testProjects.map((project) => {
    const more = typed.filter(
      ([of, id]) =>
        of === project.id &&
        id.length <= OPTION_MAX &&
        !project.suites.some((suite) => suite.id === id),
    );
    // Without a list, the form and the command take any id.
    if (more.length === 0 || project.suites.length === 0) return project;
    return { ...project, suites: [...project.suites, ...more.map(([, id]) => ({ id, name: id }))] };
  });
  const { links, cases } = places;
  return { links, cases, catalogue: { testProjects } };
}

const carried = z.looseObject({ channel: z.string() });

/** The test projects for a form of the feature, which carries its channel. */
export async function placesOf({ config, store }: Core, form: Form): Promise<TestPlaces> {
  const { channel } = carried.parse(JSON.parse(form.metadata));
  return withTyped(config, await recallChoices(store, channel));
}

function decode(text: string | undefined): LastChoices | undefined {
  // as: only `rememberChoices` writes it
  return text === undefined ? undefined : (JSON.parse(text) as LastChoices);
}

function keyOf(channel: string): string {
  return `test-cases.last:${channel}`;
}
