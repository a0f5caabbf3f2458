import * as z from 'zod';

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;
type Schema = Parameters<typeof z.fromJSONSchema>[0];

/** The parts of an OpenAPI document that the tests read. */
interface Documentation {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
}

/** What the document does not say of an answer to the operation: nothing, if it describes it exactly. */
export function undocumentedIn(
  { paths, components }: Documentation,
  operationId: string,
  { status, type, text }: Answer,
): readonly unknown[] {
  const operations = Object.values(paths).flatMap((each) => Object.values(each));
  const operation = operations.find((each) => each.operationId === operationId);
  const schema = operation?.responses[status]?.content[type ?? '']?.schema;
  if (schema === undefined) return [`${operationId} answers no ${status} with ${type}`];
  const named = reference(schema)?.replace('#/components/schemas/', '');
  const meant = named === undefined ? schema : components.schemas[named];
  if (meant === undefined) return [`${operationId} refers to ${named}`];
  return z.fromJSONSchema(closed(meant)).safeParse(JSON.parse(text)).error?.issues ?? [];
}

function reference(schema: Schema): string | undefined {
  return typeof schema === 'object' ? schema.$ref : undefined;
}

/** The same without members that it does not name. */
function closed(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema), (_key, value) =>
    typeof value === 'object' && value?.type === 'object' && !value.additionalProperties
      ? { ...value, additionalProperties: false }
      : value,
  );
}
