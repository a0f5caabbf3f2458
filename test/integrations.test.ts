import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { VARIABLES } from '../src/core/config/variables.ts';
import { configWith } from './core/config/environment-of-tests.ts';

const read = (path: string) =>
  readFile(new URL(`../integrations/${path}`, import.meta.url), 'utf8');

const VARIABLE_NAMES = new Set<string>(VARIABLES.map(({ name }) => name));

test('every version that a document or an integration names is that of package.json', async () => {
  const root = new URL('..', import.meta.url);
  const { version } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
  const folders = ['docs', 'integrations'].map(async (folder) => {
    const files = await readdir(new URL(folder, root), { recursive: true, withFileTypes: true });
    return files.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
  });
  const paths = (await Promise.all(folders)).flat().filter((path) => !path.endsWith('.png'));
  const texts = [new URL('README.md', root), ...paths].map((path) => readFile(path, 'utf8'));
  const all = (await Promise.all(texts)).join('\n');
  const named = [...all.matchAll(/gatepost[a-z/-]*[@:-]v?(\d+\.\d+\.\d+)/g)].map(([, it]) => it);
  expect(named.length).toBeGreaterThan(5);
  expect([...new Set(named)]).toEqual([version]);
});

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Record<string, string>;
  readonly stringData?: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: what Kubernetes takes has a form of its own
  readonly spec?: any;
}

describe('the manifests for Kubernetes', () => {
  let manifests: readonly Manifest[];
  const named = (kind: string, name = 'gatepost') => {
    const found = manifests.find((each) => each.kind === kind && each.metadata.name === name);
    if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
    return found;
  };
  beforeAll(async () => {
    const documents = parseAllDocuments(await read('kubernetes/gatepost.yaml'));
    manifests = documents.map((document) => document.toJS() as Manifest); // as: checked below
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  });

  test('set only known variables, keep secrets in the Secret, and set every required one', () => {
    const plain = Object.keys(named('ConfigMap').data ?? {});
    const secret = Object.keys(named('Secret').stringData ?? {});
    const all = [...plain, ...secret];
    expect(all.filter((name) => !VARIABLE_NAMES.has(name))).toEqual([]);
    expect(plain.filter((name) => /TOKEN|SECRET|KEY|REDIS_URL/.test(name))).toEqual([]);
    const required = VARIABLES.filter(({ required: by = '' }) =>
      ['always', 'start', 'http'].includes(by),
    );
    const lacking = required.map(({ name }) => name).filter((name) => !all.includes(name));
    expect(lacking).toEqual(['GATEPOST_CHANNEL']);
  });

  test('the file has the channel, and refuses requests that do not say who asked', () => {
    const file = named('ConfigMap', 'gatepost-file').data?.['gatepost.yaml'] ?? '';
    const filled = file.replace(/<([CUS])…[^>]*>/g, '$10PROD');
    expect(configWith(filled, { GATEPOST_INTAKE_SECRET: 's'.repeat(40) }).routes).toEqual([
      expect.objectContaining({ name: 'default', channel: 'C0PROD', requester: 'known' }),
    ]);
  });

  test('probe the endpoints of the bot, and give it time to shut down', () => {
    const { template, replicas, strategy, selector } = named('Deployment').spec;
    const [container] = template.spec.containers;
    expect(container.readinessProbe.httpGet.path).toBe('/readyz');
    expect(container.livenessProbe.httpGet.path).toBe('/healthz');
    expect(container.ports[0].containerPort).toBe(3000);
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(5 + 25);
    expect(strategy.rollingUpdate.maxUnavailable).toBe(0);
    expect(replicas).toBeGreaterThan(1);
    expect(container.securityContext).toMatchObject({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
    });
    expect(template.metadata.labels).toEqual(selector.matchLabels);
    for (const kind of ['PodDisruptionBudget', 'Service']) {
      const { selector: of } = named(kind).spec;
      expect(of.matchLabels ?? of).toEqual(selector.matchLabels);
    }
  });

  test('mount the file that GATEPOST_CONFIG names', () => {
    const { containers, volumes } = named('Deployment').spec.template.spec;
    const [{ mountPath }] = containers[0].volumeMounts;
    const { data = {} } = named('ConfigMap', volumes[0].configMap.name);
    const [file = ''] = Object.keys(data);
    expect(named('ConfigMap').data?.GATEPOST_CONFIG).toBe(`${mountPath}/${file}`);
  });
});

test('the systemd unit starts the program, waits for it to end, and does not restart on wrong settings', async () => {
  const unit = await read('systemd/gatepost.service');
  const lines = unit.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines.filter((line) => !/^(\[\w+\]|\w+=.*)$/.test(line))).toEqual([]);
  const settingOf = (name: string) =>
    lines.find((line) => line.startsWith(`${name}=`))?.split(/=(.*)/s)[1];
  const copied = /cp -R (.+) \/opt\/gatepost\/$/m.exec(unit)?.[1]?.split(' ');
  expect(copied).toEqual(expect.arrayContaining(['dist', 'docs', 'node_modules', 'package.json']));
  expect(settingOf('Documentation')).toContain('/opt/gatepost/docs/');
  expect(unit).toMatch(/^# .*integrations\/systemd\/gatepost\.service \/etc\/systemd\/system\/$/m);
  expect(settingOf('ExecStart')).toMatch(/node \/opt\/gatepost\/dist\/main\.js start$/);
  expect(Number(settingOf('TimeoutStopSec'))).toBeGreaterThanOrEqual(30);
  expect(settingOf('RestartPreventExitStatus')).toBe('2');
  expect(settingOf('Environment')).toContain(`DATA_DIR=/var/lib/${settingOf('StateDirectory')}`);
});

// While bash 5.2 reads a $(…), it cannot run a trap: the signal is lost, or the script ends with 1.
test.each([
  ['curl/ask.sh', []],
  // Read before `decide` sets its traps.
  ['agents/ask-before.sh', ['title=', 'message=']],
])('%s uses backquotes instead of $(…) once it has set a trap', async (name, earlier) => {
  const script = await read(name);
  const lines = script.slice(script.search(/^trap /m)).split('\n');
  const found = lines.filter((line) => /\$\((?!\()/.test(line) && !/^\s*#/.test(line));
  expect(found.map((line) => /^\s*(\w+=)/.exec(line)?.[1])).toEqual(earlier);
});
