import { runHere } from './run-here.ts';

/** The words of each command, `gatepost` itself first, as the help of the others lists them. */
export async function everyCommand(words: readonly string[] = []): Promise<string[][]> {
  const { out } = await runHere([...words, '--help']);
  const [, list = ''] = /^Commands:\n((?: .*\n)*)/m.exec(out) ?? [];
  const names = [...list.matchAll(/^ {2}(\w+) /gm)].flatMap(([, name = '']) => name);
  const inner = names.filter((name) => name !== 'help');
  const below = await Promise.all(inner.map((name) => everyCommand([...words, name])));
  return [[...words], ...below.flat()];
}
