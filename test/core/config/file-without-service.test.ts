import { describe, expect, it } from 'vitest';
import { configWith, problemsWith } from './environment-of-tests.ts';

const ALONE = { SERVICE_URL: undefined };
const file = (source: string, route: string, more = '') =>
  `sources: [{ id: deploys, secret: INTAKE_DEPLOYS, routes: [production]${source} }]
routes: { production: { channel: C0PROD${route} } }
${more}`;

describe('without SERVICE_URL', () => {
  it('a source can only ask for own gates, and no route requires an account', () => {
    const { service, sources, routes } = configWith(file('', ''), ALONE);
    expect(service).toBeNull();
    expect(sources[0]?.kinds).toEqual(['gate']);
    expect(routes[0]?.identity).toBe('omit');
  });

  it('kinds configured beside own gates are kept for a later service', () => {
    const config = configWith(file(', kinds: [approval, gate, task]', ''), ALONE);
    expect(config.sources[0]?.kinds).toEqual(['approval', 'gate', 'task']);
  });

  it('a source whose kinds all need a service is a problem', () => {
    expect(problemsWith(file(', kinds: [approval, task]', ''), ALONE)).toEqual([
      'gatepost.yaml:1:72 sources[0].kinds allows only what needs a service: set SERVICE_URL, or add gate',
    ]);
  });

  it('a route that requires an account is a problem, unless an override links one', () => {
    const strict = ', identity: require';
    expect(problemsWith(file('', strict), ALONE)).toEqual([
      'gatepost.yaml:2:42 routes.production.identity is require, so nobody could decide: set SERVICE_URL, or identity.overrides',
    ]);
    const linked = file('', strict, 'identity: { overrides: { U0ANA: ana } }');
    expect(configWith(linked, ALONE).routes[0]?.identity).toBe('require');
  });

  it('a setting that needs the service names both missing variables', () => {
    const cases = file('', '', 'cases: { who: { users: [U0ANA] } }');
    expect(problemsWith(cases, ALONE)).toEqual([
      'gatepost.yaml:3:10 cases.who needs SERVICE_URL and SERVICE_API_KEY to be set',
    ]);
  });
});
