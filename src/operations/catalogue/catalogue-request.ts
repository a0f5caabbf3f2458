import * as z from 'zod';
import { catalogueId, pathId, pathName, text } from '../../core/config/values.ts';
import { answer, problems, requestBody } from '../../core/http/openapi.ts';
import { readIsoTime } from '../../core/lib/iso-time.ts';
import type { Described } from './reported.ts';

const name = text.max(300);
const named = z.strictObject({ id: catalogueId, name });
type Named = z.infer<typeof named>;

function distinct<Item extends z.ZodType<Named>>(item: Item, most: number) {
  return z
    .array(item)
    .max(most)
    .refine((items) => new Set(items.map(({ id }) => id)).size === items.length, {
      error: 'must not have an id twice',
    })
    .nullable()
    .optional();
}

const STATUSES_MAX = 200;

/** As under `catalogue.projects` in gatepost.yaml. */
const project = z.strictObject({
  id: catalogueId,
  name,
  space: name.nullable().optional().describe('The slug of its Space'),
  slug: name.nullable().optional().describe('Its own slug, for links'),
  statuses: distinct(named, STATUSES_MAX).describe('Of its default workflow'),
  types: distinct(
    z.strictObject({ id: catalogueId, name, statuses: distinct(named, STATUSES_MAX) }),
    100,
  ),
});

/** As under `catalogue.testProjects`. */
const testProject = z.strictObject({
  id: pathId,
  name,
  space: pathName.max(300).describe('The slug of its Space'),
  suites: distinct(named, 1_000),
});

/** One whole project or test project, as an automation read it from the service. Strict: an unknown member is an error. */
export const catalogueRequest = z
  .strictObject({
    readAt: text
      .max(300)
      .refine((time) => readIsoTime(time) !== null, {
        error: 'must be a time such as 2030-01-01T10:00:00Z',
      })
      .describe('When it was read: an older report never replaces a newer one'),
    project: project.optional(),
    testProject: testProject.optional(),
  })
  .refine((request) => (request.project === undefined) !== (request.testProject === undefined), {
    error: 'must have either project or testProject',
  });

export type CatalogueRequest = z.infer<typeof catalogueRequest>;

/** What it describes; a missing list is empty. */
export function describedIn({ project, testProject }: CatalogueRequest): Described {
  if (project !== undefined) {
    const { id, name, space = null, slug = null } = project;
    const types = (project.types ?? []).map((type) => ({ ...type, statuses: type.statuses ?? [] }));
    const place = { id, name, space, slug, statuses: project.statuses ?? [], types };
    return { kind: 'project', place };
  }
  if (testProject === undefined) throw new Error('the request describes nothing');
  const { id, name, space, suites } = testProject;
  return { kind: 'testProject', place: { id, name, space, suites: suites ?? [] } };
}

export const catalogueAnswer = z.strictObject({
  id: z.string(),
  used: z.boolean().describe('false: gatepost.yaml describes it, and takes precedence'),
});

/** The part of `/openapi.json` (OpenAPI 3.1) about the catalogue. */
export function cataloguePaths(): Record<string, unknown> {
  return {
    '/v1/catalogue': {
      post: {
        summary: 'Report a project or test project, so that people can choose it in Slack by name',
        operationId: 'reportCatalogue',
        requestBody: requestBody(catalogueRequest),
        responses: {
          200: answer('A newer report of it is known, and stays', catalogueAnswer),
          202: answer('It is kept for 90 days', catalogueAnswer),
          ...problems([400, 401, 403, 413, 415, 422, 429, 503]),
        },
      },
    },
  };
}
