import { expect, it } from 'vitest';
import { ROUTE_RULES } from '../../../src/app/configuration.ts';
import { readPeople } from '../../../src/core/config/read-entries.ts';
import { readVariables } from '../../../src/core/config/variables.ts';

function peopleIn(yaml: string, path = '/gatepost.yaml') {
  const { values, env } = readVariables({ GATEPOST_CONFIG: path }, 'people');
  return readPeople({ env, values, command: 'people', readFile: () => yaml, rules: ROUTE_RULES });
}

it.each([
  'identity: { overrides: { U0ANA: "42", ana: "43", U0BEN: 44 } }',
  'identity: { overrides: { U0ANA: "42" }, emails: all, logins: { GitHub: {} } }',
  'identity: { overrides: { U0ANA: "42" } }\nroutes: 3',
])('whose account is set is known whatever else is wrong: %s', (identity) => {
  const yaml = `${identity}\nadministrators: { users: [U0ANA] }`;
  expect(peopleIn(yaml)).toEqual({
    administrators: { users: ['U0ANA'], groups: [] },
    identityOverrides: { U0ANA: '42' },
    isPartial: false,
  });
});

it.each([
  ['users: [U0ANA, ben.example]', ['U0ANA'], []],
  ['users: [U0ANA, 7]', ['U0ANA'], []],
  ['users: [U0ANA], groups: [admins, S0OPS]', ['U0ANA'], ['S0OPS']],
  ['users: U0ANA, groups: [S0OPS]', [], ['S0OPS']],
  ['people: [U0ANA]', [], []],
])('one wrong administrator hides none of the others: %s', (named, users, groups) => {
  const { administrators, isPartial } = peopleIn(`administrators: { ${named} }`);
  expect(administrators).toEqual({ users, groups });
  expect(isPartial).toBe(true);
});

it('administrators are not all known if the path of the file is not valid', () => {
  const yaml = 'administrators: { users: [U0ANA] }';
  expect(peopleIn(yaml, '"/gatepost.yaml"').isPartial).toBe(true);
});
