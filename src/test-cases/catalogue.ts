import type { CatalogueTestProject, Config, Named } from '../config/config.ts';

/** What the configuration says of test projects. */
export interface TestPlaces {
  readonly catalogue: Pick<Config['catalogue'], 'testProjects'>;
  readonly links: Pick<Config['links'], 'testCase'>;
  readonly cases: Pick<Config['cases'], 'announce'>;
}

export function testProjectWith(
  { catalogue }: Pick<TestPlaces, 'catalogue'>,
  id: string | undefined,
): CatalogueTestProject | undefined {
  return catalogue.testProjects.find((project) => project.id === id);
}

/** What somebody can have meant: by id, or else by name; case does not count. */
export function meant<Item extends Named>(items: readonly Item[], words: string): readonly Item[] {
  const byId = items.filter(({ id }) => id === words);
  return byId.length > 0 ? byId : items.filter(({ name }) => fold(name) === fold(words));
}

function fold(text: string): string {
  return text.normalize('NFC').trim().toLowerCase();
}
