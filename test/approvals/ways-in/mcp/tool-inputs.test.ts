import { describe, expect, test } from 'vitest';
import {
  requestInput,
  waitInput,
  withdrawInput,
} from '../../../../src/approvals/ways-in/mcp/tool-inputs.ts';

const ASKED = { title: 'Apply', change: 'make' };

type Input = typeof requestInput | typeof waitInput | typeof withdrawInput;

/** The arguments as read, or the names of what is wrong with them. */
async function read(input: Input, given: object) {
  const result = await input['~standard'].validate(given);
  if (result.issues === undefined) return result.value;
  return { wrong: result.issues.map(({ path = [] }) => path.join('.')) };
}

describe('the arguments of request_approval', () => {
  test.each<[string, object, object]>([
    [
      'null for every optional member',
      { message: null, reviewers: null, key: null, timeoutSeconds: null },
      {},
    ],
    ['an empty message', { message: ' ' }, {}],
    [
      'a list of reviewers in JSON',
      { reviewers: '["U0ANA", "S0OPS"]' },
      { reviewers: ['U0ANA', 'S0OPS'] },
    ],
    ['one reviewer', { reviewers: 'U0ANA' }, { reviewers: ['U0ANA'] }],
    ['reviewers with commas', { reviewers: 'U0ANA, S0OPS' }, { reviewers: ['U0ANA', 'S0OPS'] }],
    ['a number as text', { timeoutSeconds: '600' }, { timeoutSeconds: 600 }],
    [
      'a list like a name',
      { key: '["U0ANA"]', message: '600' },
      { key: '["U0ANA"]', message: '600' },
    ],
  ])('are read with %s', async (_what, given, expected) => {
    expect(await read(requestInput, { ...ASKED, ...given })).toEqual({ ...ASKED, ...expected });
  });

  test.each<[object, string]>([
    [{ title: null }, 'title'],
    [{ title: '' }, 'title'],
    [{ change: null }, 'change'],
    [{ change: ' ' }, 'change'],
    [{ key: '' }, 'key'],
    [{ reviewers: '' }, 'reviewers.0'],
    [{ reviewers: [] }, 'reviewers'],
    [{ reviewers: '[]' }, 'reviewers'],
    [{ reviewers: '["U0ANA"' }, 'reviewers'],
    [{ reviewers: 'U0ANA,' }, 'reviewers.1'],
    [{ reviewers: '["U0ANA", null]' }, 'reviewers.1'],
    [{ reviewers: ['@ana'] }, 'reviewers.0'],
    [{ reviewers: { users: ['U0ANA'] } }, 'reviewers'],
    [{ timeoutSeconds: '' }, 'timeoutSeconds'],
    [{ timeoutSeconds: '10m' }, 'timeoutSeconds'],
    [{ timeoutSeconds: ' 60' }, 'timeoutSeconds'],
    [{ timeoutSeconds: '1e3' }, 'timeoutSeconds'],
    [{ timeoutSeconds: '9' }, 'timeoutSeconds'],
    [{ timeoutSeconds: true }, 'timeoutSeconds'],
    [{ quorum: 2 }, ''],
  ])('are refused by name with %j', async (given, name) => {
    expect(await read(requestInput, { ...ASKED, ...given })).toEqual({ wrong: [name] });
  });

  test('are refused without repeating a value', async () => {
    const given = { ...ASKED, reviewers: 'ana-the-secret', timeoutSeconds: 'soon-the-secret' };
    const { issues } = await requestInput['~standard'].validate(given);
    expect(issues).toHaveLength(2);
    expect(JSON.stringify(issues)).not.toContain('the-secret');
  });

  test('are listed as they should be sent', () => {
    const schema = requestInput['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
    expect(schema).toMatchObject({
      required: ['title', 'change'],
      additionalProperties: false,
      properties: { reviewers: { type: 'array' }, timeoutSeconds: { type: 'integer' } },
    });
  });
});

test.each([
  [waitInput, { id: '0-a', seconds: null }, { id: '0-a' }],
  [waitInput, { id: '0-a', seconds: '20' }, { id: '0-a', seconds: 20 }],
  [waitInput, { id: null }, { wrong: ['id'] }],
  [waitInput, { id: '0-a', seconds: '' }, { wrong: ['seconds'] }],
  [withdrawInput, { id: '0-a', reason: null }, { wrong: [''] }],
  [withdrawInput, { id: '' }, { wrong: ['id'] }],
])(
  'the arguments of the other tools are read in the same way: %#',
  async (input, given, expected) => {
    expect(await read(input, given)).toEqual(expected);
  },
);
