import { readRows } from '../../../src/cli/people/import-file.ts';
import { oddText, spoiledBytes, spoiledText } from '../mutate.ts';
import { Finding, type Target } from '../target.ts';

const HEADS = [
  ...['user-name', 'external-id', 'display-name', 'given-name', 'family-name', 'active', 'title'],
  ...['email', 'jobTitle', 'department', 'nobody'],
];

/** The file of `people import`. Problems are reported without any of its values. */
export const csvTarget: Target = {
  name: 'csv',
  weight: 6,
  open: async () => ({
    async run(chance) {
      const mark = `mark${chance.bytes(6).toString('hex')}`;
      const comma = chance.pick([',', ';', '\t']);
      const heads = HEADS.filter((name) => name === 'user-name' || chance.often(0.4));
      const cell = (head: string): string => {
        if (chance.often(0.1)) return oddText(chance).slice(0, 2_000);
        if (head === 'active') return chance.pick(['true', 'no', '1', mark]);
        return head === 'user-name' ? `${mark}@example.com` : `"${mark} ""a"", ${head}"`;
      };
      const rows = Array.from({ length: chance.whole(0, 6) }, () => heads.map(cell).join(comma));
      let text = [heads.join(comma), ...rows].join(chance.pick(['\n', '\r\n', '\r']));
      if (chance.often(0.5)) text = spoiledText(text, chance);
      let bytes = Buffer.from(text);
      if (chance.often(0.15)) bytes = Buffer.from(spoiledBytes(bytes, chance));
      const read = readRows(bytes);
      const problems =
        read.kind === 'wrong' ? [read.problem] : read.rows.map(({ problem }) => problem ?? '');
      const said = problems.find((problem) => problem.includes(mark));
      if (said !== undefined) throw new Finding('leak', `a problem repeats a cell: ${said}`);
    },
    close: async () => {},
  }),
};
