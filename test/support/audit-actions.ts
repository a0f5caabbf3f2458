import { posix } from 'node:path';
import { parseSync } from 'vite';
import { readSources } from './source-imports.ts';

export interface WrittenAction {
  /** The file that makes the entry. */
  readonly path: string;
  readonly action: string;
}

interface Node {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** A place in a file, with the functions around it, the innermost first. */
interface Place {
  readonly path: string;
  readonly around: readonly Node[];
}

interface Found extends Place {
  readonly node: Node;
}

/**
 * The actions of all entries that any code writes into the audit log, found in its text: followed through constants,
 * conditions, templates and parameters. One that cannot be followed is `?`, or has one.
 */
export async function writtenActions(folder: string): Promise<readonly WrittenAction[]> {
  const nodes = (await readSources(folder)).flatMap(({ path, text }) =>
    nodesIn({ path, around: [], node: nodeOf(parseSync(path, text).program) }),
  );
  const of = (type: string) => nodes.filter(({ node }) => node.type === type);
  const [objects, calls, constants] = [
    of('ObjectExpression'),
    of('CallExpression'),
    of('VariableDeclarator'),
  ];
  /** The file in which a name of this file is declared. */
  const homeOf = (path: string, name: unknown): string => {
    const found = of('ImportDeclaration').find(
      ({ node, path: importer }) =>
        importer === path &&
        nodesOf(node.specifiers).some(({ local }) => nodeOf(local).name === name),
    );
    const source = String(found === undefined ? '' : nodeOf(found.node.source).value);
    return source.startsWith('.') ? posix.join(posix.dirname(path), source) : path;
  };
  const prefixes = objects.flatMap(({ node }) => {
    const { kind, audit, factsOf } = membersOf(node);
    const isRules = kind !== undefined && factsOf !== undefined && audit?.type === 'Literal';
    return isRules ? [String(audit.value)] : [];
  });

  const textsOf = (node: Node | undefined | null, place: Place, depth = 0): readonly string[] => {
    const next = (inner: unknown, at = place) => textsOf(nodeOf(inner), at, depth + 1);
    if (!node || depth > 8) return ['?'];
    if (node.type === 'Literal') return [String(node.value)];
    if (node.type === 'ConditionalExpression')
      return [...next(node.consequent), ...next(node.alternate)];
    if (node.type === 'MemberExpression')
      return nodeOf(node.property).name === 'audit' ? prefixes : ['?'];
    if (node.type === 'TemplateLiteral') {
      const pieces = nodesOf(node.quasis).map(({ value }) => Object(value).cooked);
      const inside = nodesOf(node.expressions).map((each) => next(each));
      return pieces.reduce<string[]>(
        (texts, piece, at) =>
          texts.flatMap((text) => (inside[at] ?? ['']).map((value) => `${text}${piece}${value}`)),
        [''],
      );
    }
    if (node.type !== 'Identifier') return ['?'];
    const { name } = node;
    if (name === 'audit') return prefixes;
    for (const owner of place.around) {
      const at = nodesOf(owner.params).findIndex((parameter) => parameter.name === name);
      if (at < 0) continue;
      const called = nodeOf(owner.id ?? {}).name;
      const here = calls.filter(
        ({ node: call, path }) =>
          nodeOf(call.callee).name === called && homeOf(path, called) === place.path,
      );
      return called === undefined || here.length === 0
        ? ['?']
        : here.flatMap((call) => next(nodesOf(call.node.arguments)[at], call));
    }
    const home = homeOf(place.path, name);
    const meant = constants.filter(
      ({ node: { id }, path, around: [inner] }) =>
        nodeOf(id).name === name &&
        path === home &&
        (inner === undefined || place.around.includes(inner)),
    );
    return meant.length === 0 ? ['?'] : meant.flatMap((found) => next(found.node.init, found));
  };

  return objects.flatMap(({ node, ...place }) => {
    const { action, record, actor, facts, id } = membersOf(node);
    const isNew = record !== undefined && actor !== undefined && facts !== undefined;
    // One with an id was read.
    if (action === undefined || !isNew || id !== undefined) return [];
    return textsOf(action, place).map((text) => ({ path: place.path, action: text }));
  });
}

function nodesIn({ node, ...place }: Found): Found[] {
  const isFunction = Array.isArray(node.params);
  const around = isFunction ? [node, ...place.around] : place.around;
  const children = Object.values(node).flatMap(nodesOf);
  return [
    { node, ...place },
    ...children.flatMap((child) => nodesIn({ ...place, around, node: child })),
  ];
}

function membersOf({ properties }: Node): Readonly<Record<string, Node | undefined>> {
  return Object.fromEntries(
    nodesOf(properties)
      .filter(({ key }) => key !== undefined)
      .map(({ key, value }) => [nodeOf(key).name, nodeOf(value)]),
  );
}

function nodesOf(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesOf);
  return typeof value === 'object' && value !== null && 'type' in value ? [nodeOf(value)] : [];
}

function nodeOf(value: unknown): Node {
  return value as Node; // as: what the parser makes
}
